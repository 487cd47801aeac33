"""The editor over HTTP: JSON in, JSON out, and the files of its page.

One request at a time is served, in the thread of the event loop: the editor has one owner, and two of their windows
cannot write at once. Only the count of the whole tree, which writes nothing, lets others in between two pages.
"""

import json
import socket
from asyncio import sleep
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from zlib import crc32

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from hexapla.checks.engine.unsaved_text import overlay_checker
from hexapla.editor.access import AccessGuard, EditorSession, session_key
from hexapla.editor.page_editing import EditorService
from hexapla.editor.preview import Render, make_renderer, render_preview, resolve_includes
from hexapla.editor.site_text_editing import SiteTextService
from hexapla.errors import ConfigError
from hexapla.glossary import Term
from hexapla.section_writer import ConflictError, RefusedError, UnknownNameError, describe_findings, version_of
from hexapla.translation.site_text import SiteTextFiles, TextKind
from hexapla.translation.status.section_states import PageStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

STATIC = Path(__file__).parent / "static"
Handler = Callable[[Request], Awaitable[Response]]
FIRST_PORT, PORTS = 20000, 10000  # where a tree's own port is, below those that systems give away


def make_app(
    service: EditorService, preview: Render, session: EditorSession, beside: SiteTextService | None = None
) -> ASGIApp:
    """The application of an editor, at `/TOKEN/`; `beside` has the texts beside the pages, as pages too."""

    def service_of(name: str) -> EditorService | SiteTextService:
        """The service that has a page."""
        return beside if beside and name in list(TextKind) and name not in service.tree.source else service

    async def show_index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def list_contents(request: Request) -> Response:
        names = service.names()
        names += [name for name in (beside.names() if beside else ()) if service_of(name) is beside]
        return JSONResponse({
            "source": service.tree.layout.source, "languages": service.tree.languages, "pages": names,
            "terms": [{"term": each.term, "renderings": {
                code: each.term if each.keep else each.renderings.get(code, "") for code in service.tree.languages
            }} for each in service.terms],
            "tree": str(service.tree.layout.root), "key": session.key.hex(),
        })

    async def count_pages(request: Request) -> Response:
        counted = []
        for each in service.overview():
            counted += [each] if each else []
            await sleep(0)  # what a translator does meanwhile comes first
        counted += [each for each in (beside.overview() if beside else ()) if service_of(each.page) is beside]
        return JSONResponse({"pages": count_left(counted)})

    async def show_page(request: Request) -> Response:
        name = request.path_params["name"]
        pages, rows = service_of(name).page(name)
        told = [{**row._asdict(), "cells": [cell._asdict() for cell in row.cells]} for row in rows]
        return JSONResponse({"pages": count_left(pages), "rows": told})

    def offer_memory(*section: str) -> dict[str, object]:
        found = service.remembered(*section)
        return {**found._asdict(), "near": [each._asdict() for each in found.near]}

    def answer_strings(fields: Sequence[str], act: Callable[..., object]) -> Handler:
        async def answer_post(request: Request) -> Response:
            return JSONResponse(act(*await read_strings(request, *fields)) or {"saved": True})

        return with_errors(answer_post)

    posts: dict[str, tuple[Sequence[str], Callable[..., object]]] = {
        "check": ((*SECTION, "text"), lambda name, *rest: {
            "findings": describe_findings(service_of(name).findings(name, *rest))}),
        "preview": (("text",), lambda text: {"html": preview(text)}),
        "changed": (SECTION, lambda name, *rest: service_of(name).changed(name, *rest)._asdict()),
        "memory": (SECTION, offer_memory),
        "save": ((*SECTION, "text", "version", "meant"), lambda name, language, section, text, base, meant: {
            "version": service_of(name).save(name, language, section, text, base, meant == "yes")}),
        "read": ((*SECTION, "meant"), lambda name, language, section, meant: service_of(name).read(
            name, language, section, meant == "yes")),
        "dismiss": ((*SECTION, "doubt", "reason"), service.dismiss_doubt),
    }
    routes = [
        Route("/", show_index),
        Route("/api/contents", with_errors(list_contents)),
        Route("/api/overview", with_errors(count_pages)),
        Route("/api/page/{name:path}", with_errors(show_page)),
        *(Route(f"/api/{name}", answer_strings(*post), methods=["POST"]) for name, post in posts.items()),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return AccessGuard(Starlette(routes=routes), session)


SECTION = ("page", "language", "section")


def with_errors(handler: Handler) -> Handler:
    """The handler, with what goes wrong told in a sentence; nothing was written then."""

    async def answer_request(request: Request) -> Response:
        try:
            return await handler(request)
        except UnknownNameError as error:
            return JSONResponse({"message": str(error.args[0])}, 404)
        except ConflictError as error:
            version = version_of(error.text)
            found = {"message": str(error), "text": error.text, "version": version, "runs": error.runs}
            return JSONResponse(found, 409)
        except RefusedError as error:
            wrong = describe_findings(error.findings)
            return JSONResponse({"message": str(error), "findings": wrong, "doubtful": error.doubtful}, 422)
        except (ConfigError, ValueError) as error:
            return JSONResponse({"message": str(error)}, 400)
        except OSError as error:
            return JSONResponse({"message": f"the file cannot be read or written: {error.strerror or error}"}, 500)

    return answer_request


async def read_strings(request: Request, *names: str) -> list[str]:
    """The strings of a request's JSON object, by name. Raises ValueError where one is missing or is no string."""
    try:
        given = json.loads(await request.body())
    except RecursionError:
        given = None
    if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in names):
        raise ValueError(f"send a JSON object with the strings {', '.join(names)}")
    return [given[name] for name in names]


