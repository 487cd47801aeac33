"""A real Chromium, one a worker, and its tabs; the order of files; what is loaded, spared from garbage collection."""

import gc
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

SNIPPETS = Path(__file__).parent / "snippets"

# Python looks for garbage after each 700 new objects, which takes a sixth of the time of tests that make many.
gc.set_threshold(20_000, 20, 50)

# What a test names and is not there is told at once, and not asked for at the Hub again and again.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

# The files that take longest, which a run on several processes begins with: else it ends with all waiting for one.
LONGEST = (
    "growth/test_growth.py", "site/test_fit.py", "site/live/test_law.py", "site/test_browser.py", "site/test_reader.py",
    "site/test_builder.py", "site/test_versions.py", "site/test_page_furniture.py", "mojibake/test_ray_data.py",
    "site/test_search_browser.py", "site/test_models.py", "site/test_redirects.py",
    "site/live/test_serve.py", "hostile/test_links.py", "hostile/test_run.py", "site/test_stage.py",
    "site/test_two_clicks.py", "site/test_fit_time.py", "house/test_cli.py", "house/test_lint.py",
    "plots/test_plots.py", "editor/test_section_judge.py", "upgrades/test_upgrades.py",
)

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]


def pytest_pycollect_makemodule(module_path):
    """Before the first module that is not of snippets: their tests have no laws, and need not wait for Hypothesis."""
    if not module_path.is_relative_to(SNIPPETS):
        leave_laws_untimed()


def pytest_collection_finish(session):
    """Hypothesis' plugin imports it for the summary, a tenth of the time of one snippet's tests."""
    plugins = session.config.pluginmanager
    if "hypothesis" not in sys.modules and plugins.has_plugin("hypothesispytest"):
        plugins.unregister(name="hypothesispytest")


@cache
def leave_laws_untimed():
    """No test is timed: on a busy machine a text takes long to draw, and a first example imports what it needs."""
    from hypothesis import HealthCheck, settings

    settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("untimed")


def pytest_collection_modifyitems(items):
    """Put the longest files first; the order of the others is that of their names."""
    rank = {f"tests/{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))


@pytest.fixture(scope="session", autouse=True)
def own_state():
    """Keep the key of the installation that is tested apart from the user's."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        yield
        del os.environ["XDG_STATE_HOME"]


@pytest.fixture(scope="module", autouse=True)
def modules_spared_from_collection():
    """Take what is loaded out of Python's full collections: they took half of the time of the tests that train."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser():
    """Chromium from the system's packages."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine: install it from the system's packages")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def spare_tabs():
    """Tabs that a test is done with: a page costs a third of the CPU time in them that it does in a new one."""
    return []


@contextmanager
def tabs_without_strangers(browser, spare_tabs):
    """Give what opens an empty tab that may ask nothing of another address, else the end of it fails.

    A test that leaves more behind than storage, cookies and permissions asks for a tab of its own, and so does one
    with options of a context: open_tab(url, own=True, java_script_enabled=False). So does one whose page may load
    itself again at any moment: what empties a tab would meet it between two pages.
    """
    given, strangers = [], []

    def opened(address, width=1280, height=900, color_scheme="light", own=False, **options):
        def note(request):
            if not request.url.startswith((address, "data:", "blob:")):
                strangers.append(request.url)

        own = own or bool(options)
        tab = spare_tabs.pop() if spare_tabs and not own else browser.new_context(**options).new_page()
        tab.context.on("request", note)
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme=color_scheme)
        given.append((tab, note, own))
        return tab

    yield opened
    for tab, note, own in given:
        if own:
            tab.context.close()
            continue
        tab.context.remove_listener("request", note)
        empty(tab)
        spare_tabs.append(tab)
    assert not strangers


@pytest.fixture
def open_tab(browser, spare_tabs):
    """What opens tabs for one test."""
    with tabs_without_strangers(browser, spare_tabs) as opened:
        yield opened


@pytest.fixture(scope="module")
def open_tab_for_all(browser, spare_tabs):
    """What opens tabs for all tests of a module, which leave their pages as they were."""
    with tabs_without_strangers(browser, spare_tabs) as opened:
        yield opened


def empty(tab):
    """Take out of a tab what its pages have stored, and the page itself."""
    tab.evaluate("location.protocol.startsWith('http') && [localStorage, sessionStorage].forEach(each => each.clear())")
    tab.context.clear_cookies()
    tab.context.clear_permissions()
    tab.goto("about:blank")
    tab.mouse.move(0, 0)
