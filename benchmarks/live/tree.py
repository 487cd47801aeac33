"""Documentation trees of any size, in any number of languages, for measuring builds.

    python -m benchmarks.live.tree FOLDER --pages 100 [--plain]

A page has headings, tabs, admonitions, tables, code out of snippets by section, and links to other pages and their
anchors. English, Chinese and Japanese are written, Traditional Chinese is derived; `--plain` writes it too, and uses
mkdocs-static-i18n and pymdownx.snippets alone. Six further languages (`--languages 10`) are written as well.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import yaml

SECTIONS = 15
PER_SECTION = 20  # pages of a section of the navigation
WRITTEN = {
    "en": ("page", "The gradient of a layer is the sum over its microbatches, so memory grows with the batch.",
           "Note", "Parameter", "Default"),
    "zh": ("页面", "一层的梯度是各个微批次之和，因此内存随批次大小增长，而激活值在反向传播之后释放。",
           "注意", "参数", "默认值"),
    "ja": ("ページ", "層の勾配はマイクロバッチの合計であり、メモリはバッチサイズとともに増える。",
           "注意", "パラメータ", "既定値"),
    "zh-Hant": ("頁面", "一層的梯度是各個微批次之和，因此記憶體隨批次大小增長，而激活值在反向傳播之後釋放。",
                "注意", "參數", "預設值"),
}
NAMES = {"en": "English", "zh": "简体中文", "ja": "日本語", "zh-Hant": "繁體中文"}
MORE = {
    "de": ("Seite", "Der Gradient einer Schicht ist die Summe über ihre Stapel, daher wächst der Speicher.",
           "Hinweis", "Einstellung", "Vorgabe"),
    "fr": ("fiche", "Le gradient d'une couche est la somme sur ses petits lots, donc la mémoire croît avec eux.",
           "Remarque", "Paramètre", "Valeur initiale"),
    "es": ("página", "El gradiente de una capa es la suma de sus lotes, así que la memoria crece.",
           "Nota", "Parámetro", "Valor inicial"),
    "it": ("pagina", "Il gradiente di uno strato è la somma sui suoi gruppi, perciò la memoria cresce con essi.",
           "Avviso", "Parametro", "Valore iniziale"),
    "pt": ("folha", "O gradiente de uma camada é a soma dos seus lotes pequenos, por isso a memória cresce com eles.",
           "Aviso", "Parâmetro", "Valor inicial"),
    "ru": ("страница", "Градиент слоя равен сумме по его малым пакетам, поэтому память растёт вместе с пакетом.",
           "Примечание", "Параметр", "Значение"),
}
FEATURES = ("navigation.footer", "content.code.copy")
EXTENSIONS = ["admonition", "attr_list", "md_in_html", "tables", {"toc": {"permalink": True}}, "pymdownx.details",
              "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.superfences",
              {"pymdownx.tabbed": {"alternate_style": True}}]


def snippet(number: int) -> str:
    """A module with sections to include."""
    parts = [
        f"# --8<-- [start:part{part}]\n# Scale by the number of steps.\ndef step_{part}(loss, steps={number}):\n"
        f"    return loss / steps + {part}\n# --8<-- [end:part{part}]\n\n"
        for part in range(SECTIONS)
    ]
    return "".join(parts) + "print(step_0(1.0))\n"


def page(number: int, pages: int, language: str) -> str:
    """The Markdown of a page."""
    word, sentence, note, parameter, default = (WRITTEN | MORE).get(language, WRITTEN["en"])
    chosen = random.Random(number)
    out = [f"# {word.capitalize()} {number} {{#page-{number}}}\n"]
    for part in range(SECTIONS):
        other = chosen.randrange(pages)
        out.append(f"""
## {word.capitalize()} {number}.{part} {{#part-{part}}}

{sentence} `steps={number}` [{word} {other}](page{other}.md#part-{part}). {sentence}

```python
--8<-- "demo/snippet{number % 50}.py:part{part}"
```

!!! note "{note}"
    {sentence} **{number}.{part}**

=== "PyTorch"

    {sentence}

    - `a{part}`: {sentence}
    - `b{part}`: {chosen.randrange(1000)} MB

=== "JAX"

    {sentence}

| {parameter} | {default} |
|---|---|
""")
        out += [f"| `option_{row}` | {chosen.randrange(10_000)} |\n" for row in range(5)]
    return "".join(out)


def navigation(pages: int) -> list[object]:
    """Sections of `PER_SECTION` pages."""
    items: list[object] = ["index.md"]
    for first in range(0, pages - 1, PER_SECTION):
        items.append({f"Section {first // PER_SECTION}": [
            f"page{number}.md" for number in range(first, min(first + PER_SECTION, pages - 1))
        ]})
    return items


def write(
    root: Path, pages: int, languages: int = 4, plain: bool = False, features: Sequence[str] = FEATURES
) -> None:
    """The tree below `root`, which is made: `pages` pages in each language, and the theme's features."""
    codes = [*WRITTEN, *MORE][:languages]
    written = [code for code in codes if plain or code != "zh-Hant"]
    for code in written:
        folder = root / "docs" / code
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.md").write_text(f"# {NAMES.get(code, code)} {{#home}}\n\n[1](page0.md)\n", encoding="utf-8")
        for number in range(pages - 1):
            (folder / f"page{number}.md").write_text(page(number, pages - 1, code), encoding="utf-8")
    folder = root / "snippets/demo"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(50):
        (folder / f"snippet{number}.py").write_text(snippet(number), encoding="utf-8")
    i18n = {"docs_structure": "folder", "fallback_to_default": True, "reconfigure_search": False, "languages": [
        {"locale": code, "name": NAMES.get(code, code), "default": code == "en"} for code in codes
    ]}
    plugins: list[object] = ["search", {"i18n": i18n}]
    extensions: list[object] = list(EXTENSIONS)
    if plain:
        base = {"base_path": str(root / "snippets"), "check_paths": True, "dedent_subsections": True}
        extensions.append({"pymdownx.snippets": base})
    else:
        plugins.append({"hexapla": {"snippets": "snippets", "derived": {"zh-Hant": "zh"}, "hardware": {"cpu": "CPU"}}})
    settings = {
        "site_name": "Measured", "site_url": "https://measured.example/", "docs_dir": "docs",
        "theme": {"name": "material", "font": False, "features": [*features]},
        "plugins": plugins, "markdown_extensions": extensions, "nav": navigation(pages),
    }
    (root / "mkdocs.yml").write_text(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False), encoding="utf-8")


def main() -> None:
    """Write one tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--languages", type=int, default=4)
    parser.add_argument("--plain", action="store_true")
    chosen = parser.parse_args()
    write(chosen.folder, chosen.pages, chosen.languages, chosen.plain)


if __name__ == "__main__":
    main()
