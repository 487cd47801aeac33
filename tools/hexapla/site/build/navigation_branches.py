"""Renders each branch of the navigation once for all pages that show it alike.

The theme renders all of it for every page, so that the time it takes grows with the square of the pages. A branch
without the page that is shown differs between two pages in its relative addresses alone, and those are the same for
pages of one folder. FIGURES
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, TemplateNotFound
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.theme import Theme

ITEM = "partials/nav-item.html"  # of Material and MaterialX: its macro `render` makes an item with all below it
KEPT = 20_000  # branches at most, for sites with as many folders


def render_branches_once(env: Environment, theme: Theme) -> None:
    """Have the theme's template of the navigation's items remember what it made; a project's own is left as it is."""
    try:
        template = env.get_template(ITEM)
    except TemplateNotFound:
        return
    if theme.custom_dir and Path(str(template.filename)).is_relative_to(theme.custom_dir):
        return
    make, branches, folders = template.make_module, dict[object, str](), dict[Navigation, set[str]]()

    def make_module(given: Mapping[str, Any], *others: Any) -> object:
        """The template's macros for a page."""
        module: Any = make(given, *others)
        page, nav = given.get("page"), given["nav"]
        if page is not None:
            if nav not in folders:
                folders[nav] = list_folders(nav)
            module.render = branch_renderer(module.render, (nav, address_base(page, folders[nav])), branches)
        return module

    vars(template)["make_module"] = make_module


def branch_renderer(render: Callable[..., str], place: object, branches: dict[object, str]) -> Callable[..., str]:
    """The macro of the theme for a page of a place, which looks among branches first."""
    def render_branch(item: Any, path: str, level: int) -> str:
        if item.active:
            return render(item, path, level)
        key = place, path
        if key not in branches:
            if len(branches) >= KEPT:
                branches.clear()
            branches[key] = render(item, path, level)
        return branches[key]

    return render_branch


def list_folders(nav: Navigation) -> set[str]:
    """The folders of the site that hold pages of a navigation, and those above."""
    return {"/".join(parts[:depth]) for parts in (page.url.rstrip("/").split("/") for page in nav.pages)
            for depth in range(len(parts))}


def address_base(page: Page, folders: set[str]) -> str:
    """What relative addresses on a page depend on: the folder above its own, unless others lie in its own."""
    own = page.url.rstrip("/").removeprefix(".")
    return f"{own}/" if own in folders else own.rpartition("/")[0]
