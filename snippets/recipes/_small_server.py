"""A small server with OpenAI's interface, for load tests: a piece of text for each token that is asked for."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers POST /v1/chat/completions for the model `small`."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions" or body["model"] != "small":
            self.send_error(404, "no such model")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        first = {"choices": [{"delta": {"role": "assistant", "content": ""}}]}
        pieces = [{"choices": [{"delta": {"content": f"{n} "}}]} for n in range(body["max_tokens"])]
        for piece in (first, *pieces, {"choices": [], "usage": {}}):
            self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@contextmanager
def small_server() -> Iterator[str]:
    """The address of a server that answers as long as the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