def count_left(pages: list[PageStatus]) -> dict[str, dict[str, int]]:
    """How many sections of each page are left to do in each language."""
    made: dict[str, dict[str, int]] = {}
    for page in pages:
        left = sum(each.state not in {TranslationState.CURRENT, TranslationState.EXTRA} for each in page.sections)
        made.setdefault(page.page, {})[page.language] = left
    return made


def make_application(
    read_tree: Callable[[], TranslationTree], terms: tuple[Term, ...], texts: SiteTextFiles | None = None
) -> Callable[[EditorSession], ASGIApp]:
    """A function that returns the application of a session, for the tree that `read_tree` reads. Raises ConfigError."""
    tree = read_tree()
    render = make_renderer(tree.layout)
    service = EditorService(read_tree, lambda: overlay_checker(tree.layout, terms), terms=terms)
    beside = SiteTextService(texts, tree.layout.source) if texts else None

    def show_preview(text: str) -> str:
        return render_preview(render, resolve_includes(text, tree.snippet, tree.layout.closes_fence("")))

    return lambda session: make_app(service, show_preview, session, beside)


def serve_editor(
    make: Callable[[EditorSession], ASGIApp], port: int | None, root: Path, say: Callable[[str], None]
) -> None:
    """Serve the application of a session at the tree's own port, another one, or a given one. Raises ConfigError."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            with suppress(OSError) if port is None else nullcontext():
                own_port = FIRST_PORT + crc32(str(root.resolve()).encode()) % PORTS
                listening.bind(("127.0.0.1", own_port if port is None else port))
            listening.listen()  # without a port until now, at one that is free
        except OSError as error:
            raise ConfigError(f"--port {port}: {error.strerror or error}; choose another") from error
        session = EditorSession(session_key(root), f"127.0.0.1:{listening.getsockname()[1]}")
        served = make(session)
        say(f"The editor is at http://{session.host}/{session.token}/ (Ctrl+C ends it)")
        settings = uvicorn.Config(served, log_level="warning", access_log=False, lifespan="off")
        with suppress(KeyboardInterrupt):  # the way to end it, and told as such
            uvicorn.Server(settings).run(sockets=[listening])
