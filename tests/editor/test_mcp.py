"""A client of the Model Context Protocol translates a tree: by the SDK, over the standard streams of `hexapla mcp`."""

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.editor.conftest import CONFIG
from tests.site.project import write

mcp = pytest.importorskip("mcp", reason="the extra `agents` is not installed")
PARTS = range(1, 11)
FILES = {
    "mkdocs.yml": CONFIG + "nav: [page.md]\n",
    "docs/en/page.md": "".join(f"## Part {n} {{#part-{n}}}\n\nRun `step{n}` {n} times.\n\n" for n in PARTS),
    "docs/ja/index.md": "",
    "docs/glossary.yml": "- {term: step, ja: 手順}\n",
}


def japanese(section, times=0):
    """A translation of a part; `times` is another number than the source's."""
    n = section.removeprefix("part-")
    return f"## 第{n}部 {{#part-{n}}}\n\n`step{n}`を{times or n}回実行します。\n"


def translating(root, work):
    """What a client makes of a server that it starts over a tree."""
    async def run():
        path = os.pathsep.join(each for each in sys.path if each)
        command = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "hexapla", "mcp", "--root", str(root)], env={"PYTHONPATH": path})
        async with mcp.stdio_client(command) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()

            async def call(name, **arguments):
                answer = await session.call_tool(name, arguments)
                return answer.content[0].text if answer.is_error else answer.structured_content

            return await work(session, call)

    with ThreadPoolExecutor(1) as thread:  # a browser of other tests has a loop in this one
        return thread.submit(asyncio.run, run()).result()


@pytest.fixture
def root(tmp_path):
    """A tree whose page of ten sections has no Japanese."""
    return write(tmp_path, FILES)


def test_a_client_translates_ten_sections_from_end_to_end(root):
    async def work(session, call):
        tools = {each.name for each in (await session.list_tools()).tools}
        assert tools == {"status", "next_section_to_translate", "section_context", "submit_section"}
        done = []
        while (found := (await call("next_section_to_translate", language="ja", pages=["page"]))["section"]):
            assert found["source"] == f"## Part {len(done) + 1} {{#{found['section']}}}\n\n" \
                                      f"Run `step{len(done) + 1}` {len(done) + 1} times."
            place = {"page": "page", "language": "ja", "section": found["section"], "version": found["version"],
                     "by": "a client"}
            wrong = await call("submit_section", text=japanese(found["section"], 77), **place)
            assert not wrong["right"] and {each["rule"] for each in wrong["findings"]} == {"number-differs"}
            assert (await call("submit_section", text=japanese(found["section"]), **place))["right"]
            moved = await call("submit_section", text=japanese(found["section"]) + "もう一度。\n", **place)
            assert not moved["right"] and moved["text"] == japanese(found["section"]).rstrip()
            done.append(found["section"])
        return done, await call("status", pages=["page"])

    done, status = translating(root, work)
    assert done == [f"part-{n}" for n in PARTS]
    assert (status["ja"]["sections"]["draft"], status["ja"]["sections"]["missing"]) == (10, 0)
    page = (root / "docs/ja/page.md").read_text(encoding="utf-8")
    assert page == "\n".join(japanese(section) for section in done)
    records = (root / "translations/ja/page.txt").read_text(encoding="utf-8")
    assert records.count(" draft\n") == records.count("drafted by a client on ") == 10


def test_a_client_is_told_that_people_have_to_read_drafts_first(root):
    settings = yaml.safe_load(FILES["mkdocs.yml"])
    settings["plugins"][-1] = {"hexapla": {"drafts": {"unread": 1}}}
    write(root, {"mkdocs.yml": yaml.safe_dump(settings)})

    async def work(session, call):
        found = (await call("next_section_to_translate", language="ja", pages=["page"]))["section"]
        place = {"page": "page", "language": "ja", "section": found["section"], "version": found["version"], "by": "b"}
        assert (await call("submit_section", text=japanese(found["section"]), **place))["right"]
        return await call("next_section_to_translate", language="ja"), await call("status")

    following, status = translating(root, work)
    assert following["section"] is None and following["unread"] == status["ja"]["unread"]
    assert following["unread"][0].startswith("ja: 1 unread draft, and `drafts.unread` allows no more")


@pytest.mark.parametrize(("tool", "arguments", "why"), [
    ("section_context", {"page": "../../etc/passwd", "section": "x", "language": "ja"}, "is no page of this tree"),
    ("section_context", {"page": "page", "section": "none", "language": "ja"}, "is no section of the source"),
    ("next_section_to_translate", {"language": "ko"}, "is no language that is translated here"),
    ("submit_section", {"page": "../page", "section": "x", "language": "ja", "text": "x", "version": "v", "by": "b"},
     "there is no page '../page'"),
    ("submit_section", {"page": "page", "section": "x", "language": "ja", "text": 1, "version": "v", "by": "b"},
     "text"),
])
def test_what_the_tree_does_not_have_is_an_error_in_a_sentence(root, tool, arguments, why):
    async def work(session, call):
        return await call(tool, **arguments)

    assert why in translating(root, work)
    assert [file.name for file in Path(root, "docs/ja").iterdir()] == ["index.md"]
