"""Runs the rules over a tree of pages: checker, page store, site index, suppressions, baseline, overlay."""
