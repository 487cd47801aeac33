"""The house's plan as a test: who may import whom, no circles, the size of a module, one name for one thing."""

import ast
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tools" / "hexapla"
GROUND = {"errors", "files", "file_digests", "git", "cache", "installation", "languages", "cldr", "glossary",
          "processes", "report_text", "sequences", "text_language", "yaml_text"}
ROOMS = {
    "errors": set(),
    "files": {"errors"},
    "file_digests": {"cache", "files"},
    "git": set(),
    "sequences": set(),
    "installation": {"files", "git"},
    "cache": {"files", "installation"},
    "languages": set(),
    "cldr": {"languages"},
    "glossary": {"cache", "errors", "yaml_text"},
    "processes": set(),
    "report_text": set(),
    "text_language": {"languages", "yaml_text"},
    "yaml_text": set(),
    "hanzi": {"languages"},
    "mojibake": {"cache", "errors", "files", "installation", "languages", "processes", "report_text"},
    "pages": {"cache", "errors", "files", "languages", "yaml_text"},
    "frameworks": {"errors", "files", "languages", "yaml_text"},
    "config": GROUND | {"frameworks", "pages"},
    "checks": GROUND | {"config", "frameworks", "examples", "hanzi", "mojibake", "pages"},
    "translation": GROUND | {"config", "pages"},
    "reports": GROUND | {"checks", "pages"},
    "convert": {"cldr", "config", "errors", "files", "frameworks", "languages", "pages", "yaml_text"},
    "examples": GROUND | {"config", "pages"},
    "drafts": GROUND | {"config", "pages", "translation"},
    "review": GROUND | {"checks", "pages", "translation"},
    "section_judge": GROUND | {"checks", "pages", "translation"},
    "section_writer": GROUND | {"checks", "pages", "section_judge", "translation"},
    "editor": GROUND | {"config", "pages", "checks", "section_writer", "section_judge", "translation"},
    "agents": GROUND | {"checks", "pages", "section_writer", "translation"},
    "setup": GROUND | {"config", "frameworks", "pages", "translation"},
    "opened_tree": GROUND | {"config", "examples", "translation"},
    "markdown": {"site"},
    "api": GROUND | {"checks", "config", "mojibake", "opened_tree", "pages", "translation"},
}
ONLY = {"mkdocs": {"site"}, "material": {"site"}, "opencc": {"hanzi"}, "babel": set(), "torch": {"examples"},
        "transformers": {"drafts"}, "mcp": {"agents"}, "argparse": {"cli"}, "PIL": {"site"}}
# Where `Any` stands in the site: why. What a build knows is typed; these are others' objects, and data as written.
UNTYPED = {
    "hexapla.site.build.highlighting_cache": "pymdownx has no types",
    "hexapla.site.build.navigation_branches": "what the macros of a template are called with",
    "hexapla.site.build.page_cache": "rows of the cache, as JSON gives them back",
    "hexapla.site.page.page_renderer": "MkDocs' type of an entry of a table of contents is private",
    "hexapla.site.page.project_page": "an engine's configuration, as its author wrote it",
    "hexapla.site.search.search_sections": "a page's front matter, as its author wrote it",
    "hexapla.site.search.search_terms": "a YAML file, whose shape is what the function looks at",
    "hexapla.site.upstream.i18n_contract": "mkdocs-static-i18n has no types, and the contract looks at what it has",
    "hexapla.site.upstream.i18n_files": "mkdocs-static-i18n has no types, and gives files attributes of its own",
}
# MkDocs' objects that are changed in a way that it has no method for.
VARS = {
    "hexapla.site.page.page_renderer: vars(page)",
    "hexapla.site.upstream.i18n_contract: vars(serve_command)",
}
LONGEST = 500  # lines of a module; tables of data are exempt
TABLES = set()
# Imports inside a function, by module: why each may wait. Elsewhere laziness is at one boundary, the commands' table.
LATE = {
    "hexapla.checks.engine.dependency_states": {"hexapla.examples.figures": "a page that is as it was asks for none"},
    "hexapla.checks.engine.page_store": {"hexapla.pages.reader": "lxml: 20 ms; a tree that is as it was reads none"},
    "hexapla.checks.engine.tree_check": {"hexapla.checks.engine.pool": "15 ms; few pages need no processes"},
    "hexapla.cli.check": {"hexapla.checks.built_site": "selectolax: 20 ms; for --site alone"},
    "hexapla.cli.review": {"hexapla.drafts.endpoint": "the extra `translate`; for --endpoint alone",
                           "hexapla.drafts.meaning_judge": "the same"},
    "hexapla.pages.dialects": {"hexapla.pages.commonmark": "markdown_it: 40 ms; a tree that is as it was renders none",
                               "hexapla.pages.python_markdown": "Python-Markdown: 40 ms; the same"},
    "hexapla.processes": {"multiprocessing": "15 ms; who counts cores starts none", "threading": "the same",
                          "multiprocessing.connection": "the same"},
    "hexapla.checks.rules.evidence": {"hexapla.checks.rules.recorded_runs": "runs that are as they were need it not"},
    "hexapla.checks.engine.other_packages": {"importlib.metadata": "70 ms; only who enables a package needs it"},
    "hexapla.files": {"fcntl": "Windows has none"},
    "hexapla.frameworks.catalogs": {"polib": "the extra `translate`"},
    "hexapla.config.source_copy": {"fcntl": "Windows has none"},
    "hexapla.examples.sandbox": {"fcntl": "Windows has none, and checks there read evidence"},
    "hexapla.examples.fork_server": {"pytest": "an environment without tests of snippets has none",
                                     "resource": "Windows has none, and checks there read evidence"},
    "hexapla.cli.terminal": {"rich.console": "50 ms; for work on a terminal alone", "rich.progress": "the same"},
    "hexapla.mojibake": {"hexapla.mojibake.repairer": "clean pages, nearly all, need no repair"},
    "hexapla.mojibake.model.models": {"hexapla.mojibake.model.model_store": "numpy: the extra `repair`"},
    "hexapla.mojibake.diagnose.chain_diagnosis": {"hexapla.mojibake.decode.decoder": "numpy: the extra `repair`"},
    "hexapla.mojibake.filling": {"hexapla.mojibake.decode.decoder": "numpy: the extra `repair`"},
    "hexapla.mojibake.repairer": {
        "hexapla.mojibake.decode.decoder": "numpy: the extra `repair`",
        "hexapla.mojibake.decode.inserted_marks": "the same",
    },
    "hexapla.mojibake.model.wordlists": {"wordfreq": "the extra `repair`"},
    "hexapla.examples.ray_pool": {"ray": "the extra `ray`"},
    "hexapla.translation.tracking": {"hexapla.translation.status.status_html": "Jinja: 50 ms; for --format html alone"},
    "hexapla.drafts.local_model": {"transformers": "the extra `snippets`"},
    "hexapla.cli.section_commands": {"hexapla.agents.mcp_server": "the extra `agents`"},
}


