"""Sections and where they come from: state, difference, exchange with translators' tools."""
