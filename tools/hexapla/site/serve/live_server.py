"""The server of `mkdocs serve`: it answers questions, renders pages for them, and renders the others meanwhile."""

import logging
import multiprocessing
import signal
import time
import webbrowser
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from mkdocs.livereload import LiveReloadServer

from hexapla.processes import count_cores
from hexapla.site.build.check_hook import log_findings, shared_errors
from hexapla.site.language_site import Item
from hexapla.site.process_pool import ProcessPool
from hexapla.site.serve import http_process, responses
from hexapla.site.serve.http_process import Answer, Changes, Question
from hexapla.site.serve.site_in_memory import Rendered, ServedPage, SiteInMemory
from hexapla.site.serve.stale_pages import forget_pages, read_by_site, reread_sources, sort_changes

LOG = logging.getLogger("mkdocs.livereload")
AT_A_TIME = 8  # pages that a process renders ahead
PATIENCE = 1.0  # seconds until it is looked whether Ctrl+C was pressed
SLICE = 0.03   # seconds that questions may wait for a look at what has to be rendered


class LiveServer:
    """The development server, with the methods that MkDocs' command calls on its own.

    `make_site` loads the settings and makes the site again.
    """

    def __init__(self, server: LiveReloadServer, make_site: Callable[[], SiteInMemory], site: SiteInMemory) -> None:
        host, port = str(server.server_address[0]), int(server.server_address[1])
        self.url, self.mount = server.url, server.mount_path
        handler = type("BoundHandler", (http_process.Handler,), {"mount": self.mount, "host": host})
        self.web = http_process.Server((host, port), handler)  # it has its address before anything forks
        self.make_site = make_site
        self.site = site
        self.watched: dict[str, bool] = {}
        self.process: BaseProcess | None = None
        self.connection: Connection
        # A process is forked for each job, and renders what the site is then.
        self.pages = ProcessPool[Item, Rendered](lambda item: self.site.render(item), count_cores())
        self.ahead = ProcessPool[Item, Rendered](
            lambda item: Rendered(self.site.build.render_content(item)), count_cores(), niceness=10
        )
        self.rendering: set[Item] = set()
        self.questions: dict[int, Question] = {}  # that wait for a page
        self.open: dict[int, Question] = {}  # of pages in tabs, that wait for a change
        self.indexes: dict[int, Question] = {}  # that wait for a search index
        self.last = ""  # the address that was asked for last
        self.pending: deque[Item] = deque(site.by_distance(None))  # pages that may have to be rendered ahead
        self.problem = ""
        self.to_check: list[str] = []
        self.interrupted = False
        self.ended = False
        for path in (site.config.docs_dir, site.config.config_file_path, site.config.theme.custom_dir):
            if path:
                self.watch(path)

    def watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        """Watch a folder or a file too; MkDocs and plugins call this."""
        place = str(Path(path).resolve())
        self.watched[place] = recursive or self.watched.get(place, False)

    def serve(self, *, open_in_browser: bool = False) -> None:
        """Serve until Ctrl+C."""
        self.start_process()
        LOG.info("Serving on %s", self.url)
        if open_in_browser:
            webbrowser.open(self.url)
        signal.signal(signal.SIGINT, self.interrupt)
        while not self.interrupted:
            self.step()

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ctrl+C. A KeyboardInterrupt that is raised while this process forks would be lost, so it is noted too."""
        self.interrupted = True
        raise KeyboardInterrupt

    def start_process(self) -> None:
        """Start the process that browsers talk to, and wait until it watches."""
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        told = self.web, theirs, self.connection, self.watched
        self.process = context.Process(target=http_process.run_process, args=told, daemon=True)
        self.process.start()
        theirs.close()
        with suppress(EOFError, OSError):  # one that ended at once is started again by the first step
            self.connection.recv()  # it watches: what is saved from here on is seen

    def step(self) -> None:
        """Wait for questions, changes or results, and handle those that came."""
        self.render_ahead()
        ahead = self.ahead.connections() if not self.rendering else []  # which waits for what somebody waits for
        channels = [self.connection, *self.pages.connections(), *ahead]
        ready = wait(channels, 0.0 if self.pending and not self.rendering else PATIENCE)
        if self.connection in ready:
            try:
                messages = [self.connection.recv()]
                while self.connection.poll():
                    messages.append(self.connection.recv())
            except (EOFError, OSError):
                LOG.warning("the process that serves pages ended; it is started again, and all files are read again")
                self.questions, self.open, self.indexes = {}, {}, {}
                if self.process:
                    self.process.join()
                self.start_process()
                settings = str(Path(self.site.config.config_file_path).resolve())
                self.take_changes(frozenset({settings}))  # nobody watched meanwhile
                return
            if changed := frozenset[str]().union(*(each for each in messages if isinstance(each, frozenset))):
                self.take_changes(changed)  # saves that waited are one
            for each in messages:
                if isinstance(each, Question):
                    self.try_question(each)
        for pool in (self.pages, self.ahead):
            for item, made in pool.results(0) if pool.running else ():
                self.rendering.discard(item) if pool is self.pages else None
                self.site.store_result(item, made)
        self.answer_waiting()

    def render_ahead(self) -> None:
        """Queue some of what is not rendered, once nobody waits."""
        if self.questions or self.rendering:
            return
        if self.to_check:  # by a process of its own
            context, given = multiprocessing.get_context("fork"), (self.site.state, self.to_check)
            context.Process(target=log_findings, args=given, daemon=True).start()
            self.to_check = []
        until = time.monotonic() + SLICE
        batch: list[Item] = []
        while self.pending and len(batch) < AT_A_TIME and time.monotonic() < until:
            item = self.pending.popleft()
            if item not in self.site.failures and self.site.find_content(item) is None:
                batch.append(item)
        if batch:
            self.ahead.submit(batch)

    def try_question(self, asked: Question) -> None:
        """Answer a question, by status 500 where that raises."""
        try:
            self.answer_question(asked)
        except Exception as error:  # whatever a template or a plugin raises
            LOG.exception(asked.path)
            self.connection.send(Answer(asked.number, 500, "text/plain; charset=utf-8", str(error).encode()))

    def answer_question(self, asked: Question) -> None:
        """Answer a question at once, or queue it until its page or index is rendered."""
        if asked.version is not None:
            self.open[asked.number] = asked
            return
        if item := self.find_item(asked.path):
            self.site.failures.pop(item, None)  # what ended a process may not end the next
            self.last = asked.path
            self.questions[asked.number] = asked
            return
        path = asked.path + "index.html" if asked.path.endswith("/") or not asked.path else asked.path
        if f"{path}/index.html" in self.site.pages:
            self.connection.send(Answer(asked.number, 302, location=f"{self.mount}{path}/"))
        elif responses.find_indexed_language(self.site, path) is not None:
            self.indexes[asked.number] = asked
        else:
            self.connection.send(responses.answer_other(self.site, asked.number, path))

    def find_item(self, path: str) -> Item | None:
        """The page at an address."""
        return self.site.pages.get(path + "index.html" if path.endswith("/") or not path else path)

    def answer_waiting(self) -> None:
        """Answer those who wait for a page that is ready, and have the others rendered."""
        for number, asked in [*self.questions.items()]:
            item = self.find_item(asked.path)
            if item is None:  # it was deleted meanwhile
                del self.questions[number]
                self.answer_question(asked)
            elif served := self.find_ready_page(item):
                del self.questions[number]
                body = responses.with_script(served, asked.path, self.mount, self.problem)
                self.connection.send(Answer(number, 200, body=body))
        for number, asked in [*self.open.items()]:
            item = self.find_item(asked.path)
            served = self.find_ready_page(item) if item else None
            if item is None or (served and responses.find_version(served, self.problem) != asked.version):
                self.reload_tab(number)
        for number, asked in [*self.indexes.items()]:
            language = responses.find_indexed_language(self.site, asked.path)
            if language is None or self.site.is_rendered(language):
                del self.indexes[number]
                text = responses.make_index_file(self.site, language, asked.path) if language is not None else ""
                self.connection.send(Answer(number, 200, "application/json", text.encode()))

    def find_ready_page(self, item: Item) -> ServedPage | None:
        """A page, if it is ready to be served; else it is rendered."""
        if item in self.site.failures:
            return self.site.error_page(item)
        if served := self.site.find_page(item):
            return served
        titles = self.site.awaited_titles(item)
        for each in titles or {item}:
            if each not in self.rendering:
                self.rendering.add(each)
                self.pages.submit([each])
        return None

    def take_changes(self, changes: Changes) -> None:
        """Apply changes of files to the site, so that the next questions are answered with them."""
        start = time.monotonic()
        changes = read_by_site(self.site, changes)
        if not changes:
            return
        self.stop_rendering()
        try:
            changed = sort_changes(self.site, changes)
            if changed.everything:
                before, self.site = self.site, self.make_site()
                before.close()
            else:
                if changed.sources:
                    reread_sources(self.site)
                if changed.pages:
                    names = forget_pages(self.site, changed.pages)
                    self.to_check = sorted({name.partition("/")[2] for name in names})
                self.reload_those_that_show(changed.others)
            self.problem = "\n".join(shared_errors(self.site.state))
        except (Exception, SystemExit) as error:  # whatever a plugin raises for settings or files
            self.problem = str(error) or type(error).__name__
        if self.problem:
            LOG.error(self.problem)
        LOG.info("%s changed (%.2f s)", ", ".join(sorted(Path(path).name for path in changes)),
                 time.monotonic() - start)
        self.pending = deque(self.site.by_distance(self.find_item(self.last)))

    def reload_those_that_show(self, files: frozenset[str]) -> None:
        """Have tabs reloaded whose pages show one of these files; a style or a script is shown by all."""
        everywhere = any(path.endswith((".css", ".js")) for path in files)
        for number, asked in [*self.open.items()] if files else []:
            item = self.find_item(asked.path)
            if everywhere or (item and self.site.shows_file(item, files)):
                self.reload_tab(number)

    def reload_tab(self, number: int) -> None:
        """Tell a tab that its page has changed."""
        del self.open[number]
        self.connection.send(Answer(number, 200, "text/plain", b"changed"))

    def stop_rendering(self) -> None:
        """End processes that know an earlier state of the files."""
        self.pages.close()
        self.ahead.close()
        self.rendering = set()

    def shutdown(self) -> None:
        """Stop rendering, write the cache and end the process that serves."""
        if not self.ended:
            self.ended = True
            self.stop_rendering()
            self.site.close()
            if self.process:
                self.process.terminate()
            self.web.server_close()
