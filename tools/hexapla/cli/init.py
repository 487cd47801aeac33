"""`hexapla init`: what a folder holds, and what makes it a project in several languages."""

import argparse
import shlex
from pathlib import Path

from hexapla.git import Repository
from hexapla.report_text import as_json
from hexapla.setup.folder_contents import Survey
from hexapla.setup.page_moves import recover_moves
from hexapla.setup.plan import SetupOptions, SetupPlan, carry_out, make_plan
from hexapla.site.texts.strings import shipped_sentences


def init(chosen: argparse.Namespace) -> int:
    root = (chosen.root or Path.cwd()).resolve()
    codes = tuple(code.strip() for code in chosen.languages.split(",") if code.strip())
    recover_moves(root, chosen.write)
    plan = make_plan(SetupOptions(root, chosen.source, codes, shipped_sentences()))
    if chosen.write:
        carry_out(root, plan)
    following = next_commands(plan.survey, codes, "" if root == Path.cwd() else shlex.quote(str(chosen.root)))
    print(as_json(
        written=chosen.write, found=plan.survey.found, complete=plan.survey.complete,
        moves={str(old.relative_to(root)): str(new.relative_to(root)) for old, new in plan.moves},
        files=[str(file.relative_to(root)) for file in plan.files], next=following,
    ) if chosen.format == "json" else as_text(plan, root, chosen.write, following))
    return 0


def as_text(plan: SetupPlan, root: Path, written: bool, following: list[str]) -> str:
    seen = plan.survey
    lines = [f"found: {seen.found}" + ", set up already" * seen.complete]
    lines += [f"{old.relative_to(root)} -> {new.relative_to(root)}: {'moved' if written else 'would move'}"
              for old, new in plan.moves]
    lines += [f"{file.relative_to(root)}: {'written' if written else 'would be written'}" for file in plan.files]
    if Repository(root).head is None:
        lines.append("no commit of git here: `hexapla diff` and `status` know more once there is one")
    if seen.lacking:
        lines.append(f"mkdocs.yml names {', '.join(seen.lacking)}, not installed here: install what brings each, or "
                     "take its name out, before mkdocs serve; hexapla check and status run without")
    if seen.foreign:
        lines.append("nothing here is moved or changed: hexapla check and hexapla status read the pages as they are"
                     + f"; convert makes a project of them in {seen.target}" * bool(seen.converted))
    if not plan.moves and not plan.files:
        lines.append("nothing to write")
    elif not written:
        return "\n".join([*lines, "nothing was written; set it up with --write"])
    return "\n".join([*lines, *(f"next: {command}" for command in following)])


def next_commands(seen: Survey, codes: tuple[str, ...], folder: str) -> list[str]:
    """What to run next; `folder` is where, "" for here."""
    first = [f"cd {folder}"] if folder else []
    source = "" if seen.source == "en" else f" --source {seen.source}"
    if seen.converted:
        begun = f" --languages {','.join(codes)}" if codes else ""
        return [*first, seen.converted, f"cd {shlex.quote(seen.target)}", f"hexapla init{source}{begun} --write",
                "mkdocs serve"]
    if seen.foreign:
        return [*first, *(f"hexapla {name}{source}" for name in ("check", "status", "translate"))]
    return [*first, "mkdocs serve", "hexapla check", "hexapla status"]
