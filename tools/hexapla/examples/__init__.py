"""Snippets are run on runners, and their recorded runs are the evidence that pages show."""
