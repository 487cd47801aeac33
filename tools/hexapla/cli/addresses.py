"""`hexapla addresses`: record the addresses of a release, so that none is lost unseen."""

import argparse
import sys
from datetime import date

from hexapla.checks.engine.address_recording import compare_release, new_addresses, record_addresses
from hexapla.checks.engine.site_redirects import moved_pages
from hexapla.cli.next_command import repeated_options
from hexapla.cli.options import add_tree_arguments, tree_options
from hexapla.cli.terminal import FOUND
from hexapla.config.discovery import TreeOptions
from hexapla.frameworks.redirect_forms import HOSTS, redirect_map

SHOWN = 20  # new addresses are listed up to here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--release", metavar="NAME", default=f"{date.today():%Y-%m-%d}",
                        help="what publishes them first: a version or a date (default: today)")
    parser.add_argument("--write", action="store_true", help="add them to addresses.txt; without this, list them")
    parser.add_argument("--since", metavar="RELEASE", help="list what that release had and that leads elsewhere today")
    parser.add_argument("--map", choices=HOSTS, dest="host", help="print the redirects of pages for this host")
    add_tree_arguments(parser)


def addresses(args: argparse.Namespace) -> int:
    """`hexapla addresses`: list the addresses that the ledger lacks, or add them; or compare, or print redirects."""
    options = tree_options(args)
    if args.host:
        sys.stdout.write(redirect_map(args.host, moved_pages(options)))
        return 0
    if args.since:
        return compare(options, args.since)
    new = new_addresses(options)
    for each in new[:SHOWN]:
        print(f"{each.written}  {each.title}")
    if len(new) > SHOWN:
        print(f"and {len(new) - SHOWN} more")
    if not new:
        print("nothing to write: addresses.txt has every page and id")
    elif args.write:
        print(record_addresses(options, args.release, new))
    else:
        print("nothing was written; add them with --write")
    print(f"next: hexapla check{repeated_options(args)}")
    return 0


def compare(options: TreeOptions, release: str) -> int:
    """List the addresses of a release that lead elsewhere today; 1 where one leads nowhere."""
    changed = list(compare_release(options, release))
    for address, place in changed:
        print(f"{address.written} -> {place or 'nowhere'}")
    lost = sum(not place for _, place in changed)
    print(f"of what {release} had, {len(changed) - lost} lead elsewhere and {lost} nowhere")
    return FOUND if lost else 0
