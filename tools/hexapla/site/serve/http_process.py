"""The process that browsers and the file system talk to; it renders nothing, and hands all questions on.

It answers from 127.0.0.1 or where `dev_addr` says. Its threads are why it is a process of its own: the one that renders
forks, and a fork of a process with threads may find their locks held.
"""

import itertools
import logging
import mimetypes
import os
import queue
import signal
import socket
import stat
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mkdocs.exceptions import PluginError
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from hexapla.processes import end_with_parent

LOG = logging.getLogger("mkdocs.livereload")
LIVE = "_hexapla/live"  # where a page asks whether it has changed
POLL = 50.0      # seconds that such a question may wait
QUIET = 0.06     # seconds without a change after which changes are one
STRANGER = (b"this server answers at localhost, 127.0.0.1 and the host that `mkdocs serve -a HOST:PORT` names; "
            b"open it there\n")
UNFINISHED = 1.0  # seconds that a file may stay empty, or changes may go on, before that is what its author wants
IGNORED = {".git", ".hexapla", "__pycache__", "node_modules"}
OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}
EVERY_ADDRESS = {"0.0.0.0", "::", ""}  # what a server is bound to that any address of the machine reaches


class Question(NamedTuple):
    """What a browser asks: an address below the site's root; `version` is that of the page which asks if it changed."""

    number: int
    path: str
    version: str | None


Changes = frozenset[str]  # the paths of files that were written, made, moved or deleted
# Folders that are watched, with all below them where this says so, and files.
Watched = Mapping[str, bool]


class Answer(NamedTuple):
    """The answer to a question: a body, or the file that has it, or where to go."""

    number: int
    status: int
    content_type: str = "text/html; charset=utf-8"
    body: bytes = b""
    file: str = ""
    location: str = ""


class RenderClient:
    """The connection to the process that renders: it sends questions and hands each answer to the thread that waits."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        self.waiting: dict[int, queue.SimpleQueue[Answer]] = {}

    def ask(self, path: str, version: str | None = None) -> Answer | None:
        """The answer to a question; None where there was none in time."""
        number = next(self.numbers)
        answers = self.waiting[number] = queue.SimpleQueue()
        self.send(Question(number, path, version))
        try:
            return answers.get(timeout=POLL if version is not None else None)
        except queue.Empty:
            return None
        finally:
            del self.waiting[number]

    def send(self, message: object) -> None:
        """Send a question or changes."""
        with self.lock:
            self.connection.send(message)

    def deliver_answers(self) -> None:
        """Give answers to those who wait for them, until the other process has ended."""
        while True:
            try:
                answer: Answer = self.connection.recv()
            except (EOFError, OSError):
                os._exit(0)
            if waiting := self.waiting.get(answer.number):
                waiting.put(answer)


class Watcher(FileSystemEventHandler):
    """Collects what changes in the files and folders that are watched, and tells it when there was quiet for a moment.

    What this process prints is no change, wherever it goes: `mkdocs serve > docs/serve.log` would never end.
    """

    def __init__(self, client: RenderClient, watched: Watched) -> None:
        self.client, self.watched = client, watched
        self.printed = {identity for number in (1, 2) if (identity := file_identity(number))}
        self.changed: set[str] = set()
        self.condition = threading.Condition()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note the files of an event."""
        if event.is_directory or event.event_type in {"opened", "closed_no_write"}:
            return
        paths = {os.fsdecode(path) for path in (event.src_path, event.dest_path) if path}
        with self.condition:
            if changed := {*filter(self.is_read, paths)}:
                self.changed |= changed
                self.condition.notify_all()

    def is_read(self, path: str) -> bool:
        """Whether a file is one that the site may read."""
        folders = [str(folder) for folder in Path(path).parents]
        watched = path in self.watched or folders[0] in self.watched or any(map(self.watched.get, folders))
        return watched and not IGNORED & {*Path(path).parts} and file_identity(path) not in self.printed

    def report_changes(self) -> None:
        """Tell changes for ever; those that come together are one."""
        while True:
            with self.condition:
                self.condition.wait_for(lambda: self.changed)
                start = time.monotonic()
                while time.monotonic() - start < UNFINISHED and (self.condition.wait(QUIET) or self.has_empty_file()):
                    pass
                paths, self.changed = frozenset(self.changed), set()
            self.client.send(paths)

    def has_empty_file(self) -> bool:
        """Whether a file is empty, as editors leave it between two steps of writing it."""
        def is_empty(path: str) -> bool:
            try:
                return os.stat(path).st_size == 0  # noqa: PTH116
            except OSError:
                return False

        return any(map(is_empty, self.changed))


