"""A model behind an address that speaks OpenAI's chat completions, as Ollama, vLLM, SGLang, llama.cpp and others do."""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException, HTTPMessage, HTTPResponse
from ipaddress import ip_address
from threading import Lock, Thread
from typing import IO, Any, NoReturn, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from hexapla.drafts import prompt
from hexapla.drafts.placeholders import ProtectedText, UntrustedAnswer, protect_markup
from hexapla.drafts.requests import ModelAnswer, Revision, SectionRequest
from hexapla.drafts.token_counts import Spending, Tokens, text_tokens, translation_tokens
from hexapla.errors import ConfigError
from hexapla.pages.invisible import visible

KEY = "HEXAPLA_API_KEY"
TRIES = 5
LONGEST_WAIT = 120.0    # seconds that a server may ask to wait for
LARGEST = 8_000_000     # bytes of an answer
AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
Result = TypeVar("Result")
HINTS = {401: f"; set {KEY} to a key that it knows", 403: f"; set {KEY} to a key that may do this",
         404: "; correct the address (it often ends in /v1) or --model"}
IN_A_ROW = 3            # sections that a server may fail before it is not asked any more


class TransientFailure(Exception):
    """A failure that may pass: the seconds to wait for, and whether an answer that has to be paid may have begun."""

    def __init__(self, reason: str, wait: float = 0.0, paid: bool = True, unconnected: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.paid, self.unconnected = wait, paid, unconnected


class NoRedirects(HTTPRedirectHandler):
    """A redirect is an answer like any other: what is sent, a key with it, goes where the user said."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Follow none."""


class Endpoint:
    """A model behind an address, asked from one or several threads; `instructions` are the project's for the target."""

    revises = True

    def __init__(
        self, address: str, model: str, source: str, target: str, *, instructions: str = "", jobs: int = 1,
        timeout: float = 300.0, budget: int | None = None, environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address, local = checked_address(address)
        self.model, self.source, self.target, self.instructions = model, source, target, instructions
        self.jobs, self.timeout, self.sleep = jobs, timeout, sleep
        self.key_given = environment.get(KEY, "").strip()
        if self.key_given and not local and self.address.startswith("http:"):
            raise ConfigError(f"--endpoint {address}: {KEY} would be sent unencrypted; use https, or unset it")
        self.opener: OpenerDirector = build_opener(NoRedirects, *([ProxyHandler({})] if local else []))
        self.spending, self.failed, self.lock = Spending(budget), 0, Lock()

    def answer_inputs(self, request: SectionRequest) -> tuple[object, ...]:
        """All that an answer depends on, the key left out."""
        return self.address, self.model, self.build_chat(request, None)

    def build_chat(self, request: SectionRequest, revision: Revision | None) -> list[dict[str, str]]:
        return prompt.build_chat(request, self.source, self.target, self.instructions, revision)

    def translate_section(self, request: SectionRequest, revision: Revision | None) -> ModelAnswer:
        """Translate a section. Raises UntrustedAnswer where this one fails, ConfigError where every one would."""
        text = self.ask_for_text(self.build_chat(request, revision), self.estimate_tokens(request, revision))
        return prompt.read_translations(text, len(request.messages))

    def estimate_tokens(self, request: SectionRequest, revision: Revision | None) -> Tokens:
        sent = sum(text_tokens(each["content"]) for each in self.build_chat(request, revision))
        texts = [each.unit.text for each in request.messages]
        return Tokens(sent, translation_tokens(texts, self.source, self.target))

    def protect_message(self, text: str) -> ProtectedText:
        """A message with placeholders for code, links and tags; numbers and terms are the judge's."""
        return protect_markup(text)

    def ask_for_text(self, chat: Sequence[Mapping[str, str]], expected: Tokens) -> str:
        """What the model says, asked again while that may help. Raises UntrustedAnswer and ConfigError."""
        body = json.dumps({"model": self.model, "messages": chat, "stream": False}).encode()
        for attempt in range(1, TRIES + 1):
            try:
                text = self.read_content(self.post_body(body), expected)
            except TransientFailure as failure:
                if failure.paid and not self.spending.spend_tokens(None, expected):
                    raise UntrustedAnswer(f"{failure}; the budget has no tokens for another try") from failure
                if failure.unconnected and attempt == TRIES:
                    self.stop_drafting(f"{failure}; start the server or correct the address")
                if failure.wait > LONGEST_WAIT:
                    self.stop_drafting(
                        f"asks to wait for {failure.wait:.0f} seconds ({failure}); draft again after that")
                reason = str(failure)
                if attempt < TRIES:
                    self.sleep(failure.wait or 2.0 ** (attempt - 1))
            else:
                self.failed = 0
                return text
        with self.lock:
            self.failed += 1
        if self.failed >= IN_A_ROW:
            self.stop_drafting(
                f"failed {TRIES} times for each of {IN_A_ROW} sections ({reason}); draft again when it is well")
        raise UntrustedAnswer(f"the server failed {TRIES} times: {reason}")

    def stop_drafting(self, reason: str) -> NoReturn:
        """Raise the ConfigError that ends all drafting."""
        raise ConfigError(f"--endpoint {self.address}: {self.clean_words(reason)}")

    def clean_words(self, text: str) -> str:
        """A server's words in one line, without the key."""
        words = " ".join(visible(text).split())[:300]
        return words.replace(self.key_given, "***") if self.key_given else words

    def post_body(self, body: bytes) -> bytes:
        """Send a request; the bytes of its answer. Raises TransientFailure and ConfigError."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "hexapla"}
        if self.key_given:
            headers["Authorization"] = f"Bearer {self.key_given}"
        request = Request(self.address, body, headers, method="POST")
        try:  # a socket's own time starts anew with each byte: a server that drips its headers has no other end
            return start_thread(partial(self.send_request, request)).result(self.timeout)
        except TimeoutError as error:
            raise TransientFailure(f"no whole answer within {self.timeout:g} seconds") from error

    def send_request(self, request: Request) -> bytes:
        """Send a request; the bytes of its answer. Raises TransientFailure, ConfigError, and TimeoutError."""
        end = time.monotonic() + self.timeout
        try:
            with self.opener.open(request, timeout=self.timeout) as response:
                return read_until(response, end)
        except HTTPError as error:
            with error:
                self.raise_refusal(error)
        except TimeoutError:
            raise
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise error.reason from error
            raise TransientFailure(f"no connection: {error.reason}", paid=False, unconnected=True) from error
        except (HTTPException, OSError) as error:
            raise TransientFailure(f"the answer broke off: {error!r}") from error

    def raise_refusal(self, error: HTTPError) -> NoReturn:
        """Raise for an answer that is an error: TransientFailure for one that may pass, else ConfigError."""
        try:
            told = error.read(10_000).decode("utf-8", "replace")
        except (HTTPException, OSError):
            told = ""
        reason = f"{error.code} {error.reason}: {message_in(told)}".rstrip(": ")
        if error.code in AGAIN:
            raise TransientFailure(reason, waiting_time(error.headers.get("Retry-After") or ""), False) from error
        if 300 <= error.code < 400:
            self.stop_drafting(f"{reason}; it redirects to {error.headers.get('Location')}: name that address instead")
        if error.code in {400, 413, 422}:  # about this request: too long for the model, say
            raise UntrustedAnswer(f"the server does not take the request: {self.clean_words(reason)}") from error
        self.stop_drafting(f"{reason}{HINTS.get(error.code, '')}")

    def read_content(self, data: bytes, expected: Tokens) -> str:
        """The text of an answer, counted. Raises TransientFailure, and UntrustedAnswer for one that is of no use."""
        if len(data) > LARGEST:
            self.spending.spend_tokens(None, expected)
            raise UntrustedAnswer(f"the answer is larger than {LARGEST} bytes")
        try:
            answer = json.loads(data)
            choice = answer["choices"][0]
            text = choice["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise TransientFailure(f"the answer is none of chat completions: {data[:80]!r}") from error
        self.spending.spend_tokens(tokens_told(answer.get("usage")), expected)
        if choice.get("finish_reason") == "length":
            raise UntrustedAnswer("the model's answer was cut off: it may write too few tokens")
        if not isinstance(text, str):
            raise UntrustedAnswer("the model gave back nothing")
        return text


def tokens_told(usage: Any) -> Tokens | None:
    """The tokens that an answer says it cost, None where it does not."""
    known = usage if isinstance(usage, dict) else {}
    sent, received = known.get("prompt_tokens"), known.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(received, int) or min(sent, received) < 0:
        return None
    return Tokens(sent, received)


def checked_address(given: str) -> tuple[str, bool]:
    """The address of the chat completions below a base, and whether it is this machine. Raises ConfigError."""
    try:
        parts = urlsplit(given)
        host = parts.hostname or ""
        fine = parts.scheme in {"http", "https"} and host and not parts.username and (parts.port or 1)
    except ValueError:
        fine, host = False, ""
    if not fine or parts.query or parts.fragment:
        raise ConfigError(f"--endpoint {given}: is no address of an API; write it like http://localhost:11434/v1")
    try:
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        local = False
    base = given.rstrip("/")
    return (base if base.endswith("/chat/completions") else f"{base}/chat/completions"), local


def start_thread(work: Callable[[], Result]) -> Future[Result]:
    """What a function returns or raises, from a thread of its own that an interrupted command does not wait for."""
    done: Future[Result] = Future()

    def run_work() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run_work, daemon=True).start()
    return done


def read_until(response: HTTPResponse, end: float) -> bytes:
    """All bytes of an answer, or more than LARGEST of them. Raises TransientFailure where it breaks off or is slow."""
    parts: list[bytes] = []
    size = 0
    while part := response.read1(65536):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            return b"".join(parts)
        if time.monotonic() > end:
            raise TimeoutError
    length = response.headers.get("Content-Length")
    if length and length.isdecimal() and int(length) != size:
        raise TransientFailure(f"the answer broke off after {size} of {length} bytes")
    return b"".join(parts)


def message_in(text: str) -> str:
    """What an error says, from the forms that servers give it."""
    try:
        found = json.loads(text)
        error = found.get("error", found)
        return str(error.get("message", text) if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        return text


def waiting_time(header: str) -> float:
    """The seconds that a Retry-After asks for, 0 for none that can be read."""
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time()) if header else 0.0
    except ValueError:
        return 0.0
