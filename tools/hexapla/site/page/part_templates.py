"""Parts of pages, and pages of their own, that are made of templates: those of `theme/parts/`."""

from functools import partial

from jinja2 import Environment, PackageLoader

from hexapla.site.texts.strings import say_sentence

TEMPLATES = Environment(loader=PackageLoader("hexapla.site", "theme/parts"), autoescape=True, auto_reload=False)


def render_part(name: str, language: str, **values: object) -> str:
    """The HTML of a part for readers of a language, whose sentences it says; `values` are escaped."""
    return TEMPLATES.get_template(name).render(say=partial(say_sentence, language), language=language, **values)
