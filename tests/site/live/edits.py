"""Random edits of a small tree, of every kind that a save can be."""

import subprocess
import sys
from pathlib import Path

from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.examples.snippet import Snippets

from tests.hang_limit import HANG
from tests.site.project import CONFIG, SNIPPET

GLOSSARY = """\
- term: batch size
  treatment: translate
  zh: 批次大小
- term: layer
  treatment: translate
  zh: 层
"""
SHOWN = '```python\n--8<-- "demo/add.py:shown"\n```\n'
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"><title>1</title></svg>\n'


def recorded(output, source="sha256:of before"):
    """The text of a file of evidence for the tree's snippet."""
    run = Run(Status.RAN, source, "2026-01-02", seconds=0.1, peak_memory_bytes=1,
              versions={"python": "3.11", "torch": "9.9"}, output=output)
    return dump_evidence(Evidence(Hardware("cpu", "Test CPU", 2, 1), {"demo/add.py": run}))


FIGURE = "`{evidence} demo/add > total as 0.0 thousand`"
TREE = {
    "mkdocs.yml": CONFIG,
    "snippets/demo/add.py": SNIPPET,
    "snippets/demo/table.txt": "one\n",
    "snippets/evidence/cpu-test.json": recorded("total: 3"),
    "snippets/comments.yml": '"Add the numbers.":\n  zh: 把数字相加。\n',
    "docs/glossary.yml": GLOSSARY,
    "docs/en/index.md": f"# Home {{#home}}\n\n[a](a.md#part) [b](more/b.md)\n\n{SHOWN}",
    "docs/en/a.md": "# Page a {#a}\n\n## Part {#part}\n\n![p](plot-en-light.svg) `x`\n\n"
                    '```text\n--8<-- "demo/table.txt"\n```\n',
    "docs/en/terms.md": "# Terms {#terms}\n\n<!-- hexapla: terms -->\n",
    "docs/en/ran.md": '# What ran {#ran}\n\n<div data-hexapla="what-ran-where"></div>\n',
    "docs/en/more/b.md": "# *Page* b {#b}\n\n[home](../index.md#home)\n",
    "docs/en/plot-en-light.svg": PICTURE,
    "docs/zh/index.md": f"# 首页 {{#home}}\n\n[甲](a.md#part)\n\n{SHOWN}",
    "docs/zh/a.md": f"# 页面甲的批次 {{#a}}\n\n## 部分 {{#part}}\n\n批次大小与层，{FIGURE}。\n",
}
WORDS = ("one", "two", "three", "four", "五", "six & seven", "`eight`", "[nine](a.md)")


