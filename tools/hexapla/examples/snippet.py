"""The snippets of a project: their paths and texts, and the hash of the code that a run is recorded for."""

import ast
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hexapla.config.project import Project
from hexapla.examples.evidence import source_hash
from hexapla.examples.page_blocks import PageBlock, read_blocks, source_pages
from hexapla.files import OutsideError, included_file, read_text

SHARED = Path("_shared")  # the folder of the helpers that several folders use


@dataclass(slots=True)
class Snippets:
    """The folder of snippets; each file is read, parsed and hashed once.

    Pages may include files of `included` too, which nobody runs; `blocks` are the programs that stand in pages.
    """

    root: Path
    included: tuple[Path, ...] = ()
    blocks: Mapping[str, PageBlock] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _beside: dict[str, Path] = field(default_factory=dict)
    _modules: dict[str, frozenset[str]] = field(default_factory=dict)
    _helpers: dict[str, frozenset[str]] = field(default_factory=dict)
    _hashes: dict[str, str] = field(default_factory=dict)

    def read(self, path: str) -> str:
        """The text of an included file. Raises OutsideError, FileNotFoundError, UnicodeDecodeError."""
        if path in self.blocks:
            return self.blocks[path].code
        if path not in self._texts:
            file = self.file(path)
            self._texts[path] = read_text(file.parent, file)
            if not file.is_relative_to(self.root.resolve()):
                self._beside[path] = file
        return self._texts[path]

    def is_current(self) -> bool:
        """Whether what was read of the included folders, which may be the whole tree, stands there as it was."""
        return all(file.is_file() and read_text(file.parent, file, "replace") == self._texts[path]
                   for path, file in self._beside.items())

    def file(self, path: str) -> Path:
        """The file that pages include by a path. Raises OutsideError, FileNotFoundError."""
        return included_file((self.root, *self.included), path)

    def name(self, path: str) -> str:
        """The path of what pages include: a snippet's below its folder, also where they give it from another one."""
        if not self.included:
            return path
        try:
            file = self.file(path)
        except (OSError, OutsideError):
            return path
        folder = self.root.resolve()
        return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else path

    def read_in(self, path: str, language: str) -> str:
        """The text for readers of `language`: `table.zh.md` if it is beside `table.md`. Raises as `read` does."""
        own = Path(path).with_suffix(f".{language}{Path(path).suffix}").as_posix()
        return self.read(own if (self.root / own).is_file() else path)

    def names(self) -> Iterator[str]:
        """Every technique's snippet, `area/technique.py`, in order; names with a leading underscore are helpers."""
        for file in sorted(self.root.glob("*/*.py")):
            if not file.name.startswith("_"):
                yield file.relative_to(self.root).as_posix()

    def programs(self) -> Iterator[str]:
        """All that is run: every technique's snippet, then what stands in pages."""
        yield from self.names()
        yield from sorted(self.blocks)

    @contextmanager
    def program_file(self, path: str) -> Iterator[Path]:
        """The file to run: a snippet's own, for a block one that is there as long as it runs."""
        if path not in self.blocks:
            yield self.root / path
            return
        with tempfile.TemporaryDirectory(prefix="hexapla-block-") as folder:
            file = Path(folder).resolve() / f"{self.blocks[path].attributes['run']}.py"
            file.write_text(self.blocks[path].code, encoding="utf-8")
            yield file

    def run_by(self, path: str) -> str:
        """The snippet whose run covers this file: the file itself, for a helper the first snippet that uses it."""
        if not Path(path).name.startswith("_") or path in self.blocks:
            return path
        return next((name for name in self.names() if path in self.list_helpers(name)), path)

    def modules(self, path: str) -> frozenset[str]:
        """The name of every module that a snippet imports: `torch.amp`."""
        if path not in self._modules:
            self._modules[path] = frozenset(imported_modules(self.read(path)))
        return self._modules[path]

    def hash(self, path: str) -> str:
        """The hash of a snippet and of all helpers that it imports, or of a block and its attributes but `alt`."""
        if path in self.blocks:
            block = self.blocks[path]
            given = {name: value for name, value in block.attributes.items() if name != "alt"}
            return source_hash(block.code.encode(), repr(sorted(given.items())).encode())
        if path not in self._hashes:
            helpers = sorted(self.list_helpers(path))
            self._hashes[path] = source_hash(*(self.read(name).encode() for name in (path, *helpers)))
        return self._hashes[path]

    def packages(self, path: str) -> set[str]:
        """What a snippet and its helpers import that is neither Python's nor a file beside them."""
        own = {path, *self.list_helpers(path)}
        names = {first_part(name) for each in own for name in self.modules(each)}
        return names - sys.stdlib_module_names - {Path(each).stem for each in own}

    def files(self, path: str) -> set[str]:
        """The files that a snippet needs: itself, helpers, data that it names or with its name; a block needs none."""
        if path in self.blocks:
            return set()
        folder, stem, source = Path(path).parent, Path(path).stem, self.read(path)
        data = (file.name for file in (self.root / folder).iterdir() if file.is_file() and file.suffix != ".py")
        named = {(folder / name).as_posix() for name in data if name.startswith(stem) or name in source}
        return {path} | self.list_helpers(path) | named

    def list_helpers(self, path: str) -> frozenset[str]:
        """The files below the folder of snippets that a snippet imports, and that they import."""
        if path not in self._helpers:
            found: set[str] = set()
            waiting = [] if path in self.blocks else [path]
            while waiting:
                names = {name for module in self.modules(waiting.pop()) for name in self.module_files(module, path)}
                new = {name for name in names - found - {path} if (self.root / name).is_file()}
                found |= new
                waiting += new
            self._helpers[path] = frozenset(found)
        return self._helpers[path]

    def module_files(self, module: str, path: str) -> list[str]:
        """Where the module of a name may be: beside a snippet and in the shared folder, a dotted one at its path."""
        if "." in module:
            return [f"{module.removeprefix(f'{self.root.name}.').replace('.', '/')}.py"]
        return [(folder / f"{module}.py").as_posix() for folder in (Path(path).parent, SHARED)]


def open_snippets(project: Project) -> Snippets:
    """The snippets of a project, and the programs of its pages where it has them run."""
    own = project.docs / project.source.code
    folder = own if own.is_dir() else project.docs  # of a site in one language
    pages = source_pages(folder, project.root) if project.run_blocks else ()
    return Snippets(project.snippets, project.included, read_blocks(pages))


def first_part(module: str) -> str:
    """The package that a module is of.

    >>> first_part("torch.amp")
    'torch'
    """
    return module.partition(".")[0]


def imported_modules(source: str) -> set[str]:
    """The name of every module that a source imports; none if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names
