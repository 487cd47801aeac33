"""A small server with OpenAI's interface, for load tests: numbers as text, and their count if it is asked for."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers POST /v1/chat/completions for the model `small`."""

    server: "SmallServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions" or body["model"] != "small":
            self.send_error(404, "no such model")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        asked = self.server.counts and body.get("stream_options", {}).get("include_usage")
        usage = {"completion_tokens": body["max_tokens"]} if asked else None
        deltas = [{"role": "assistant", "content": ""}]
        for n in range(0, body["max_tokens"], self.server.step):
            deltas.append({self.server.field: f"{n} " * self.server.step})
        pieces = [{"choices": [{"delta": delta}], "usage": None} for delta in deltas]
        self.wfile.write(b": keep-alive\n\n")  # A comment, which the protocol permits anywhere.
        for piece in (*pieces, {"choices": [], "usage": usage}):
            self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


class SmallServer(ThreadingHTTPServer):
    """Puts `step` tokens into each piece, as `field` of its delta, and `counts` them or not."""

    def __init__(self, step: int, field: str, counts: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.step, self.field, self.counts = step, field, counts


@contextmanager
def small_server(step: int = 1, field: str = "content", counts: bool = True) -> Iterator[str]:
    """The address of a server that answers as long as the context lasts."""
    server = SmallServer(step, field, counts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
