"""Redirects of pages in the forms that hosts and engines read: Netlify, Cloudflare, nginx, Zensical.

A server never sees what follows `#`, so a page whose sections went to several places is none of a host's rows: the page
that a build leaves at the old address sends each section on. What is no part of an address is escaped: a name in the
settings of a tree becomes no directive of a host.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

PATH = "/&=%+,;@~!'()"  # what stands in a path as it is, beside letters and digits
ADDRESS = f"{PATH}:?#*"  # and in an address
UNNAMEABLE = re.compile(r'["\\$;\0-\x1f\x7f]')  # in the location of a server: it is compared with what is not escaped


class MovedPage(NamedTuple):
    """A page's addresses on the site, from its first slash, and its paths below the folder of pages; `new` may have an
    id. `sections` says that some of its sections went elsewhere than the page.
    """

    old: str
    new: str
    old_path: str
    new_path: str
    sections: Mapping[str, str] = {}


def as_lines(moved: Sequence[MovedPage]) -> str:
    """The rows of `_redirects`, which Netlify and Cloudflare read.

    >>> as_lines([MovedPage("/old/", "/new/#id", "old.md", "new.md#id")])
    '/old/ /new/#id 301\\n'
    """
    return "".join(f"{quote(each.old, PATH)} {quote(each.new, ADDRESS)} 301\n" for each in moved)


def as_locations(moved: Sequence[MovedPage]) -> str:
    """The locations of a `server` of nginx; the query is kept.

    >>> as_locations([MovedPage("/old/", "/new/#id", "old.md", "new.md#id")])
    'location = "/old/" { return 301 "/new/$is_args$args#id"; }\\n'
    """
    def row(each: MovedPage) -> str:
        if UNNAMEABLE.search(each.old):
            return f"# {quote(each.old, PATH)}: no location is written for such a name; redirect it by hand\n"
        path, mark, section = quote(each.new, ADDRESS.replace(";", "")).partition("#")
        return f'location = "{each.old}" {{ return 301 "{path}$is_args$args{mark}{section}"; }}\n'

    return "".join(map(row, moved))


def as_settings(moved: Sequence[MovedPage]) -> str:
    """The plugin `redirects` of a mkdocs.yml, as Zensical (0.0.61 and newer) reads it, sections included.

    >>> print(as_settings([MovedPage("/old/", "/new/", "old.md", "new.md", {"old.md#a": "b.md#a"})]), end="")
    plugins:
      - redirects:
          redirect_maps:
            "old.md": "new.md"
            "old.md#a": "b.md#a"
    """
    rows = [row for each in moved for row in ((each.old_path, each.new_path), *each.sections.items())]
    def text(path: str) -> str:
        return json.dumps(path, ensure_ascii=False)

    lines = "".join(f"        {text(old)}: {text(new)}\n" for old, new in rows if new)
    return f"plugins:\n  - redirects:\n      redirect_maps:\n{lines}"


HOSTS: Mapping[str, Callable[[Sequence[MovedPage]], str]] = {
    "netlify": as_lines, "cloudflare": as_lines, "nginx": as_locations, "zensical": as_settings,
}


def redirect_map(host: str, moved: Sequence[MovedPage]) -> str:
    """The text for a host, with a comment for each page that it cannot redirect."""
    if HOSTS[host] is as_settings:
        return as_settings(moved)
    whole = [each for each in moved if not each.sections and each.new]
    left = "".join(f"# {quote(each.old, PATH)}: its sections went to several places, and no server sees the part after "
                   "#; the page at that address sends them on\n" for each in moved if each.sections)
    return HOSTS[host](whole) + left
