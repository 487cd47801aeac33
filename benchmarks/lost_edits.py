"""What kills, people's saves and commands beside each other lose: 0 is to reach.

    python -m benchmarks.lost_edits [--pairs 200] [--seed 1] [--no-moments]

Each command runs on a small tree in a process of its own. It is killed at every call that changes the tree, and run
again: the tree is then as if nothing had happened. A person saves the page that it writes at every moment at which it
touches the tree: what was saved is there in the end. Of two commands at once, those that say they lost are run again:
the tree is then as after the two one after the other.

The one moment that is left out is the call that puts a new file in a page's place, right after the page was compared:
no system compares and replaces at once what is not locked, as people's editors do not.
"""

import argparse
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from hexapla.cli import main as hexapla

KILLED = 99
CHANGING = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ASIDE = {".git", ".hexapla", "work"}  # no pages and no records
SAVED = "\n人の言葉。\n".encode()
TREE = ("--layout", "docs/{lang}/{page}.md", "--anchors", "pymdownx")
SECTION = "## {0} {{#{1}}}\n\n{2}\n"
BEFORE = {
    "docs/en/page.md": "# Page {#page}\n\nIt begins.\n\n" + SECTION.format("First", "first", "A word of five.")
    + "\n" + SECTION.format("Second", "second", "More."),
    "docs/ja/page.md": "# ページ {#page}\n\n始まり。\n\n" + SECTION.format("第一", "first", "5つの言葉。")
    + "\n" + SECTION.format("第二", "second", "続き。"),
    "docs/en/text.md": "# Text {#text}\n\nIt begins.\n\n" + SECTION.format("Last", "last", "The end."),
    "docs/ja/text.md": "# 文 {#text}\n\n始まり。\n\n" + SECTION.format("最後の節", "last", "終わり。"),
    "docs/en/other.md": "# Other {#other}\n\nElse.\n", "docs/ja/other.md": "# ほか {#other}\n\nほかの話。\n",
    "docs/en/late.md": "# Late {#late}\n\nIt was so.\n", "docs/ja/late.md": "# 遅い {#late}\n\nそうだった。\n",
    "docs/en/ids.md": "# Ids {#ids}\n\nNames.\n", "docs/ja/ids.md": "# 名前 {#ids}\n\n名前の話。\n",
}
AFTER = {
    "docs/en/page.md": BEFORE["docs/en/page.md"].replace(SECTION.format("First", "first", "A word of five."), ""),
    "docs/en/other.md": BEFORE["docs/en/other.md"] + "\n" + SECTION.format("First", "first", "A word of five."),
    "docs/en/late.md": "# Late {#late}\n\nIt is so.\n",
    "docs/ja/ids.md": "# 名前\n\n名前の話。\n",
    "docs/ja/garbled.md": "日本語の文書は、ここから始まります。".encode().decode("latin-1") + "\n",
}
ENDINGS = {
    "mkdocs.yml": "site_name: Kit\ntheme: material\nplugins:\n- search\n- i18n:\n    languages: [{locale: en, name: "
    "English, default: true}, {locale: ja, name: 日本語}]\n",
    "docs/index.md": "# Home {#home}\n", "docs/index.ja.md": "# ホーム {#home}\n", "docs/a/b.md": "# B {#b}\n",
    "docs/a/b.ja.md": "# 乙 {#b}\n", "docs/a/x.txt": "x",
}
ONE_LANGUAGE = {"mkdocs.yml": "site_name: Kit\n", "docs/index.md": "# Home {#home}\n", "docs/a/b.md": "# B {#b}\n"}


class Command(NamedTuple):
    """What is run on a tree, and the page that it writes."""

    arguments: tuple[str, ...]
    page: str
    tree: str = "translated"


