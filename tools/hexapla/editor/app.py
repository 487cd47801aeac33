"""The desk over HTTP: JSON in, JSON out, and the files of its page.

One request at a time is served, in the thread of the event loop: the desk has one owner, and two of their windows
cannot write at once. Only the count of the whole tree, which writes nothing, lets others in between two pages.
"""

import json
from asyncio import sleep
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from hexapla.checks.finding import Finding
from hexapla.editor.access import Guard
from hexapla.editor.preview import Render
from hexapla.editor.service import Conflict, Desk, Refused, Unknown
from hexapla.editor.view_model import version
from hexapla.errors import ConfigError
from hexapla.glossary import Term
from hexapla.translation.status import PageStanding, State

STATIC = Path(__file__).parent / "static"
SHOWN = ("rule", "severity", "line", "column", "message", "hint")
Handler = Callable[[Request], Awaitable[Response]]


def app(desk: Desk, preview: Render, token: str) -> ASGIApp:
    """The application of a desk, at `/TOKEN/`; `preview` makes HTML of a section's Markdown."""

    async def index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def contents(request: Request) -> Response:
        names = desk.names()
        return JSONResponse({
            "source": desk.tree.layout.source, "languages": desk.tree.languages, "pages": names,
            "terms": [term(each, desk.tree.languages) for each in desk.terms],
        })

    async def overview(request: Request) -> Response:
        counted = []
        for each in desk.overview():
            counted += [each] if each else []
            await sleep(0)  # what a translator does meanwhile comes first
        return JSONResponse({"pages": summary(counted)})

    async def page(request: Request) -> Response:
        standings, rows = desk.page(request.path_params["name"])
        return JSONResponse({"pages": summary(standings), "rows": [asdict(row) for row in rows]})

    async def check(request: Request) -> Response:
        return JSONResponse({"findings": records(desk.findings(*await asked(request, *PLACE, "text")))})

    async def rendered(request: Request) -> Response:
        (text,) = await asked(request, "text")
        return JSONResponse({"html": preview(text)})

    async def changed(request: Request) -> Response:
        return JSONResponse(asdict(desk.changed(*await asked(request, *PLACE))))

    async def save(request: Request) -> Response:
        name, language, section, text, base, meant = await asked(request, *PLACE, "text", "version", "meant")
        desk.save(name, language, section, text, base, meant == "yes")
        return JSONResponse({"saved": True})

    async def read(request: Request) -> Response:
        desk.read(*await asked(request, *PLACE))
        return JSONResponse({"saved": True})

    posts = {"check": check, "preview": rendered, "changed": changed, "save": save, "read": read}
    routes = [
        Route("/", index),
        Route("/api/contents", told(contents)),
        Route("/api/overview", told(overview)),
        Route("/api/page/{name:path}", told(page)),
        *(Route(f"/api/{name}", told(handler), methods=["POST"]) for name, handler in posts.items()),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes), token)


PLACE = ("page", "language", "section")


def told(handler: Handler) -> Handler:
    """The handler, with what goes wrong told in a sentence; nothing was written then."""

    async def telling(request: Request) -> Response:
        try:
            return await handler(request)
        except Unknown as error:
            return JSONResponse({"message": str(error.args[0])}, 404)
        except Conflict as error:
            found = {"message": str(error), "text": error.text, "version": version(error.text)}
            return JSONResponse(found, 409)
        except Refused as error:
            wrong = records(error.findings)
            return JSONResponse({"message": str(error), "findings": wrong, "doubtful": error.doubtful}, 422)
        except (ConfigError, ValueError) as error:
            return JSONResponse({"message": str(error)}, 400)
        except OSError as error:
            return JSONResponse({"message": f"the file cannot be read or written: {error.strerror or error}"}, 500)

    return telling


async def asked(request: Request, *names: str) -> list[str]:
    """The strings of a request's JSON object, by name. Raises ValueError where one is missing or is no string."""
    given = json.loads(await request.body())
    if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in names):
        raise ValueError(f"send a JSON object with the strings {', '.join(names)}")
    return [given[name] for name in names]


def records(findings: list[Finding]) -> list[dict[str, object]]:
    """What the browser is told of findings."""
    return [{name: getattr(finding, name) for name in SHOWN} for finding in findings]


def summary(pages: list[PageStanding]) -> dict[str, dict[str, int]]:
    """How many sections of each page are left to do in each language."""
    made: dict[str, dict[str, int]] = {}
    for page in pages:
        left = sum(each.state not in {State.CURRENT, State.EXTRA} for each in page.sections)
        made.setdefault(page.page, {})[page.language] = left
    return made


def term(entry: Term, languages: tuple[str, ...]) -> dict[str, object]:
    """A term and its renderings in the languages on the desk."""
    return {
        "term": entry.term,
        "renderings": {code: entry.term if entry.keep else entry.renderings.get(code, "") for code in languages},
    }
