"""The table of documentation frameworks. A framework that is like none of these is a row more, not a condition."""

from collections.abc import Mapping

from hexapla.frameworks.framework import Framework, Patterns
from hexapla.frameworks.hugo_mounts import mounted_folders
from hexapla.frameworks.jekyll_permalinks import settings_permalinks

MDX = (".md", ".mdx")
REST = r":\w+\*"  # of VitePress' rewrites: the language whose folder becomes the site's root is the source
# Vue's `<script setup>` whose lines import files of the tree, seen from the page, and do nothing else. A further
# attribute may load a script from elsewhere.
LANGUAGE = r"""(?:\s+lang=(?:"[jt]sx?"|'[jt]sx?'))?"""
VUE_IMPORTS = (
    rf"<script{LANGUAGE}\s+setup{LANGUAGE}\s*>\s*"
    r"""(?:import [\w{}, ]+ from ['"]\.{1,2}/[^'"\n]+['"];?\s*)*</script>"""
)
# Code of the tree's own, which may be installed too, and the version that makes ids of the fragments of links.
VITEPRESS_IDS = (
    (r"\bslugify\b(?!\")", "loose"),
    (r"""["']vitepress["']\s*:\s*["'](?:next|[\^~]?2\.(?!0\.0-alpha\.[0-4]\b))""", "vitepress-2"),
)
# Of its headings in English and Chinese.
CHANGELOG_IDS = ("changelog", "contributors", "页面历史", "贡献者", "頁面歷史", "貢獻者")
# A label, and the dotted name of an object of a program: of three names, or of two whose last is written as a class or
# has an underscore. A file may have any ending, the last of three only one that is known.
FILES = "|".join((
    "md|rst|tex|bib|ipynb|html?|css|[jt]sx?|py|whl|sh|txt|csv|tsv|json|ya?ml|toml|xml|ini|cfg|zip|tar|t?gz|bz2|xz|7z",
    "pdf|eps|epub|docx?|pptx?|xlsx?|od[pst]|png|svg|gif|jpe?g|webp|avif|bmp|ico|tiff?|mp[34]|m4[av]|webm|mov|ogg|wav",
))
NAME = r"[A-Za-z_]\w*\."
OBJECTS = rf"[^./]*|(?!.*\.(?i:{FILES})$)(?:{NAME})+(?:{NAME}\w+|[a-z]*[A-Z][A-Z0-9]*[a-z]\w*|[A-Za-z0-9]*_\w*)"
QUOTED_PATH = r"""["'](/[^"'\s*\[\]$]+)["']"""
REDIRECT = r"""\bsource:\s*["'](/[^"'\s]+)"""
FOLDERS: Patterns = ("{content}{lang}/{page}", "")             # a folder for each language
BELOW: Patterns = ("{content}{lang}/{page}", "{content}{page}")  # the translations' below the source's
SUFFIXES: Patterns = ("{content}{page}.{lang}", "{content}{page}")
SUFFIX_EACH: Patterns = ("{content}{page}.{lang}", "")
COLLECTIONS: Patterns = ("{content}_{lang}/{page}", "{content}_{page}")
REWRITTEN: Patterns = ("{content}translated/{lang}/{page}", "{content}{page}")
PLUGIN: Patterns = ("i18n/{lang}/docusaurus-plugin-content-docs/current/{page}", "{content}{page}")
VERSIONED: Patterns = ("i18n/{lang}/docusaurus-plugin-content-docs/{folder}/{page}", "{content}{page}")

# Where pages in several languages lie when no file tells what makes a site of them, in order.
PLAIN_LAYOUTS: tuple[Patterns, ...] = (
    ("docs/source/{lang}/{page}", ""), ("chapters/{lang}/{page}", ""), ("docs/{lang}/docs/{page}", ""),
    ("i18n/{lang}/pages/{page}", "docs/{page}"), ("content/{lang}/{page}", ""), ("docs/{lang}/{page}", "docs/{page}"),
    ("docs/{lang}/{page}", ""), ("src/content/docs/{lang}/{page}", "src/content/docs/{page}"),
    ("docs/{page}.{lang}", "docs/{page}"),
)