COMMANDS = {
    "import": Command(("import", "work/first", "--write", *TREE), "docs/ja/text.md"),
    "import of another section": Command(("import", "work/second", "--write", *TREE), "docs/ja/text.md"),
    "fix": Command(("check", "docs/ja/ids.md", "--fix", "--write", *TREE), "docs/ja/ids.md"),
    "sync": Command(("sync", "docs/ja/late.md", "--reviewed", "--write", *TREE), "translations/ja/late.txt"),
    "moves": Command(("sync", "docs/ja/other.md", "docs/ja/page.md", "--moves", "--write", *TREE), "docs/ja/page.md"),
    "repair": Command(("repair", "docs/ja/garbled.md", "--write"), "docs/ja/garbled.md"),
    "init of endings": Command(("init", "--languages", "ja", "--write"), "mkdocs.yml", "endings"),
    "init of one language": Command(("init", "--languages", "ja", "--write"), "mkdocs.yml", "one language"),
}
TOGETHER = ("import", "import of another section", "fix", "sync", "moves")


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below `root`."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def lay(root: Path) -> None:
    """Write the trees that the commands are run on, each in its folder."""
    write(root / "endings", ENDINGS)
    write(root / "one language", ONE_LANGUAGE)
    tree = root / "translated"
    write(tree, BEFORE)
    run(tree, ("sync", "docs/en", "--reviewed", "--write", *TREE))
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=tree, check=True)
    for name, old, new in (("first", "始まり", "最初"), ("second", "終わり", "最後")):
        run(tree, ("export", "text", "--format", "po", "--output", f"work/{name}", *TREE))
        file = tree / f"work/{name}/ja/text.po"
        write(tree, {f"work/{name}/ja/text.po": file.read_text(encoding="utf-8").replace(old, new)})
    write(tree, AFTER)


def contents(root: Path) -> dict[str, bytes]:
    """The files of a tree by path; what a kill left of a new file that was not put in place yet is nobody's."""
    found = {file.relative_to(root): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}
    return {path.as_posix(): data for path, data in found.items()
            if path.parts[0] not in ASIDE and not (path.name.startswith(".") and path.name != ".gitignore")}


def run(root: Path, arguments: tuple[str, ...], act: Callable[[str, list[str]], None] | None = None) -> int:
    """The exit status of a command in a process of its own; `act` is told each event that touches the tree before it.
    """
    return ended(start(root, arguments, act))


