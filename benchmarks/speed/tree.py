"""A large tree: the guide many times over, each page with a line of its own, so that no two have one content."""

import shutil
from pathlib import Path

SHARED = ("mkdocs.yml", "snippets", "docs/glossary.yml")


def make_tree(guide: Path, root: Path, copies: int) -> int:
    """Lay `copies` of the guide's pages below `root`; how many pages that makes."""
    count = 0
    for language in sorted(path.name for path in (guide / "docs").iterdir() if (path / "index.md").is_file()):
        pages = sorted((guide / "docs" / language).rglob("*.md"))
        for number in range(copies):
            for page in pages:
                copy = root / "docs" / language / f"copy{number}" / page.relative_to(guide / "docs" / language)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(f"{page.read_text(encoding='utf-8')}\n{number}\n", encoding="utf-8")
                count += 1
    for name in SHARED:
        if (guide / name).is_dir():
            shutil.copytree(guide / name, root / name)
        else:
            shutil.copy(guide / name, root / name)
    return count
