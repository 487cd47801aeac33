"""The tree of pages that a command's options name."""

import argparse

from hexapla.config.discovery import TreeOptions


def tree_options(args: argparse.Namespace) -> TreeOptions:
    """The tree that a command's options name."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    return TreeOptions(
        args.root, args.layout or "", args.source_layout or "", args.source or "", codes, args.anchors or "",
        args.framework or "", args.source_repo or "",
    )
