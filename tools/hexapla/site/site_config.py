"""What a build adds to the configuration of MkDocs."""

from mkdocs.config.defaults import MkDocsConfig

from hexapla.pages import inline_markup
from hexapla.site import kept_highlighting
from hexapla.site.theme_contract import OWN


def extend(config: MkDocsConfig) -> None:
    """Add Hexapla's templates, styles and scripts, and the shortcuts in rendering where they hold."""
    config.theme.dirs.insert(0, str(OWN))
    config.extra_css.insert(0, "assets/hexapla/hexapla.css")
    config.extra_javascript += ["assets/hexapla/hexapla.js", "assets/hexapla/beside.js"]
    if inline_markup.OTHER_MARKUP.isdisjoint(config.markdown_extensions):
        config.markdown_extensions.append(inline_markup.__name__)
    config.markdown_extensions.append(kept_highlighting.__name__)
