"""The MkDocs adapter: pages, snippets, evidence and languages become a site."""
