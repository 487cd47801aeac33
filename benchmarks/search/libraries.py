"""How well-kept search libraries answer what readers type: `python -m benchmarks.search.libraries --site DIR`.

Needs Node.js and `npm install minisearch@7.2.0 flexsearch@0.8.212 @orama/orama@3.1.18 lunr@2.3.9`. Each library gets
the words that Hexapla's index has (stems, pairs of characters, things by their names), of a query too, and the same
weights for fields; what it ranks by is its own.

- success@1, success@3: as in benchmarks/search/readers.py
- kB: the whole index, compressed, which these libraries load before the first answer
- ms: of the processor for a query, in Node.js
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hexapla.glossary import parse
from hexapla.site.search.search_page_words import SearchLanguage, WordReader
from hexapla.site.search.search_sections import SearchEntry, SearchSection, make_entry
from hexapla.site.search.search_terms import FILE, read_terms
from hexapla.site.search.search_words import fold_text, index_words, split_atoms, stem_word, stop_words

from benchmarks.search.engines import sources
from benchmarks.search.readers import HALVES, LANGUAGES, rates, reader_queries

_DOCS = Path(__file__).parents[2] / "docs"
CONTEXT = 0.4  # what a word of most queries counts, as in search-worker.js; two of the libraries weigh no words


class Words:
    """The words of texts and queries in a language: of a text as one string with spaces, of a query with weights."""

    def __init__(self, language: SearchLanguage) -> None:
        reader = WordReader(language)
        self.characters, self.phrases = reader.characters, reader.phrases
        self.stop = self._keys(stop_words(language.code))
        self.context = self._keys(language.terms.context_words(language.code))
        self.longest = max(key.count(" ") + 1 for key in (*self.phrases, *self.stop, *self.context))

    def row(self, language: SearchLanguage, page: SearchEntry, section: SearchSection) -> dict[str, str]:
        """The fields of a section."""
        return {
            "heading": self.text(section.heading or page.title), "strong": self.text(section.strong),
            "text": self.text(section.text),
            "names": self.text("\n".join((section.anchor, *language.names(page, section)))),
        }

    def text(self, text: str) -> str:
        """The words of a text, and the things that it names."""
        folded = fold_text(text, self.characters)
        found = [stem_word(word) for word in index_words(folded)]
        for line in folded.split("\n"):
            cut = split_atoms(line)
            for at in range(len(cut)):
                for length in range(1, self.longest + 1):
                    found += [f"thing{n}" for n in self.phrases.get(" ".join(cut[at:at + length]), ())]
        return " ".join(found)

    def query(self, text: str) -> list[tuple[str, float]]:
        """The words of a query: its things, longest names first, and of what is left what says something."""
        cut, found, left, at = split_atoms(fold_text(text, self.characters)), [], [], 0
        while at < len(cut):
            for length in range(self.longest, 0, -1):
                key = " ".join(cut[at:at + length])
                if key in self.phrases or key in self.stop or key in self.context:
                    weight = CONTEXT if key in self.context else 1.0
                    found += [(f"thing{n}", weight) for n in self.phrases.get(key, ())]
                    if key in self.context and key not in self.phrases:
                        found += [(stem_word(word), weight) for word in index_words(_text(cut[at:at + length]))]
                    left.append(" ")
                    at += length
                    break
            else:
                left.append(cut[at])
                at += 1
        return found + [(stem_word(word), 1.0) for word in index_words(_text(left))]

    def _keys(self, names: Iterable[str]) -> set[str]:
        return {" ".join(split_atoms(fold_text(name, self.characters))) for name in names} - {""}


def _text(cut: Iterable[str]) -> str:
    return "".join(each if each >= "\u0e00" else f" {each} " for each in cut)


def main() -> None:
    """Reads the arguments, prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.libraries", description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--modules", type=Path, default=Path("node_modules"), help="where npm put the libraries")
    parser.add_argument("--half", choices=HALVES, default="all")
    arguments = parser.parse_args()
    prefixes = {language: "" if language == LANGUAGES[0] else f"{language}/" for language in LANGUAGES}
    pages = sources(arguments.site, prefixes)
    terms, glossary = read_terms(_DOCS / FILE), parse((_DOCS / "glossary.yml").read_text("utf-8"))
    print(f"queries: {arguments.half}\n\n{'library':12} {'language':8} success@1 success@3     kB    ms")
    for language, prefix in prefixes.items():
        entries = [
            make_entry(p.path, p.title, p.html, p.path[len(prefix):].rstrip("/") or "index")
            for p in pages if p.language == language
        ]
        known = SearchLanguage(language, terms, glossary)
        words = Words(known)
        sections = [(page, each) for page in entries for each in page.sections]
        rows = [{"row": row, **words.row(known, page, each)} for row, (page, each) in enumerate(sections)]
        asked = reader_queries(language, arguments.half)
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({
                "rows": rows, "queries": [words.query(query.text) for query in asked],
                "addresses": [f"{page.name}#{each.anchor}".rstrip("#") for page, each in sections],
            }, file)
            file.flush()
            script = Path(__file__).with_suffix(".mjs")
            command = ["node", str(script), str(arguments.modules.resolve()), file.name]
            ran = subprocess.run(command, check=True, capture_output=True, text=True)
        for name, answer in json.loads(ran.stdout).items():
            one, three, *_ = rates(list(zip(asked, answer["found"], strict=True)))
            print(f"{name:12} {language:8} {one:9.2f} {three:9.2f} {answer['gzip'] / 1e3:6.0f} {answer['ms']:5.1f}")


if __name__ == "__main__":
    main()
