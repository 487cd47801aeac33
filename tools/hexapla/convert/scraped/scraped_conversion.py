"""Read a scraped page, its parallel page and what is beside them, and write the page restored."""

from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from hexapla import files
from hexapla.convert.scraped.restored_page import RestoredPage, restore
from hexapla.convert.scraped.site_words import NO_WORDS, SiteWords, read_names, site_words
from hexapla.convert.source_tree import read_text
from hexapla.errors import ConfigError

MOST_CELLS = 6_000_000  # pairs of lines that are looked at


class RestoreOptions(NamedTuple):
    """What to restore: the text at `source` beside the page `parallel`, to become the page `target`."""

    source: Path
    target: Path
    parallel: Path


def restore_page(options: RestoreOptions) -> RestoredPage:
    """A scraped page in the form of its parallel page. Raises ConfigError."""
    check_free(options.target)
    for file in (options.source, options.parallel):
        if not file.is_file():
            raise ConfigError(f"{file}: is no file; with --beside name a text and the page that it is a translation of")
    scraped, parallel = (read_text(file).replace("\r\n", "\n") for file in (options.source, options.parallel))
    if not scraped.strip():
        raise ConfigError(f"{options.source}: holds no text; save what the browser shows")
    if scraped.count("\n") * parallel.count("\n") > MOST_CELLS:
        raise ConfigError(f"{options.source}: is too long to be compared; take away what is not the page")
    return restore(scraped, parallel, str(options.parallel), str(options.target), neighbouring_words(options))


def write_restored(options: RestoreOptions, page: RestoredPage) -> None:
    check_free(options.target)
    files.write(options.target, page.text.encode())


def check_free(target: Path) -> None:
    """See that a page can be written to a file. Raises ConfigError."""
    if target.exists():
        raise ConfigError(f"{target}: is there already; name a file that does not exist yet")


def neighbouring_words(options: RestoreOptions) -> SiteWords:
    """The words of the other pages of the language, where both pages have one place in the folders of two languages."""
    parallel, target = options.parallel.resolve().parts, options.target.resolve().parts
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(parallel[::-1], target[::-1], strict=False))))
    roots = [Path(*parts[: len(parts) - same]) for parts in (parallel, target)]
    if not same or roots[0].parent != roots[1].parent or roots[0] == roots[1] or not roots[1].is_dir():
        return NO_WORDS
    names = [
        read_names({file.relative_to(root).as_posix(): files.read_text(root, file, errors="replace")
                    for file in files.pages_under(root) if files.is_own_file(root, file)}) for root in roots]
    return site_words("/".join(parallel[len(parallel) - same :]), *names)
