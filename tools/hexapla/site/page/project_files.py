"""The files of a project's site in a language as its folders say, for an engine that tells no plugin of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import dirname

from hexapla.site.sources import SiteSources


@dataclass(frozen=True)
class ProjectFile:
    """A file of a project's docs, or of one of its pages in a language: the text may be written in another one."""

    src_uri: str
    url: str
    path: Path
    locale: str = ""
    norm_src_uri: str = ""
    alternates: Mapping[str, "ProjectFile"] = field(default_factory=dict, repr=False)

    @property
    def abs_src_path(self) -> str | None:
        return str(self.path)

    @property
    def content_bytes(self) -> bytes:
        return self.path.read_bytes()

    @property
    def content_string(self) -> str:
        return self.content_bytes.decode("utf-8-sig")

    def is_documentation_page(self) -> bool:
        return bool(self.locale)


class ProjectFiles:
    """The files of a project's site in a language, as its folders say."""

    def __init__(self, sources: SiteSources, reader: str, directory_urls: bool) -> None:
        self.src_uris: dict[str, ProjectFile] = {}
        docs, source = sources.project.docs, sources.project.source.code
        for name in sorted({name for _, name in sources.pages}):
            alternates: dict[str, ProjectFile] = {}
            for language in sources.project.languages:
                own = "" if language.code == source else f"{language.code}/"
                written = language.code if language.code in sources.available(name) else source
                path, url = f"{written}/{name}", own + make_page_url(name, directory_urls) or "./"
                alternates[language.code] = ProjectFile(path, url, docs / path, written, name, alternates)
            shown = alternates.get(reader, alternates[source])
            self.src_uris[shown.src_uri] = shown
        for file in sorted(docs.rglob("*")):
            path = file.relative_to(docs).as_posix()
            if file.suffix != ".md" and file.is_file():
                self.src_uris[path] = ProjectFile(path, path, file)

    def __iter__(self) -> Iterator[ProjectFile]:
        return iter(self.src_uris.values())

    def media_files(self) -> Iterable[ProjectFile]:
        """The files that are no pages."""
        return [file for file in self if not file.is_documentation_page()]


def make_page_url(name: str, directory_urls: bool) -> str:
    """The address of a page below its language's root, as MkDocs and Zensical give it.

    >>> make_page_url("a/index.md", True), make_page_url("a/b.md", True), make_page_url("index.md", False)
    ('a/', 'a/b/', 'index.html')
    """
    folder, stem = dirname(name), name.removesuffix(".md")
    if name.rpartition("/")[2] in {"index.md", "README.md"}:
        return (f"{folder}/" if folder else "") + ("" if directory_urls else "index.html")
    return f"{stem}/" if directory_urls else f"{stem}.html"
