"""`hexapla addresses`: record the addresses of a release, so that none is lost unseen."""

import argparse
from datetime import date

from hexapla.checks.engine.address_recording import new_addresses, record_addresses
from hexapla.cli.next_command import repeated_options
from hexapla.cli.options import add_tree_arguments, tree_options

SHOWN = 20  # new addresses are listed up to here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--release", metavar="NAME", default=f"{date.today():%Y-%m-%d}",
                        help="what publishes them first: a version or a date (default: today)")
    parser.add_argument("--write", action="store_true", help="add them to addresses.txt; without this, list them")
    add_tree_arguments(parser)


def addresses(args: argparse.Namespace) -> int:
    """`hexapla addresses`: list the addresses that the ledger lacks, or add them."""
    options = tree_options(args)
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