@cache
def modules():
    """Each module's file, with its room."""
    return [(file, file.relative_to(PACKAGE).with_suffix("").parts[0]) for file in sorted(PACKAGE.rglob("*.py"))]


@cache
def nodes(file):
    """All nodes of a module, from the top down."""
    return list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


@cache
def imports(file):
    """Full names of everything that a module imports, at the top or inside a function."""
    found = []
    for node in nodes(file):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def name_of(file):
    """The dotted name of a module's file."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_a_room_imports_only_what_it_stands_on():
    upward = {}
    for file, room in modules():
        rooms = {name.split(".")[1] for name in imports(file) if name.startswith("hexapla.")} - {room, "__version__"}
        above = set() if room == "__main__" else rooms & {"cli"}
        if room not in {"site", "cli", "__init__", "__main__"}:
            above |= rooms - ROOMS[room]
        if above:
            upward[name_of(file)] = above
    assert not upward


def test_a_package_is_imported_where_it_belongs():
    assert not [
        f"{name_of(file)} imports {name}" for file, room in modules() for name in imports(file)
        if room not in ONLY.get(name.split(".")[0], {room})
    ]


@cache
def arrows_between_modules():
    """For each module those that it imports."""
    files = {name_of(file): file for file, _ in modules()}
    arrows = defaultdict(set)
    for name, file in files.items():
        for full in imports(file):
            target = full if full in files else full.rpartition(".")[0]
            if target in files and target != name:
                arrows[name].add(target)
    return arrows


def test_no_module_imports_itself_by_way_of_others():
    assert_no_circle(arrows_between_modules())


FOLDERS = sorted(folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file())


@pytest.mark.parametrize("room", FOLDERS)
def test_no_folder_of_a_room_imports_itself_by_way_of_others(room):
    """A module that stands in the room itself, beside its folders, counts as one."""
    arrows = defaultdict(set)
    for name, targets in arrows_between_modules().items():
        inside = [folder_in(room, each) for each in (name, *targets)]
        if inside[0]:
            arrows[inside[0]] |= {each for each in inside[1:] if each} - {inside[0]}
    assert_no_circle(arrows)


def folder_in(room, name):
    """The folder of a room, or the module beside its folders, that a module is or is in; empty for one elsewhere."""
    parts = name.split(".")
    return ".".join(parts[:3]) if parts[1:2] == [room] and len(parts) > 2 else ""


def assert_no_circle(arrows):
    done, path = set(), []

    def follow(name):
        assert name not in path, " -> ".join([*path[path.index(name):], name])
        if name not in done:
            path.append(name)
            for target in sorted(arrows.get(name, ())):
                follow(target)
            done.add(path.pop())

    for name in sorted(arrows):
        follow(name)


def test_a_module_is_no_longer_than_one_sitting_reads():
    lines = {name_of(file): len(file.read_text(encoding="utf-8").splitlines()) for file, _ in modules()}
    assert not {name: count for name, count in lines.items() if count > LONGEST and name not in TABLES}


def test_a_class_name_stands_for_one_class():
    places = defaultdict(list)
    for file, _ in modules():
        for node in nodes(file)[0].body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name_of(file))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def imported_late(file):
    """What functions of a module import."""
    for function in nodes(file):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.module


def test_imports_stand_at_the_top_but_for_a_short_list():
    late = {(name_of(file), name) for file, _ in modules() for name in imported_late(file)}
    assert not late - {(module, name) for module, reasons in LATE.items() for name in reasons}


def test_only_the_command_prints_or_exits():
    assert not [
        f"{file}:{node.lineno}" for file, room in modules() if room != "cli" for node in nodes(file)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"print", "exit"}
    ]


def test_any_stands_in_the_site_for_a_short_list_of_reasons():
    found = {
        name_of(file) for file, room in modules() if room == "site" for node in nodes(file)
        if isinstance(node, ast.Name) and node.id == "Any"
    }
    assert found == UNTYPED.keys()


def test_no_object_of_the_site_is_read_or_changed_by_vars_of_a_name():
    """`vars(events).update(before)` rolled a build back; what a build knows is a record."""
    calls = {
        f"{name_of(file)}: {ast.unparse(node)}"
        for file, room in modules() if room == "site" for node in nodes(file)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    }
    assert calls == VARS


def test_help_imports_nothing_heavy():
    code = "import sys, hexapla.cli; hexapla.cli.make_parser(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"yaml", "mkdocs", "torch", "numpy", "opencc", "markdown", "rich"} & set(loaded)
