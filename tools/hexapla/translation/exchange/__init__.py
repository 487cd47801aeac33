"""Pages out to translators' own tools and back: messages by position, PO, XLIFF."""
