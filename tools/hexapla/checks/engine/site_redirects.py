"""The redirects of a MkDocs project as addresses of its site, in every language."""

from posixpath import normpath
from urllib.parse import urlsplit

from hexapla.checks.rules.address_ledger import Moved, redirect_maps
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.layout import index_pages
from hexapla.config.mkdocs_yaml import site_settings
from hexapla.frameworks.redirect_forms import MovedPage


def moved_pages(options: TreeOptions) -> list[MovedPage]:
    """The pages that moved, by the `redirect_maps` of the settings, in every language. Raises ConfigError."""
    layout = find_layout(options)
    settings = site_settings(layout.root)
    maps, pages = redirect_maps(settings), index_pages(layout)[layout.source]
    rows: dict[str, dict[str, Moved]] = {}  # of each page: where its sections went
    for key, moved in maps.items():
        page, mark, section = key.partition("#")
        rows.setdefault(page, {}).update({section: moved} if mark else {})
    docs = f"{normpath(str(settings.get('docs_dir') or 'docs'))}/".removeprefix("./")
    site = urlsplit(str(settings.get("site_url") or "/")).path.rstrip("/") + "/"
    flat = settings.get("use_directory_urls") is False
    found = []
    for code in (layout.source, *layout.languages):
        def written(name: str, code: str = code) -> str:
            path = layout.folder(code) + name.removesuffix(".md") + layout.suffix(code)
            return name if "://" in name else path.removeprefix(docs)

        prefix = site if code == layout.source else f"{site}{code}/"
        for old in sorted(rows):
            new = None if old.removesuffix(".md") in pages else maps.get(old)
            sections = {f"{written(old)}#{section}": with_section(written(moved.path), moved.id)
                        for section, moved in rows[old].items()}
            address = new.path if new and "://" in new.path else prefix + site_path(new.path, flat) if new else ""
            found.append(MovedPage(
                prefix + site_path(old, flat), with_section(address, new.id) if new else "",
                written(old), with_section(written(new.path), new.id) if new else "", sections))
    return found


def site_path(path: str, flat: bool) -> str:
    """The path at which MkDocs serves a page.

    >>> site_path("a/b.md", False), site_path("a/index.md", False), site_path("a/b.md", True)
    ('a/b/', 'a/', 'a/b.html')
    """
    folder, mark, name = path.removesuffix(".md").rpartition("/")
    front = name in ("index", "README")
    if flat:
        return f"{folder}{mark}{'index' if front else name}.html"
    return folder + mark + ("" if front else f"{name}/")


def with_section(place: str, section: str) -> str:
    """An address with the id of a section, or as it is."""
    return f"{place}#{section}" if section else place
