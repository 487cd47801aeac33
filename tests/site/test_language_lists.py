"""The lists of files of a language are mkdocs-static-i18n's own, and take time linear in languages."""

from contextlib import nullcontext

import mkdocs_static_i18n.folder
import pytest
from hexapla.site import language_site
from hexapla.site.upstream import i18n_files
from mkdocs.config import load_config

from tests.cache.test_law import lay

FALLBACK = ("true", "false")
CODES = ("en", "zh", "ja", "de", "fr", "ko")
# A page that all have, one that the default language has alone, one that it lacks, and files that are no pages.
TREE = {
    **{f"docs/{code}/all.md": f"# {code} {{#all}}\n" for code in CODES}, "docs/en/alone.md": "# A {#a}\n",
    "docs/zh/own.md": "# O {#o}\n", "docs/ja/own.md": "# O {#o}\n", "docs/de/more/b.md": "# B {#b}\n",
    "docs/en/more/b.md": "# B {#b}\n", "docs/en/README.md": "# Home {#h}\n", "docs/en/p.png": "x",
    "docs/zh/p.png": "y", "docs/fr/q.png": "z", "docs/top.txt": "t", "docs/xx/other.md": "# X {#x}\n",
    "docs/top.md": "# T {#t}\n", "docs/ko/top.md": "# T {#t}\n",
}


def config_of(root, codes, fallback="true"):
    """The configuration of a tree in some languages."""
    lay(root, TREE)
    default = {"en": ", default: true"}
    rows = "".join(f"        - {{locale: {code}, name: {code}{default.get(code, '')}}}\n" for code in codes)
    (root / "mkdocs.yml").write_text(
        "site_name: x\ntheme: material\nplugins:\n  - i18n:\n      docs_structure: folder\n"
        f"      fallback_to_default: {fallback}\n      languages:\n{rows}  - hexapla\n", encoding="utf-8")
    config = load_config(str(root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    return config


def facts(file):
    """What a File of the i18n plugin says of itself."""
    return (file.src_uri, file.dest_uri, file.url, file.abs_dest_path, str(file.inclusion),
            *(getattr(file, name, None) for name in ("locale", "localization", "norm_src_uri", "locale_alternate_of")))


def listed(root, fallback):
    """All files of all languages, with their alternates."""
    sites = language_site.make_language_sites(config_of(root, CODES, fallback), serving=True)
    return [
        (site.language, facts(file), {code: facts(each) for code, each in getattr(file, "alternates", {}).items()})
        for site in sites for file in site.files
    ]


@pytest.mark.parametrize("fallback", FALLBACK)
def test_files_and_alternates_are_those_of_the_i18n_plugin(fallback, tmp_path, monkeypatch):
    ours = listed(tmp_path, fallback)
    monkeypatch.setattr(language_site, "files_made_once", nullcontext)
    assert ours == listed(tmp_path, fallback)
    assert any(len(alternates) == len(CODES) for _, _, alternates in ours)


def test_files_are_made_in_proportion_to_languages(tmp_path, monkeypatch):
    made, create = [], mkdocs_static_i18n.folder.create_i18n_file

    def counted(file, *rest):
        made.append(file.src_uri)
        return create(file, *rest)

    def count(codes):
        made.clear()
        language_site.make_language_sites(config_of(tmp_path, codes), serving=True)
        return sum(uri.endswith("/all.md") for uri in made)

    monkeypatch.setattr(mkdocs_static_i18n.folder, "create_i18n_file", counted)
    monkeypatch.setattr(i18n_files, "create_file", counted)
    three, six = count(CODES[:3]), count(CODES)
    assert three < six < 2.5 * three  # with the square of languages it is more than three times as many
