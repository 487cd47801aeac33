"""Record what the page "Translating" shows: `python -m benchmarks.translating`.

A small project is translated by the commands themselves in a folder of its own. What they print goes to
snippets/tools/translating_*.txt, and pictures of the editor in Chromium to docs/assets/.
"""

import os
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = """\
site_name: Demo
plugins:
  - i18n:
      docs_structure: folder
      languages:
        - {locale: en, name: English, default: true}
        - {locale: zh, name: 简体中文}
        - {locale: ja, name: 日本語}
  - hexapla: {}
markdown_extensions: [attr_list, admonition, pymdownx.superfences, toc]
"""
ENGLISH = """\
# Batches {#batches}

A batch size of 32 fits into 8 GB.

## Accumulation {#accumulation}

See [the table](#table) before you set `gradient_accumulation_steps`.

## Table {#table}

Gradients need as much memory as the weights.
"""
CHINESE = """\
# 批次 {#batches}

批次大小为 32 时，8 GB 就够了。

## 累积 {#accumulation}

设置 `gradient_accumulation_steps` 之前，请先看[表格](#table)。

## 表格 {#table}

梯度占用的内存与权重相同。
"""
JAPANESE = """\
# バッチ {#batches}

バッチサイズ32なら8 GBに収まります。

## 蓄積 {#accumulation}

`gradient_accumulation_steps`を設定する前に[表](#table)を見てください。
"""
PAGES = {
    "mkdocs.yml": CONFIG,
    "docs/en/batches.md": ENGLISH,
    "docs/zh/batches.md": CHINESE,
    "docs/ja/batches.md": JAPANESE,
    "docs/glossary.yml": "- {term: batch size, zh: 批次大小, ja: バッチサイズ}\n",
    ".gitignore": ".hexapla/\n",
}
EDIT = ("before you set", "before and after you set")
TYPED = {  # what a translator puts into the PO file
    "Table": "表",
    "Gradients need as much memory as the weights.": "勾配は重みと同じだけのメモリを使います。",
}
DATE = "2026-01-02T03:04:05Z"
IDENTITY = ("-c", "user.name=Writer", "-c", "user.email=writer@hexapla.example")


def lay(root: Path) -> None:
    """The project, committed; then the English of one section changes."""
    for name, text in PAGES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    git(root, "init", "-q")
    told(root, "sync docs/zh docs/ja --write")
    commit(root, "Translations")
    page = root / "docs/en/batches.md"
    page.write_text(ENGLISH.replace(*EDIT), "utf-8")
    commit(root, "After it too")


def git(root: Path, *arguments: str) -> None:
    """Run git."""
    dated = {**os.environ, "GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}  # commits have the same names every day
    subprocess.run(["git", "-C", root, *IDENTITY, *arguments], check=True, capture_output=True, env=dated)


def commit(root: Path, message: str) -> None:
    """Commit all there is."""
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)


def told(root: Path, arguments: str) -> str:
    """A command and what it printed."""
    variables = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
    command = [sys.executable, "-m", "hexapla", *arguments.split()]
    done = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, check=False)
    return f"$ hexapla {arguments}\n{done.stdout}{done.stderr}"


def runs(root: Path) -> dict[str, str]:
    """What the page shows, by name, from the project as `lay` leaves it."""
    made = {
        "status": told(root, "status"),
        "diff": told(root, "diff batches --language zh"),
        "github": told(root, "status --since HEAD~1 --format github"),
        "export": told(root, "export batches --language ja --format po --output work"),
    }
    catalog = next((root / "work").rglob("*.po"))
    text = catalog.read_text("utf-8")
    for source, target in TYPED.items():
        text = text.replace(f'msgid "{source}"\nmsgstr ""', f'msgid "{source}"\nmsgstr "{target}"')
    catalog.write_text(text, "utf-8")
    made["import"] = told(root, "import work --write")
    made["sync"] = told(root, "sync docs/zh/batches.md#accumulation --write")
    made["add"] = told(root, "add-language ko")
    return made


def pictures(root: Path, folder: Path) -> None:
    """The editor as it opens, and with what changed, a finding and the preview, in light and dark."""
    from playwright.sync_api import sync_playwright

    from benchmarks.editor import serving

    with serving(root) as editor, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for scheme in ("light", "dark"):
            tab = browser.new_page(viewport={"width": 900, "height": 600}, device_scale_factor=2, color_scheme=scheme)
            tab.goto(editor.url)
            tab.wait_for_selector("#rows:not([aria-busy])")
            tab.get_by_text("to do)").first.wait_for(state="attached")
            save_picture(tab.screenshot(), folder / f"editor-{scheme}.png")
            box = tab.get_by_role("textbox", name="Accumulation, zh", exact=True)
            box.click()
            box.press("Alt+c")
            tab.locator(".changed ins").first.wait_for()
            box.press("Control+End")
            box.press_sequentially(" 见[这里](none.md)。")
            tab.locator(".findings .error").first.wait_for()
            box.press("Alt+p")
            tab.locator("iframe").wait_for()
            tab.set_viewport_size({"width": 900, "height": 720})
            box.evaluate("each => scrollBy(0, each.getBoundingClientRect().top - 90)")  # below the editor's bar
            tab.wait_for_timeout(500)
            save_picture(tab.screenshot(), folder / f"editor-changed-{scheme}.png")
            tab.close()
        browser.close()


def save_picture(screenshot: bytes, file: Path, colours: int = 64) -> None:
    """Write a picture in few colours; 64 take a third of its bytes."""
    from PIL import Image

    Image.open(BytesIO(screenshot)).convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(file, optimize=True)


def main() -> None:
    """Lay the project, run, write down."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        lay(root)
        pictures(root, ROOT / "docs" / "assets")
        for name, text in runs(root).items():
            (ROOT / "snippets" / "tools" / f"translating_{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
