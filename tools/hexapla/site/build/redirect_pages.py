"""Pages at the old addresses of pages that moved, by the plugin's `redirect_maps`: the browser follows them.

    plugins:
      - hexapla:
          redirect_maps:
            old.md: new.md              # every section by its id
            old.md#speed: fast.md#speed # but this one, which went elsewhere

The paths are those below a language's folder, so a row holds for all languages. A static host needs no more than these
files. Their script keeps the query and the id; without scripts the browser goes to the page.
"""

from collections.abc import Iterator, Mapping
from posixpath import relpath

from mkdocs.structure.files import File, Files

from hexapla.checks.rules.address_ledger import Moved, redirect_maps
from hexapla.site.page.part_templates import render_part
from hexapla.site.state import BuildState


def redirect_files(state: BuildState) -> Iterator[tuple[str, str]]:
    """The path in the site and the HTML of each page that only leads on; one whose page is still there is left out."""
    maps = redirect_maps(state.settings)
    for language, inputs in state.inputs.items() if maps else ():
        for old in sorted({key.partition("#")[0] for key in maps}):
            if f"{language}/{old}" not in inputs.files.src_uris:
                yield from redirect_page(old, maps, inputs.files, (language, state.source))


def redirect_page(
    old: str, maps: Mapping[str, Moved], files: Files, languages: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """The page at one old address in a language; none where the new page is in neither language."""
    def address_of(moved: Moved) -> tuple[str, str]:
        """The address of a place from the site's root, and its page's title."""
        for language in languages:
            if file := files.src_uris.get(f"{language}/{moved.path}"):
                title = str(file.page.title if file.page else moved.path)
                return file.url + (f"#{moved.id}" if moved.id else ""), title
        return "", ""

    rows = {key: address_of(moved) for key, moved in maps.items() if key.partition("#")[0] == old}
    target, title = rows.get(old) or next(iter(rows.values()))
    if not target:
        return
    new = maps.get(old) or next(moved for key, moved in maps.items() if key in rows)
    # As MkDocs makes the addresses of a language's pages, whether they are folders or files.
    own = File(new.path, "", "", use_directory_urls=not target.partition("#")[0].endswith(".html"))
    folder = target.partition("#")[0].removesuffix(own.url if own.url != "./" else "")
    place = folder + File(old, "", "", use_directory_urls=own.use_directory_urls).dest_uri

    def from_here(address: str) -> str:
        path, mark, section = address.partition("#")
        found = relpath(path or ".", place.rpartition("/")[0] or ".")
        return found + ("/" if path.endswith("/") or not path else "") + mark + section

    sections = {
        key.partition("#")[2]: from_here(address) for key, (address, _) in rows.items() if "#" in key and address
    }
    yield place, render_part("redirect.html", languages[0], title=title, address=from_here(target), sections=sections)
