"""Access to the editor for its owner only: who has its address, from this machine, from its own pages.

The token in the address keeps out other users of the machine. The Host header keeps out a site whose name was made to
point here (DNS rebinding); Origin, Sec-Fetch-Site and the content type keep out forms and scripts of other sites.
"""

import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LIMIT = 2_000_000  # bytes of a request
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class AccessGuard:
    """ASGI middleware that serves an application at `/TOKEN/`, to its owner only."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong with it; anything but HTTP is not answered."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        refusal = refusal_of(scope, self.token)
        if refusal is not None:
            await refusal(scope, receive, with_headers(send))
            return
        await self.app({**scope, "root_path": f"/{self.token}"}, receive, with_headers(send))


def refusal_of(scope: Scope, token: str) -> PlainTextResponse | None:
    """The answer to a request that is not the owner's, None for one that is."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if urlsplit(f"//{host}").hostname not in {"127.0.0.1", "localhost"}:
        return PlainTextResponse("this editor answers at 127.0.0.1 only\n", 403)
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return PlainTextResponse("this editor does not answer to other sites\n", 403)
    if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        return PlainTextResponse("this editor does not answer to other sites\n", 403)
    given = scope["path"].split("/")[1]
    if not secrets.compare_digest(given.encode(), token.encode()):
        return PlainTextResponse("open the whole address that `hexapla translate` printed\n", 404)
    if scope["method"] not in {"GET", "HEAD"}:
        if headers.get("content-type") != "application/json":
            return PlainTextResponse("send JSON\n", 415)
        if not headers.get("content-length", "").isdigit() or int(headers["content-length"]) > LIMIT:
            return PlainTextResponse(f"send at most {LIMIT} bytes\n", 413)
    return None


def with_headers(send: Send) -> Send:
    """Send with the headers that keep a page's content from doing anything."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return send_with_headers
