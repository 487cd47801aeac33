"""`hexapla translate`: its options, and the server from a free port to the last request."""

import argparse
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from hexapla.checks.engine.overlay import overlay_checker
from hexapla.editor.preview import renderer, resolved
from hexapla.editor.service import Desk
from hexapla.errors import ConfigError
from hexapla.glossary import Term
from hexapla.translation.translation_tree import Tree

if TYPE_CHECKING:  # an extra: what it serves with is imported when it serves
    from starlette.types import ASGIApp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla translate` takes beyond the options of a tree."""
    where = "where to listen (default: a free one)"
    parser.add_argument("--port", type=port_number, default=0, metavar="PORT", help=where)


def port_number(given: str) -> int:
    """A TCP port. Raises ArgumentTypeError."""
    if not given.isdecimal() or int(given) > 65535:
        raise argparse.ArgumentTypeError(f"{given!r} is no port; give a number up to 65535")
    return int(given)


def application(
    read_tree: Callable[[], Tree], terms: tuple[Term, ...]
) -> Callable[[str], "ASGIApp"]:
    """What makes the application of a token, for the tree that `read_tree` reads. Raises ConfigError."""
    from hexapla.editor.app import app

    tree = read_tree()
    render = renderer(tree.layout)
    desk = Desk(read_tree, lambda: overlay_checker(tree.layout, terms), terms)
    return lambda token: app(desk, lambda text: render(resolved(text, tree.snippet)), token)


def serve(make: Callable[[str], "ASGIApp"], port: int, say: Callable[[str], None]) -> None:
    """Serve the application that `make` makes of a token, until interrupted. Raises ConfigError for a taken port."""
    import uvicorn

    token = secrets.token_urlsafe(24)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
            listening.listen()
        except OSError as error:
            raise ConfigError(f"--port {port}: {error.strerror or error}; choose another") from error
        application = make(token)
        say(f"The desk is at http://127.0.0.1:{listening.getsockname()[1]}/{token}/ (Ctrl+C ends it)")
        settings = uvicorn.Config(application, log_level="warning", access_log=False, lifespan="off")
        with suppress(KeyboardInterrupt):  # the way to end it, and told as such
            uvicorn.Server(settings).run(sockets=[listening])