FRAMEWORKS: tuple[Framework, ...] = (
    Framework(
        "Hugging Face", ("docs/source/_toctree.yml", "docs/source/*/_toctree.yml", "chapters/*/_toctree.yml"),
        (FOLDERS,), ("docs/source", "chapters"), endings=MDX, ids="doc-builder", pin=(" [[", "]]"), pinning="always",
        keys=(), lacks="ids of what [[autodoc]] brings",
    ),
    Framework(
        "FastAPI", ("docs/en/mkdocs.yml", "docs/language_names.yml"), (("docs/{lang}/docs/{page}", ""),), ("docs",),
        ids="python-markdown", pinning="attr_list", links=("named file", "address"), keys=(),
        moved="docs/en/mkdocs.yml",
    ),
    Framework(
        "MCP SDK", ("i18n/languages.yml", "i18n/*/pages"), (("i18n/{lang}/pages/{page}", "docs/{page}"),), ("docs",),
        ids="python-markdown", pinning="attr_list", links=("named file", "address"), keys=(), moved="mkdocs.yml",
        lacks="the API reference that mkdocstrings makes",
    ),
    Framework(
        "MkDocs", ("mkdocs.yml", "config/*/mkdocs.yml", "mkdocs-{lang}.yml", "mkdocs_{lang}.yml", "mkdocs.{lang}.yml"),
        (FOLDERS, SUFFIXES), ("docs",), ids="python-markdown",
        content_key=r"(?m)^docs_dir:\s*['\"]?([\w/-]+)['\"]?\s*$",
        pinning="attr_list", links=("named file", "address"), keys=(), static=("{content}",), moved="mkdocs.yml",
        lacks="pages that plugins make",
    ),
    Framework(
        "Zensical", ("zensical.toml",), (FOLDERS, BELOW, SUFFIXES), ("docs",), ids="python-markdown",
        content_key=r"docs_dir\s*=\s*[\"']([^\"']+)", pinning="attr_list", links=("named file", "address"), keys=(),
        moved="zensical.toml",
    ),
    Framework(
        "Starlight", ("astro.config.*",), (FOLDERS, BELOW), ("src/content/docs",), folder="src/content/docs",
        endings=MDX, mdx=(".mdx",), pinning="never", links=("address", "file"), keys=("slug",), localizes=False,
        slugs=True, routes=QUOTED_PATH, plugins=(("@astrojs/starlight", ("_top",)),),
        lacks="redirects that code makes, ids that components make",
    ),
    Framework(
        "Astro", ("astro.config.*",), (FOLDERS, BELOW), ("src/content", "src/pages", "docs", ""), endings=MDX,
        mdx=(".mdx",), pinning="never", links=("address", "file"), keys=("slug",), slugs=True, routes=QUOTED_PATH,
        lacks="routes that code makes",
    ),
    Framework(
        "Docusaurus", ("docusaurus.config.*",), (PLUGIN, VERSIONED, FOLDERS, BELOW),
        ("docs", "../docs", "versioned_docs/version-*", ""), endings=MDX, mdx=MDX, ids="rspress", pinning="always",
        source_key=r"defaultLocale:\s*['\"]([\w-]+)", links=("file", "content", "folder"),
        lenient_key=r"""@docusaurus/core["']:\s*["'][\^~]?(2)\.""",
        markdown_key=r"""\bformat:\s*["'](detect)["']""", keys=("slug", "id"),
        base="docs/", overlay="i18n/", order=r"\d+[-_.]\s*", lacks="other versions, the blog, `src/pages`",
    ),
    Framework(
        "VuePress", (".vuepress/config.*", "docs/.vuepress/config.*", "src/.vuepress/config.*"), (FOLDERS, BELOW),
        ("docs", "src", ""),
        ids="vitepress", links=("file",), localizes=False, falls_back=False, keys=("permalink",), scripts=VUE_IMPORTS,
        plugins=(("@vuepress/plugin-git", ("doc-contributors", "doc-changelog")),),
    ),
    Framework(
        "VitePress", (".vitepress/config", ".vitepress/config.*"), (FOLDERS, BELOW, REWRITTEN),
        ("", "docs", "src", "pages"),
        content_key=r"srcDir:\s*['\"](?:\./)?([^'\"]+)",
        source_key=rf"['\"]([\w-]+)/{REST}['\"]\s*:\s*['\"]{REST}['\"]",
        ids="vitepress", pinning="always", links=("file",), keys=(),
        localizes=False, falls_back=False, id_keys=VITEPRESS_IDS, includes="<@", scripts=VUE_IMPORTS,
        plugins=(("@nolebase/vitepress-plugin-git-changelog", CHANGELOG_IDS),),
        lacks="rewrites and dynamic routes of the configuration",
    ),
    Framework("Rspress", ("rspress.config.*", "rstack.config.*"), (FOLDERS, BELOW), endings=MDX, mdx=MDX, ids="rspress",
              pin=(" \\{#", "}"), pinning="always", links=("file",)),
    Framework(
        "React", ("src/sidebarLearn.json",), (FOLDERS, BELOW), ("src/content",), endings=MDX, mdx=MDX, ids="react",
        pin=(" {/*", "*/}"), pinning="always", links=("file",), keys=("permalink",),
    ),
    Framework(
        "Nuxt Content", ("nuxt.config.*",), (FOLDERS, BELOW), ("content", "docs/content", "docs", ""), endings=MDX,
        source_key=r"defaultLocale:\s*['\"]([\w-]+)", ids="mdc", pinning="never",
        keys=("navigation.redirect",), order=r"\d+\.",
        lacks="pages that code makes, properties of components",
    ),
    Framework(
        "Fumadocs", ("source.config.*",), (SUFFIXES, FOLDERS, BELOW), ("content/docs", "content"), endings=MDX,
        mdx=(".mdx",), ids="fumadocs", pin=(" [#", "]"), pinning="always", links=("file", "folder"), routes=REDIRECT,
    ),
    Framework("Next.js", ("next.config.*",), (FOLDERS, BELOW), ("src/content", "content", "pages", "docs", "src", ""),
              endings=MDX, mdx=(".mdx",), links=("file", "address"), routes=REDIRECT, lacks="routes that code makes"),
    Framework("Gatsby", ("gatsby-config.*",), (FOLDERS, BELOW), ("content", "src/pages", "docs", ""), endings=MDX,
              mdx=(".mdx",)),
    Framework(
        "Hugo", ("hugo.toml", "hugo.yaml", "hugo.json", "config.toml", "config.yaml", "config/_default/hugo.*",
                 "config/_default/config.*", "content/_index.*", "content/*/_index.*"),
        (FOLDERS, SUFFIXES, BELOW, SUFFIX_EACH), ("content",), content_key=r"contentDir\s*[:=]\s*['\"]?([\w/.-]+)",
        source_key=r"(?i)defaultContentLanguage\s*[:=]\s*['\"]?([\w-]+)", ids="hugo", links=("address", "file"),
        pinning="always", keys=("aliases", "url", "slug"), fill=mounted_folders,
        lacks="what shortcodes and mounts from elsewhere bring",
    ),
    Framework(
        "mdBook", ("book.toml",), (FOLDERS, BELOW), ("src", ""), content_key=r"(?m)^src\s*=\s*[\"']([^\"']+)",
        pinning="always", links=("file",), keys=(), contents="SUMMARY.md",
        catalogs=r"(?:(?!\.\.).*/)?po/(?P<lang>[^/]+)\.po", lacks="what preprocessors make",
    ),
    Framework(
        "Sphinx", ("conf.py", "source/conf.py", "docs/conf.py", "docs/source/conf.py", "doc/conf.py",
                   "docs/*/conf.py"),
        (FOLDERS, BELOW), ("docs/source", "source", "docs", "doc", ""), ids="myst", pinning="never",
        links=("file",), keys=(),
        catalogs=r"(?:(?:\.\./)+|(?!\.\.).*/)?locales?/(?P<lang>[^/]+)/LC_MESSAGES/.+\.po", labels=OBJECTS, titles=True,
        lacks="pages in reStructuredText, ids of roles and directives",
    ),
    Framework(
        "Mintlify", ("mint.json", "docs.json"), (FOLDERS, BELOW), ("",), endings=MDX, mdx=MDX, ids="mintlify",
        links=("file",), keys=("url",), lacks="pages that an OpenAPI file makes",
    ),
    Framework(
        "Hexo", ("_config.yml",), (FOLDERS, BELOW), ("source",), folder="scaffolds", ids="hexo", keys=("permalink",),
        lacks="posts' addresses, what tags bring",
    ),
    Framework("Jekyll", ("_config.yml",), (FOLDERS, BELOW, COLLECTIONS), ("_docs", "_articles", "docs", ""),
              ids="kramdown", keys=("permalink", "redirect_from"), permalinks=settings_permalinks, collects=True,
              static=("",)),
    Framework("Eleventy", (".eleventy.js", "eleventy.config.*"), (FOLDERS, BELOW), ("src", "content", "docs", ""),
              keys=("permalink",)),
    Framework(
        "docsify", ("index.html", "docs/index.html"), (FOLDERS, BELOW), ("docs", ""),
        sign=r"\$docsify|\bdocsify(?:\.min)?\.js\b", ids="docsify", pinning="never",
        source_key=r"(?:\bhomepage|['\"]/['\"])\s*:\s*['\"]/?([\w-]+)/", links=("file", "root"), localizes=False,
        falls_back=False, keys=(), section_key="id", lacks="aliases of the configuration",
    ),
    Framework("dumi", (".dumirc.*",), (SUFFIX_EACH, SUFFIXES, FOLDERS), ("docs", ""),
              source_key=r"""locales:\s*\[\s*\{\s*id:\s*['"]([\w-]+)""", links=("file", "address", "folder"), keys=(),
              base="docs/", localizes=False, lacks="routes that code makes"),
    Framework("GitBook", (".gitbook.yaml", "book.json"), (FOLDERS, BELOW), links=("file",), keys=()),
    Framework("DocFX", ("docfx.json",), (FOLDERS, BELOW), links=("file",), keys=()),
    Framework("Markdown", layouts=PLAIN_LAYOUTS, endings=MDX, mdx=(".mdx",), links=("file", "address", "folder"),
              lacks="what a site's generator adds"),
)
BY_KEY: Mapping[str, Framework] = {each.key: each for each in FRAMEWORKS}
PLAIN = BY_KEY["markdown"]
