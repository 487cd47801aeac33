"""Access to the editor for its owner only: who has its address, from this machine, from its own pages.

The token in the address keeps out other users of the machine. The Host header keeps out a site whose name was made to
point here (DNS rebinding); Origin, Sec-Fetch-Site and the content type keep out forms and scripts of other sites.
"""

import hmac
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hexapla.installation import installation_key

WEEK = 7 * 24 * 3600  # seconds
CHALLENGE = 64        # characters that a tab sends
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


@dataclass(frozen=True)
class EditorSession:
    """One start of the editor at `host`, an address with its port; `nonce` makes its token another one each time.

    A tab and the program share a key. A tab that an earlier start served asks a later one to prove that it has the key,
    and derives the new token itself. Neither the key nor a token is sent: another program at the same port learns
    nothing that opens the editor. The host is part of both, so that no proof can be passed on from one port to another.
    """

    key: bytes
    host: str
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def token(self) -> str:
        """What stands in the address."""
        return self.code("token")[:48]

    def proof(self, challenge: str) -> dict[str, str]:
        """What shows to a tab that this program has the key, and lets it derive the token."""
        return {"nonce": self.nonce, "proof": self.code("proof", challenge)}

    def code(self, *parts: str) -> str:
        """The HMAC of what is said and to whom, in hexadecimal digits."""
        return hmac.digest(self.key, "\n".join((self.host, self.nonce, *parts)).encode(), "sha256").hex()


def session_key(root: Path) -> bytes:
    """The key of a project, of this installation's: another one each week, for who has seen one."""
    named = f"editor\n{int(time.time()) // WEEK}\n{root.resolve()}"
    return hmac.digest(installation_key(), named.encode("utf-8", "surrogateescape"), "sha256")


class AccessGuard:
    """ASGI middleware that serves an application at `/TOKEN/` to its owner; `/session?CHALLENGE` proves who it is."""

    def __init__(self, app: ASGIApp, session: EditorSession) -> None:
        self.app, self.session, self.token = app, session, session.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with what is wrong with it; anything but HTTP is not answered."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        refusal = stranger_refusal(Headers(scope=scope)) or self.proof(scope) or refusal_of(scope, self.token)
        answer = refusal or self.app
        await answer({**scope, "root_path": f"/{self.token}"}, receive, with_headers(send))

    def proof(self, scope: Scope) -> Response | None:
        """The answer to a tab of an earlier start, None for any other request."""
        challenge = scope["query_string"].decode("ascii", "replace")
        if scope["path"] != "/session" or len(challenge) != CHALLENGE or not challenge.isalnum():
            return None
        return JSONResponse(self.session.proof(challenge))


def stranger_refusal(headers: Headers) -> PlainTextResponse | None:
    """The answer to a request that another site sent, or that reached this program by another name."""
    host = headers.get("host", "")
    if urlsplit(f"//{host}").hostname not in {"127.0.0.1", "localhost"}:
        return PlainTextResponse("this editor answers at 127.0.0.1 only\n", 403)
    own = headers.get("origin", f"http://{host}") == f"http://{host}"
    if not own or headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        return PlainTextResponse("this editor does not answer to other sites\n", 403)
    return None


def refusal_of(scope: Scope, token: str) -> PlainTextResponse | None:
    """The answer to a request that is not the owner's, None for one that is."""
    headers = Headers(scope=scope)
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
