"""Examples that the help of each command ends with: a command line, and what it does."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "init": (
        ("hexapla init --languages ja", "what is here, and what would be written"),
        ("hexapla init --languages ja,ko --write", "set the project up in two more languages"),
    ),
    "check": (
        ("hexapla check", "the project you are in"),
        ("hexapla check docs/ja/guide.md --fix", "one page, and a difference of what can be fixed; --write writes it"),
        ("hexapla check --root DIR --layout 'docs/{lang}/{page}.md'", "a tree without a configuration"),
        ("hexapla check --explain link-target-missing", "what a rule means"),
    ),
    "ci": (
        ("hexapla ci", "what would be written here, and what the first run will show"),
        ("hexapla ci --for gitlab --write", "write it, for GitLab"),
    ),
    "repair": (
        ("hexapla repair page.md", "show what was garbled, and what stays uncertain"),
        ("hexapla repair docs --write", "repair a folder; the old files stay as .garbled"),
    ),
    "status": (
        ("hexapla status", "every page in every language"),
        ("hexapla status --since main", "what a branch puts behind"),
        ("hexapla status --format html > status.html", "a page to read in the browser"),
    ),
    "addresses": (
        ("hexapla addresses", "the pages and ids that addresses.txt lacks"),
        ("hexapla addresses --release 0.1.0 --write", "record them; `hexapla check` finds those that are lost later"),
        ("hexapla addresses --since 0.1.0", "what that release had, and where it leads today"),
    ),
    "pull-request": (("hexapla pull-request --since main", "the comment for a branch"),),
    "diff": (("hexapla diff guide --language ja", "what changed since the Japanese was made"),),
    "sync": (
        ("hexapla sync docs/ja/guide.md", "what would be recorded"),
        ("hexapla sync docs/ja/guide.md --write", "record it as current"),
    ),
    "review": (
        ("hexapla review docs/ja/guide.md", "what seems to be missing, added or another number there"),
        ("hexapla review --dismiss ID --reason 'the caption says it' --write", "a doubt that is none"),
        ("hexapla review --calibrate --language ja", "what it finds of errors that are put into your own sections"),
    ),
    "translate": (("hexapla translate", "open the editor; Ctrl+C ends it"),),
    "next": (
        ("hexapla next --language ja", "the section that readers miss most"),
        ("hexapla next guide#first --language ja --format json", "one section, as data"),
    ),
    "submit": (
        ("hexapla submit guide#first --language ja --version VERSION --file first.md", "what is wrong with it"),
        ("hexapla submit guide#first --language ja --version VERSION --file first.md --by NAME --write",
         "put it into the page, as a draft by NAME"),
    ),
    "mcp": (("hexapla mcp --root DIR", "what a client starts, and talks to by its standard input and output"),),
    "instructions": (("hexapla instructions ja > AGENTS.ja.md", "a file for whatever tool translates into Japanese"),),
    "draft": (
        ("hexapla draft --language ja --model DIR guide", "what drafting what a page lacks would take"),
        ("hexapla draft --language ja --model NAME --endpoint URL --limit 20 --budget 100000 --write",
         "draft 20 sections, for 100,000 tokens at most"),
        ("hexapla draft --language ja --model NAME --endpoint URL --stale --diff",
         "what drafting again after a change of a term changes"),
    ),
    "export": (("hexapla export --format po --output out", "every page that is not current"),),
    "import": (("hexapla import out/ja/guide.po --write", "put a translator's file in place"),),
    "add-language": (("hexapla add-language ko --write", "begin Korean"),),
    "convert": (("hexapla convert ../hugo-site here --write", "a Hugo site becomes a project in the folder here"),),
    "stage": (
        ("hexapla stage --engine zensical DIR", "a tree and a configuration a language, everything resolved"),
        ("hexapla stage --engine zensical DIR --build", "build them too, and join them in DIR/site"),
    ),
    "new": (("hexapla new snippet memory/peak --page docs/en/memory.md --write", "its files"),),
    "run": (
        ("hexapla run memory/peak", "one snippet"),
        ("hexapla run --record", "all, and write the evidence that pages show"),
    ),
    "runners": (("hexapla runners", "what runs where on this machine"),),
    "completion": (
        ("hexapla completion bash > ~/.local/share/bash-completion/completions/hexapla", "for bash"),
        ("hexapla completion zsh > ~/.zfunc/_hexapla", "for zsh, with ~/.zfunc in fpath"),
    ),
}


def epilog(command: str) -> str:
    """The examples of a command, as its help shows them."""
    lines = [f"  {line}\n      {what}" for line, what in EXAMPLES[command]]
    return "\n".join(["examples:", *lines])
