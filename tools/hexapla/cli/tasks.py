"""`hexapla next`, `submit` and `mcp`: a section to translate with its context, and its translation handed in."""

import argparse
from pathlib import Path

from hexapla.cli.options import add_tree_arguments
from hexapla.cli.terminal import needing


def add_next_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("places", nargs="*", metavar="PAGE", help="pages, folders, or one PAGE#SECTION (default: all)")
    parser.add_argument("--language", metavar="CODE", help="the language to translate into (default: the first one)")
    parser.add_argument("--views", type=Path, metavar="CSV", help="page views, to put what readers miss most first")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to tell it (default: text)")
    add_tree_arguments(parser)


def add_submit_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="PAGE#SECTION", help="the section that was translated")
    parser.add_argument("--version", required=True, metavar="VERSION", help="what `hexapla next` named the section's")
    parser.add_argument("--language", metavar="CODE", help="its language, where PAGE is no path in it")
    parser.add_argument("--file", type=Path, metavar="FILE", help="the translated section (default: what is piped in)")
    parser.add_argument("--by", default="", metavar="NAME", help="who or what translated it (default: git's user.name)")
    parser.add_argument("--meant", action="store_true", help="doubts about it were read, and it is right")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to report (default: text)")
    parser.add_argument("--write", action="store_true", help="put it into its page; without this, it is judged alone")
    add_tree_arguments(parser)


def show_next(chosen: argparse.Namespace) -> int:
    """Run `hexapla next`: the section that readers miss most, with its context."""
    with needing("translate"):
        from hexapla.cli import section_commands

    return section_commands.show_next(chosen)


def submit_section(chosen: argparse.Namespace) -> int:
    """Run `hexapla submit`: a translation judged, and written with --write; 1 where it is not right."""
    with needing("translate"):
        from hexapla.cli import section_commands

    return section_commands.submit_section(chosen)


def serve(chosen: argparse.Namespace) -> int:
    """Run `hexapla mcp`: the same for a client of the Model Context Protocol, which starts it."""
    with needing("agents"):
        from hexapla.agents.mcp_server import serve_sections
        from hexapla.cli import section_commands

    with section_commands.opened_writer(chosen) as writer:
        serve_sections(writer)
    return 0
