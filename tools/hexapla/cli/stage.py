"""`hexapla stage`: the project as a tree for an engine that runs no plugins, and the site that it builds."""

import argparse
from pathlib import Path

from hexapla.cli.terminal import show_progress
from hexapla.config.project import find_root
from hexapla.report_text import as_json
from hexapla.site.zensical.staged_folder import stage_project


def stage_tree(chosen: argparse.Namespace) -> int:
    root = (chosen.root or find_root(Path.cwd())).resolve()
    with show_progress("staging"):
        report = stage_project(root, chosen.folder, chosen.build)
    site = str(report.site) if report.site else None
    if chosen.format == "json":
        print(as_json(files=report.files, pages=report.pages, left_out=report.left_out, site=site))
        return 0
    pages = ", ".join(f"{code} {count}" for code, count in report.pages.items())
    settings = f"{chosen.folder}/{next(iter(report.pages))}/mkdocs.yml"
    following = f"next: zensical serve --config-file {settings}, or build all languages with --build"
    print(*report.left_out, f"pages: {pages}; {report.files} files written to {chosen.folder}",
          f"the site is in {site}" if site else following, sep="\n")
    return 0
