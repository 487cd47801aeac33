"""The project and the layout of its pages: mkdocs.yml, pyproject.toml and options become Project and Layout."""
