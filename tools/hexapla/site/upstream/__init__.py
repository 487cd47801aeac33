"""What the site relies on inside MkDocs, Material and mkdocs-static-i18n, checked before a build writes anything."""