def start(root: Path, arguments: tuple[str, ...], act: Callable[[str, list[str]], None] | None = None) -> int:
    """Start a command; the number of its process."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    try:
        os.chdir(root)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        if act:
            sys.addaudithook(listener(str(root.resolve()), act))
        os._exit(hexapla([*arguments]))
    finally:
        os._exit(98)


def ended(process: int) -> int:
    """The exit status of a process, once it has ended."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def listener(root: str, act: Callable[[str, list[str]], None]) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that tells `act` what is done to files of a tree: the event, "write" for an open file, and paths.
    """
    busy: list[bool] = []

    def hook(event: str, given: tuple[object, ...]) -> None:
        if busy or (event != "open" and event not in CHANGING):
            return
        flags = given[2] if event == "open" else 0
        named = given[:2] if event in {"os.rename", "os.link"} else given[:1]
        known = [os.fsdecode(path) for path in named if isinstance(path, str | bytes | os.PathLike)]
        paths = [str(Path(path).absolute()) for path in known]
        below = [os.path.relpath(path, root) for path in paths if path.startswith(root)]
        if below and not any(path.partition("/")[0] in ASIDE for path in below):
            busy.append(True)
            act("write" if isinstance(flags, int) and flags & WRITING else event, below)
            busy.clear()

    return hook


def killer(number: int) -> Callable[[str, list[str]], None]:
    """What ends a process before its n-th call that changes the tree."""
    count = iter(range(1, number + 1))

    def act(event: str, _: list[str]) -> None:
        if event != "open" and next(count, 0) == number:
            os._exit(KILLED)

    return act


def saver(root: Path, page: str, number: int) -> Callable[[str, list[str]], None]:
    """A person who saves a page at the n-th moment at which a command touches the tree, and says so by a file."""
    count, text = iter(range(1, number + 1)), (root / page).read_bytes() + SAVED

    def act(event: str, paths: list[str]) -> None:
        if event in {"os.rename", "os.remove"} and paths[-1] == page:
            return
        if next(count, 0) == number:
            (root / page).write_bytes(text)
            (root / "work/saved").touch()

    return act


class Trees:
    """Fresh trees for every run, and how a command leaves its own where nothing comes between."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.known: dict[tuple[str, ...], dict[str, bytes]] = {}
        lay(folder / "clean")
        for command in COMMANDS.values():  # here, so that no process has to import what it needs
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), chdir(self.fresh(command.tree)):
                hexapla([*command.arguments])

    def fresh(self, kind: str) -> Path:
        """A new tree of a kind."""
        self.count += 1
        shutil.copytree(self.folder / "clean" / kind, root := self.folder / f"kit{self.count}" / "kit", symlinks=True)
        return root

    def after(self, *names: str) -> dict[str, bytes]:
        """The files after commands one after the other."""
        if names not in self.known:
            root = self.fresh(COMMANDS[names[0]].tree)
            for name in names:
                run(root, COMMANDS[name].arguments)
            self.known[names] = contents(root)
        return self.known[names]

    def killed(self, name: str, number: int) -> dict[str, bytes] | None:
        """The files after a command that was killed at its n-th change and run again, None where it has fewer."""
        command = COMMANDS[name]
        root = self.fresh(command.tree)
        if run(root, command.arguments, killer(number)) != KILLED:
            return None
        run(root, command.arguments)
        return contents(root)

    def saved(self, name: str, number: int) -> bytes | None:
        """The page after a command in which a person saved it at the n-th moment, None where it has fewer."""
        command = COMMANDS[name]
        root = self.fresh(command.tree)
        (root / "work").mkdir(exist_ok=True)
        run(root, command.arguments, saver(root, command.page, number))
        return (root / command.page).read_bytes() if (root / "work/saved").exists() else None

    def together(self, one: str, other: str) -> tuple[bool, int]:
        """Whether two commands at once leave what they do one after the other, and how many said that they lost.

        Those are run again.
        """
        names = (one, other)
        root = self.fresh(COMMANDS[one].tree)
        processes = [start(root, COMMANDS[name].arguments) for name in names]
        statuses = [ended(process) for process in processes]
        for name, status in zip(names, statuses, strict=True):
            if status:
                run(root, COMMANDS[name].arguments)
        return contents(root) in [self.after(*order) for order in (names, names[::-1])], sum(map(bool, statuses))


def every(step: Callable[[int], object]) -> Iterator[object]:
    """What a step gives for 1, 2, 3 and so on, until it is None."""
    number = 1
    while (found := step(number)) is not None:
        yield found
        number += 1


def main() -> None:
    """Run all and print what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moments", action=argparse.BooleanOptionalAction, default=True, help="kills and saves too")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trees = Trees(Path(folder))
        for name in COMMANDS if chosen.moments else ():
            whole = trees.after(name)
            kills = [found == whole for found in every(lambda number, name=name: trees.killed(name, number))]
            saves = [SAVED in found for found in every(lambda number, name=name: trees.saved(name, number))]
            print(f"{name}: {len(kills)} kills, {kills.count(False)} not recovered; "
                  f"{len(saves)} saves, {saves.count(False)} lost", flush=True)
        drawn = random.Random(chosen.seed)
        pairs = [drawn.choices(TOGETHER, k=2) for _ in range(chosen.pairs)]
        found = [trees.together(*pair) for pair in pairs]
        lost = [pair for pair, (kept, _) in zip(pairs, found, strict=True) if not kept]
        print(f"{len(pairs)} pairs at once; {sum(told for _, told in found)} commands said that they lost and were run "
              f"again; {len(lost)} pairs lost something {lost or ''}".rstrip())


if __name__ == "__main__":
    main()
