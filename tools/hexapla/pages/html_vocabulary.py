"""HTML as it is read back: which tags are text, which hold it, which run something; call-outs of every dialect."""

import re

OBJECT = "\ufffc"  # stands for inline code and images in a block's text
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "input", "ins", "kbd", "label", "mark", "nobr", "picture", "q", "rp", "rt", "ruby", "s",
    "samp", "small", "source", "span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr",
}
TEXT_BLOCKS = {*HEADINGS, "p", "li", "td", "th", "dt", "dd", "summary", "figcaption", "caption"}
SKIPPED = {"pre", "script", "style", "svg", "math", "template"}
# Ids that extensions give to what is no place to link to, and tags that are a site generator's own, not HTML's.
IDLESS = {"input", "label", "hfoption", "hfoptions"}
MADE_UP = {"headerlink", "footnote-ref", "footnote-backref"}
# What runs, loads or covers a page; what stands in <noscript> is text to a parser and a page's to a browser, or not.
RUNS = {
    "script", "iframe", "object", "embed", "base", "applet", "form", "frame", "frameset", "link", "meta", "noscript",
    "portal", "style",
}
# Browsers pass over tabs and ends of lines inside an address's scheme.
SCRIPTED = re.compile(
    r"[\s\x00-\x1f]*(?:" + r"[\t\r\n]*".join("javascript:")
    + "|" + r"[\t\r\n]*".join("vbscript:") + r"|data\s*:\s*(?:text/html|image/svg))", re.I,
)
CALLOUT = re.compile(
    r"(?:\[!(?P<github>[A-Za-z]+)\][+-]?|:{3,}[ ]*(?P<colons>[a-z]+)|\{\{[%<][ ]*alert(?P<hugo>)[^}]*\}\}"
    r"|\{\{[%<][ ]*/alert[ ]*[%>]\}\}|:{3,}$)[ ]*"
)
# What brings headings from elsewhere: mkdocstrings, doc-builder, Hugo's shortcodes, Markdown includes, a script and a
# component of Vue's. A `<script setup>` alone brings none, nor does a container: it begins as mkdocstrings' directive
# does, and ends.
CONTAINER_END = re.compile(r"^[ \t]*:::[ \t]*$", re.M)
OPEN_IDS = re.compile(
    r"^ {0,3}import[ \t]+(?:[\w$]+|\{[^}\n]{1,200}\})[ \t]+from[ \t]+['\"][^'\"\n]{1,200}\.(?:vue|mdx?)['\"][ \t;\r]*$"
    r"|^[ \t]*(?:<script\b(?! setup\b)"
    r"|<[A-Z][^>\n]{0,200}[ \t](?:src|file|path)=['\"][^'\"\n]{1,200}\.html['\"]|(?P<object>::: [\w.]+)|\[\[autodoc\]\]"
    r"|\{\{%(?! *(?:/|alert|tab|end))|\{\{<(?! *(?:/|(?:rel)?ref\b))[^}]{0,300}\.md\b|\{!|<!--[ \t]*@include:)"
    r"|<embed\b[^>\n]{0,200}\bsrc=['\"][^'\"\n]{1,200}\.md['\"]"
    r"|\bid=[\"'][^\"'\n]{0,200}\{\{", re.M,  # of a loop
)
