"""A real HTTP server on loopback that answers as servers of chat completions do, and as they should not."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = Callable[["Handler", dict], None]  # what is done with a request, its JSON given


class Handler(BaseHTTPRequestHandler):
    """Notes each request and hands it to the server's next reply; the last one is for all that follow."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.asked.append((self.path, dict(self.headers), asked))
            reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
            server.busy += 1
            server.most = max(server.most, server.busy)
        try:
            reply(self, asked)
        finally:
            with server.lock:
                server.busy -= 1

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """Send an answer; `length` is what it claims."""
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


@contextmanager
def serving(*replies: Reply) -> Iterator[ThreadingHTTPServer]:
    """A server that gives these replies, one after another; `address` is its API's base."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.replies, server.asked, server.busy, server.most = list(replies), [], 0, 0
    server.lock = threading.Lock()
    server.address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def material(asked: dict) -> dict:
    """The JSON object of a section that a chat begins with."""
    return json.loads(asked["messages"][1]["content"])


def completion(text: object, finish: str = "stop", **more: object) -> bytes:
    """The body of an answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage} | more).encode()


def saying(text: object, finish: str = "stop", **more: object) -> Reply:
    """Answer with a text."""
    return lambda handler, asked: handler.send(200, completion(text, finish, **more))


def failing(status: int, message: str = "no", **headers: str) -> Reply:
    """Answer with an error."""
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda handler, asked: handler.send(status, body, {k.replace("_", "-"): v for k, v in headers.items()})


def translating(words: dict[str, str]) -> Reply:
    """Translate each message by a table; one that it lacks gets Chinese characters and its placeholders."""
    def reply(handler: Handler, asked: dict) -> None:
        messages = material(asked)["messages"]
        made = {number: words.get(each["source"], "译文" + "".join(each.get("placeholders", {})))
                for number, each in messages.items()}
        handler.send(200, completion(json.dumps(made, ensure_ascii=False)))
    return reply
