"""Serve the editor on this machine, from a free port to the last request."""

import socket
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from zlib import crc32

import uvicorn
from starlette.types import ASGIApp

from hexapla.checks.engine.unsaved_text import overlay_checker
from hexapla.editor.access import EditorSession, session_key
from hexapla.editor.app import make_app
from hexapla.editor.page_editing import EditorService
from hexapla.editor.preview import make_renderer, render_preview, resolve_includes
from hexapla.editor.site_text_editing import SiteTextService
from hexapla.errors import ConfigError
from hexapla.glossary import Term
from hexapla.translation.site_text import SiteTextFiles
from hexapla.translation.translation_tree import TranslationTree

FIRST_PORT, PORTS = 20000, 10000  # where a tree's own port is, below those that systems give away


def make_application(
    read_tree: Callable[[], TranslationTree], terms: tuple[Term, ...], texts: SiteTextFiles | None = None
) -> Callable[[EditorSession], ASGIApp]:
    """A function that returns the application of a session, for the tree that `read_tree` reads. Raises ConfigError.

    `texts` are those beside the pages, None for a tree that has no such files.
    """
    tree = read_tree()
    render = make_renderer(tree.layout)
    service = EditorService(read_tree, lambda: overlay_checker(tree.layout, terms), terms=terms)
    beside = SiteTextService(texts, tree.layout.source) if texts else None

    def shown(text: str) -> str:
        return render_preview(render, resolve_includes(text, tree.snippet, tree.layout.closes_fence("")))

    return lambda session: make_app(service, shown, session, beside)


def serve(make: Callable[[EditorSession], ASGIApp], port: int | None, root: Path, say: Callable[[str], None]) -> None:
    """Serve the application that `make` makes of a session, until interrupted.

    Without a port it is the tree's own one, or any other where that is taken. Raises ConfigError for a taken port.
    """
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
