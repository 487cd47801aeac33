"""`hexapla addresses`: record the addresses of a release, so that none is lost unseen."""

import argparse
import sys
from datetime import date

from hexapla.checks.engine.address_recording import compare_release, new_addresses, record_addresses
from hexapla.checks.engine.site_redirects import moved_pages
from hexapla.cli.options import repeated_options, tree_options
from hexapla.cli.terminal import FOUND
from hexapla.config.discovery import TreeOptions
from hexapla.frameworks.redirect_forms import redirect_map

SHOWN = 20  # new addresses are listed up to here


def addresses(args: argparse.Namespace) -> int:
    """`hexapla addresses`: list the addresses that the ledger lacks, or add them; or compare, or print redirects."""
    options = tree_options(args)
    if args.host:
        sys.stdout.write(redirect_map(args.host, moved_pages(options)))
        return 0
    if args.since:
        return list_moved(options, args.since)
    new = new_addresses(options)
    for each in new[:SHOWN]:
        print(f"{each.written}  {each.title}")
    if len(new) > SHOWN:
        print(f"and {len(new) - SHOWN} more")
    if not new:
        print("nothing to write: addresses.txt has every page and id")
    elif args.write:
        release = date.today().isoformat() if args.release is None else args.release
        print(record_addresses(options, release, new))
    else:
        print("nothing was written; add them with --write")
    print(f"next: hexapla check{repeated_options(args)}")
    return 0


def list_moved(options: TreeOptions, release: str) -> int:
    """List the addresses of a release that lead elsewhere today; 1 where one leads nowhere."""
    changed = list(compare_release(options, release))
    for address, place in changed:
        print(f"{address.written} -> {place or 'nowhere'}")
    lost = sum(not place for _, place in changed)
    print(f"of what {release} had, {len(changed) - lost} lead elsewhere and {lost} nowhere")
    return FOUND if lost else 0