class Editor:
    """Edits a tree below `root`; each method is a kind of edit and returns the paths that it touched."""

    def __init__(self, root, chosen):
        self.root = root
        self.chosen = chosen
        self.kinds = []

    def edit(self):
        """One edit, or several at once."""
        touched = []
        for _ in range(self.chosen.choice([1, 1, 1, 2, 3])):
            touched += getattr(self, self.kind())()
        return touched

    def kind(self):
        """A kind of edit by its method's name; each has come before one comes again."""
        if not self.kinds:
            self.kinds = [name for name in dir(self) if name.startswith("of_")]
            self.chosen.shuffle(self.kinds)
        return self.kinds.pop()

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return [path]

    def pages(self):
        return sorted(file.relative_to(self.root).as_posix() for file in self.root.glob("docs/*/**/*.md"))

    def word(self):
        return f"{self.chosen.choice(WORDS)} {self.chosen.randrange(1000)}"

    def of_text(self):
        path = self.chosen.choice(self.pages())
        return self.write(path, (self.root / path).read_text(encoding="utf-8") + f"\n{self.word()}\n")

    def of_title(self):
        path = self.chosen.choice(self.pages())
        lines = (self.root / path).read_text(encoding="utf-8").split("\n")
        at = next((number for number, line in enumerate(lines) if line.startswith("# ")), None)
        if at is None:
            return []
        lines[at] = f"# {self.word()} {{#{Path(path).stem}}}"
        return self.write(path, "\n".join(lines))

    def of_front_matter(self):
        path = self.chosen.choice(self.pages())
        text = (self.root / path).read_text(encoding="utf-8")
        body = text.split("---\n", 2)[-1] if text.startswith("---\n") else text
        head = self.chosen.choice(["", f"---\ntitle: T {self.chosen.randrange(99)}\n---\n", "---\nstatus: new\n---\n",
                                   "---\nsearch: {exclude: true}\n---\n"])
        return self.write(path, head + body)

    def of_new_page(self):
        language = self.chosen.choice(["en", "zh", "zh-Hant"])
        name = self.chosen.choice(["c", "d", "a", "more/b", "more/e"])
        if language != "en" and not (self.root / f"docs/en/{name}.md").exists():
            language = "en"
        return self.write(f"docs/{language}/{name}.md", f"# New {self.word()} {{#{name[-1]}}}\n\n[i](index.md)\n"
                          if "/" not in name else f"# New {self.word()} {{#{name[-1]}}}\n")

    def of_deletion(self):
        pages = [page for page in self.pages() if not page.startswith("docs/en/index")]
        if not pages:
            return self.of_new_page()
        path = self.chosen.choice(pages)
        (self.root / path).unlink()
        gone = [path]
        if path.startswith("docs/en/"):
            for other in ("zh", "zh-Hant"):
                translated = path.replace("/en/", f"/{other}/", 1)
                if (self.root / translated).exists():
                    (self.root / translated).unlink()
                    gone.append(translated)
        return gone

    def of_renaming(self):
        pages = [page for page in self.pages() if "/en/" in page and "index" not in page]
        if not pages:
            return self.of_new_page()
        path = self.chosen.choice(pages)
        new = f"docs/en/renamed{self.chosen.randrange(3)}.md"
        if (self.root / new).exists():
            return []
        (self.root / path).rename(self.root / new)
        return [path, new]

    def of_snippet(self):
        return self.write("snippets/demo/add.py", SNIPPET.replace("1 + 2", f"1 + {self.chosen.randrange(99)}"))

    def of_shown_text(self):
        return self.write("snippets/demo/table.txt", f"{self.word()}\n")

    def of_comments(self):
        return self.write("snippets/comments.yml", f'"Add the numbers.":\n  zh: 相加{self.chosen.randrange(99)}。\n')

    def of_glossary(self):
        rendering = self.chosen.choice(["批量大小", "批次大小", "批尺寸"])
        return self.write("docs/glossary.yml", GLOSSARY.replace("批次大小", rendering))

    def of_search_terms(self):
        return self.write("docs/search.yml", f"synonyms: {{en: [[home, house {self.chosen.randrange(9)}]]}}\n"
                                             f"sections: {{a: {{part: {{en: [piece {self.chosen.randrange(9)}]}}}}}}\n")

    def of_picture(self):
        path = self.root / "docs/en/plot-zh-light.svg"
        if path.exists():
            path.unlink()
            return ["docs/en/plot-zh-light.svg"]
        return self.write("docs/en/plot-zh-light.svg", PICTURE)

    def of_evidence(self):
        output = f"{self.word()}\ntotal: {self.chosen.randrange(10**6):,}"
        source = self.chosen.choice([self.source(), "sha256:of before"])
        return self.write("snippets/evidence/cpu-test.json", recorded(output, source))

    def of_figure(self):
        path = self.chosen.choice(self.pages())
        text = (self.root / path).read_text(encoding="utf-8")
        return self.write(path, text.replace(FIGURE, "3") if FIGURE in text else f"{text}\n\nIt is {FIGURE}.\n")

    def source(self):
        return Snippets(self.root / "snippets").hash("demo/add.py")

    def of_records(self):
        """What `hexapla sync` records: a page is as new as its source."""
        pages = [page for page in self.pages() if page.startswith("docs/zh/")]
        if not pages:
            return []
        command = [sys.executable, "-m", "hexapla", "sync", self.chosen.choice(pages), "--write"]
        subprocess.run(command, cwd=self.root, capture_output=True, check=False, timeout=HANG)
        return ["translations/zh"]

    def of_sentences(self):
        return self.write("translations/strings-zh.yml", f"output: 输出 {self.chosen.randrange(99)}\n")

    def of_settings(self):
        return self.write("mkdocs.yml", CONFIG.replace("Demo", f"Demo {self.chosen.randrange(99)}"))
