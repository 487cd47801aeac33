"""The options of the plugin."""

from mkdocs.config import config_options
from mkdocs.config.base import Config


class PluginOptions(Config):  # type: ignore[no-untyped-call]
    """The options of mkdocs.yml under `hexapla`; the config room reads the same for the command line."""

    snippets = config_options.Type(str, default="snippets")
    derived = config_options.Type(dict, default={})
    run_blocks = config_options.Type(bool, default=False)
    hardware = config_options.Type(dict, default={"cpu": "CPU"})
    redirect_maps = config_options.Type(dict, default={})
    checks = config_options.Type(dict, default={})
    owners = config_options.Type(dict, default={})
    drafts = config_options.Type(dict, default={})
    cards = config_options.Type(bool, default=True)
    markdown = config_options.Type(bool, default=True)