def file_identity(file: str | int) -> tuple[int, int] | None:
    """What a file is on its disk, by its path or descriptor; None for one that is not there, and for what is no file.
    """
    try:
        state = os.stat(file)  # noqa: PTH116  # a descriptor has no path
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


def is_own_host(header: str, bound: str) -> bool:
    """Whether a request names this server, bound to a host, and not a site whose name was made to point here.

    >>> [is_own_host(each, "0.0.0.0") for each in ("localhost:8000", "[::1]:8000", "10.0.0.7", "evil.example")]
    [True, True, True, False]
    >>> [is_own_host(each, "127.0.0.1") for each in ("127.0.0.1:8000", "10.0.0.7", "localhost.evil.example", "")]
    [True, False, False, False]
    """
    try:
        host = urlsplit(f"//{header}").hostname or ""
        if host in OWN_HOSTS or (host and host == bound.lower()):
            return True
        return bound in EVERY_ADDRESS and bool(ip_address(host))
    except ValueError:
        return False


class Handler(BaseHTTPRequestHandler):
    """One request of a browser."""

    client: RenderClient
    mount: str
    host: str
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a page or a file."""
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        if not is_own_host(self.headers.get("Host", ""), self.host):
            self.answer(Answer(0, 421, "text/plain", STRANGER))
        elif path == "/" != self.mount:
            self.answer(Answer(0, 302, location=self.mount))
        elif not (path + "/").startswith(self.mount) or "\0" in path:
            self.answer(Answer(0, 404, body=b"404 Not Found"))
        elif path == self.mount + LIVE:
            asked = parse_qs(parts.query)
            page, version = asked.get("page", [""])[0], asked.get("version", [""])[0]
            self.answer(self.client.ask(page, version) or Answer(0, 200, "text/plain", b"same"))
        else:
            found = self.client.ask(path[len(self.mount):])
            self.answer(found or Answer(0, 503))

    do_HEAD = do_GET

    def answer(self, answer: Answer) -> None:
        """Send an answer."""
        body, content_type = answer.body, answer.content_type
        if answer.file:
            try:
                body, content_type = Path(answer.file).read_bytes(), type_of(answer.file)
            except OSError:
                self.answer(Answer(0, 404, body=b"404 Not Found"))
                return
        self.send_response(answer.status)
        if answer.location:
            self.send_header("Location", quote(answer.location))
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log requests where MkDocs is verbose."""
        LOG.debug(format, *args)


class Server(ThreadingHTTPServer):
    """The web server; a browser that went away is no error."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing."""


def type_of(path: str) -> str:
    """The type of a file by its name."""
    if path.endswith((".js", ".mjs")):
        return "application/javascript"
    guess, _ = mimetypes.guess_type(path)
    return guess or "application/octet-stream"


def require_free_port(host: str, port: int) -> None:
    """Raise PluginError where `mkdocs serve` cannot listen, before a site is built for it."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise PluginError(f"the port {port} of {host}: {error.strerror or error}; choose another, "
                          f"such as mkdocs serve -a 127.0.0.1:{port % 65535 + 1}") from error


def run_process(server: Server, connection: Connection, others: Connection, watched: Watched) -> None:
    """The process: serve and watch until the other one ends; `others` is that one's end of the connection."""
    end_with_parent()
    others.close()  # or the connection would outlive its owner
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C ends the other one
    client = RenderClient(connection)
    server.RequestHandlerClass.client = client  # type: ignore[attr-defined]
    watcher = Watcher(client, watched)
    try:
        observer = watch_files(watcher, watched, Observer())
    except OSError:  # too many files for this system's own way to tell
        observer = watch_files(watcher, watched, PollingObserver(timeout=0.5))
    connection.send(None)  # that it watches
    for target in (watcher.report_changes, server.serve_forever):
        threading.Thread(target=target, daemon=True).start()
    try:
        client.deliver_answers()
    finally:
        observer.stop()


def watch_files(watcher: Watcher, watched: Watched, observer: BaseObserver) -> BaseObserver:
    """Watch folders, and single files by their folders. Raises OSError."""
    folders: dict[str, bool] = {}
    for path, recursive in watched.items():
        is_folder = os.path.isdir(path)  # noqa: PTH112
        folder = path if is_folder else os.path.dirname(path)  # noqa: PTH120
        folders[folder] = folders.get(folder, False) or (is_folder and recursive)
    for folder, recursive in folders.items():
        observer.schedule(watcher, folder, recursive=recursive)
    observer.start()
    return observer
