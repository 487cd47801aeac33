/* What a page cannot know when it is built: where its reader is. */
{
  /* An old address of a section that has moved: its paragraph has the id, and a link to where it is now. */
  const follow = () => {
    for (const moved of document.querySelectorAll(".hx-redirect")) {
      if (![`#${moved.id}`, `#${encodeURIComponent(moved.id)}`].includes(location.hash)) continue;
      const address = new URL(moved.querySelector("a").href);
      address.search = location.search;
      location.replace(address);
    }
  };
  follow();
  addEventListener("hashchange", follow);

  /* Switching language keeps the section that is read: the one in the address while its heading is in the upper third of
     the window, else the last heading above. At the end of a page no heading can be scrolled that far up: there it is
     the one in the address while it is in sight. Headings have the same id in every language. */
  const headings = document.querySelectorAll("article :is(h2, h3, h4, h5, h6)[id]");
  function place() {
    const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.getBoundingClientRect().top;
    if (named >= 0 && named < (atEnd ? innerHeight : innerHeight / 3)) return location.hash;
    const above = [...headings].filter(heading => heading.getBoundingClientRect().top < innerHeight / 3);
    return above.length ? "#" + encodeURIComponent(above.at(-1).id) : "";
  }

  for (const link of document.querySelectorAll(".md-select__link[hreflang]")) {
    const keep = () => { link.hash = place(); };
    for (const event of ["pointerenter", "focus", "click"]) link.addEventListener(event, keep);
    if (link.hreflang === document.documentElement.lang) link.setAttribute("aria-current", "true");
  }

  /* Versions of a site beside one another: the theme's menu, and the link to the latest one, keep page, language and
     section. Where that version lacks the page, it is the page in the first language, else the front page of the
     language, else that of the version. The theme's own menu knows the pages of a sitemap alone, where a page that is
     not translated yet is missing, and leads to the front page of the first language instead. */
  const base = new URL(JSON.parse(document.getElementById("__config").textContent).base.replace(/\/*$/, "/"), location.href);
  const versionLink = target => target.closest?.(".md-version__link, [data-hx-version]");
  function pathsIn(link) {
    const version = new URL(link.dataset.hxVersion ??= link.getAttribute("href"), location.href);
    const shown = [location, document.querySelector(".md-select__link"), document.querySelector(".md-logo"), base]
      .filter(each => each?.href.startsWith(base.href));
    return shown.map(each => new URL(each.pathname.slice(base.pathname.length), version).href + (place() || location.hash));
  }
  for (const event of ["pointerover", "focusin"]) document.addEventListener(event, ({target}) => {
    const link = versionLink(target);
    if (link) link.href = pathsIn(link)[0];
  });
  document.addEventListener("click", async event => {
    const link = versionLink(event.target);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const paths = pathsIn(link);
    for (const path of paths) {
      if ((await fetch(path, {method: "HEAD"}).catch(() => ({}))).ok) return location.assign(path);
    }
    location.assign(paths[0]);
  }, true);

  /* The theme's search box asks when a key goes up. Text that was pasted or spoken, or that an input method has put
     together, brings no key. */
  const box = document.querySelector(".md-search__input");
  if (box) {
    const ask = () => box.dispatchEvent(new Event("keyup"));
    box.addEventListener("input", event => { if (!event.isComposing) ask(); });
    box.addEventListener("compositionend", ask);
    box.addEventListener("focus", () => load("search-empty.js"), {once: true});
    box.form.addEventListener("reset", () => setTimeout(ask));
    box.form.dataset.hxKeys = /Mac|iP/.test(navigator.platform) ? "⌘ K" : "Ctrl K";
    box.setAttribute("aria-keyshortcuts", "Control+K Meta+K");
    addEventListener("keydown", event => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      box.focus();
      box.select();
    });
    /* Where nothing is found our worker offers other pages, which are no matches, and terms to ask for; it says so. */
    const term = text => {
      const button = document.createElement("button");
      Object.assign(button, {type: "button", className: "hx-term", textContent: text});
      button.addEventListener("click", () => { box.value = text; box.focus(); ask(); });
      return button;
    };
    /* The title of a page of which sections alone match leads to the best of them. */
    const results = document.querySelector(".md-search-result__list");
    results.addEventListener("click", event => {
      const title = event.target.closest("a:has(> [data-md-score='0.00'])"), best = title?.parentElement.querySelector("a[href*='#']");
      if (best) title.href = best.href;
    }, {capture: true});
    const meta = document.querySelector(".md-search-result__meta");
    new MutationObserver(() => {
      const nothing = document.querySelector("[data-hx-nothing]");
      if (!nothing) return;
      const [before, after = ""] = nothing.dataset.hxNothing.split("{terms}");
      const terms = nothing.dataset.hxNearest.split(" ").filter(Boolean).map(term);
      meta.replaceChildren(before, ...terms.flatMap((each, at) => at ? [" ", each] : [each]), after);
    }).observe(results, {childList: true});
  }

  /* Each click on the button for light and dark changes what is seen: to the other of the two, which follows the system
     where the system's is the same. The theme's own goes from the system's to the same by name. */
  const [system, ...schemes] = [...document.querySelectorAll("[data-md-component=palette] label")].map(each => each.previousElementSibling);
  if (system?.dataset.mdColorMedia === "(prefers-color-scheme)") {
    const isSystems = scheme => matchMedia(scheme.dataset.mdColorMedia).matches;
    const change = event => {
      if (event.key ? event.key !== "Enter" : !event.target.closest("label")) return;
      event.preventDefault();
      event.stopPropagation();
      const other = schemes.find(each => each.dataset.mdColorScheme !== document.body.dataset.mdColorScheme);
      (isSystems(other) ? system : other).click();
    };
    for (const type of ["click", "keydown"]) system.form.addEventListener(type, change, true);
    system.nextElementSibling.title = schemes.find(isSystems).nextElementSibling.title;
  }

  /* The theme's search dialog has no name for a screen reader; its box has one. */
  const dialog = document.querySelector(".md-search[role=dialog]");
  const named = dialog?.querySelector("input");
  if (named) dialog.setAttribute("aria-label", named.getAttribute("aria-label"));

  /* The list of a page's sections below its title opens beside the way to the top too. */
  const contents = document.querySelector("details.hx-toc"), toTop = document.querySelector(".md-top");
  if (contents && toTop) {
    const sections = Object.assign(document.createElement("nav"), {className: "hx-sections", popover: "auto"});
    sections.append(contents.querySelector("ul").cloneNode(true));
    sections.addEventListener("click", () => sections.hidePopover());
    contents.after(sections);
    const button = Object.assign(document.createElement("button"), {type: "button", className: "md-top", popoverTargetElement: sections});
    button.textContent = contents.querySelector("summary").textContent;
    toTop.after(button);
  }

  /* Where a phone lays out a row in lines, some browsers forget that it is one; a cell there shows its column's head. */
  function nameCells(content) {
    for (const table of content.querySelectorAll("table:not([class])")) {
      const heads = [...table.rows[0]?.cells ?? []].map(head => head.textContent);
      table.role = "table";
      for (const row of table.rows) {
        row.parentElement.role = "rowgroup";
        row.role = "row";
        for (const cell of row.cells) {
          cell.role = cell.matches("td") ? "cell" : cell.matches("thead th") ? "columnheader" : "rowheader";
          cell.dataset.hxHead = heads[cell.cellIndex] ?? "";
        }
      }
    }
  }
  nameCells(document);

  /* A table, a formula or a figure that scrolls sideways does so by keyboard too. */
  const sizes = new ResizeObserver(changes => {
    for (const {target} of changes) {
      const wide = target.scrollWidth > target.clientWidth;
      target.toggleAttribute("data-hx-whole", !wide);
      wide ? target.tabIndex = 0 : target.removeAttribute("tabindex");
    }
  });
  const observe = content => content.querySelectorAll(".md-typeset__scrollwrap, .formula, figure").forEach(each => sizes.observe(each));
  addEventListener("load", () => observe(document));
  addEventListener("hexapla:beside", ({detail}) => {
    nameCells(detail);
    observe(detail);
  });

  /* What few pages need is made by scripts of its own: links that report a mistake, the box that finds a term, and the second
     column, which comes with the first choice; one in the address or of a page before holds. */
  const from = document.currentScript.src, choices = [...document.querySelectorAll(".hx-beside [aria-pressed]")];
  let loading = false, kept = "";
  const load = (name, onload) =>
    document.head.append(Object.assign(document.createElement("script"), {src: new URL(name, from), onload}));
  if (document.querySelector("a[data-hx-report]")) load("report.js");
  if (document.querySelector(".hx-terms")) load("terms.js");
  if (new URLSearchParams(location.search).get("h")) load("search-marks.js");
  function loadColumn(chosen) {
    if (loading) return;
    loading = true;
    load("beside.js", () => chosen.click());
  }
  for (const button of choices) button.addEventListener("click", () => loadColumn(button));
  try { kept = sessionStorage.getItem("hexapla beside") ?? ""; } catch { /* a reader who keeps nothing */ }
  const [second] = [new URLSearchParams(location.search).get("with"), kept].flatMap(code => choices.filter(button => button.lang === code));
  if (second) loadColumn(second);

  /* The header's menu of languages offers the comparison as well, since it is in sight all along a page. */
  const compare = document.querySelector("[popovertarget=hx-languages]"), languages = document.querySelector(".md-select__list");
  if (compare && languages) {
    const button = Object.assign(document.createElement("button"), {
      type: "button", className: "md-select__link", textContent: `${compare.textContent} ▾`, popoverTargetElement: compare.popoverTargetElement});
    languages.append(Object.assign(document.createElement("li"), {className: "md-select__item"}));
    languages.lastChild.append(button);
  }

  /* The drawer shows the page that is read; of the parts of the site one is open. */
  document.getElementById("__drawer")?.addEventListener("change", () => {
    [...document.querySelectorAll(".md-nav--primary .md-nav__item--active")].at(-1)?.scrollIntoView({block: "nearest"});
  });
  const parts = document.querySelectorAll(".md-nav--primary > .md-nav__list > .md-nav__item > .md-nav__toggle");
  for (const part of parts) part.addEventListener("change", () => { for (const each of parts) each.checked = each === part; });

  /* A link to a file, the whole program of a block or the page's Markdown, puts it on the clipboard where the browser
     allows that; one that is plain leaves out what the Markdown says of the page, its sections and its runs, and has whole
     addresses, which lead somewhere wherever it is pasted. */
  const pasted = (prose, from) => prose.replace(/^(#+ .*) \{#[^{}]*\}$/gm, "$1")
    .replace(/(\]\()(?![a-z]+:)([^()\s]+\))/g, (_, open, path) => open + new URL(path[0] === "#" ? location.pathname + path : path, from).href);
  const plain = (text, from) => text.replace(/^---\n[^]*?\n---\n+/, "").replace(/^<!-- section .* -->\n+/gm, "")
    .replace(/^[ \t]*<!-- evidence -->[^]*?<!-- end of evidence -->\n+/gm, "")
    .split(/(^ *```[^]*?^ *```$)/m).map((part, at) => at % 2 ? part : pasted(part, from)).join("");
  document.addEventListener("click", async event => {
    const link = event.target.closest?.("a[data-hx-copied]");
    if (!link || !navigator.clipboard) return;
    event.preventDefault();
    const said = link.textContent, chosen = "hxPlain" in link.dataset ? plain : text => text;
    const copied = fetch(link.href).then(answer => answer.text()).then(text => new Blob([chosen(text, link.href)], {type: "text/plain"}));
    try {
      await navigator.clipboard.write([new ClipboardItem({"text/plain": copied})]);
      link.ariaLive = "polite";
      link.textContent = link.dataset.hxCopied;
      setTimeout(() => { link.textContent = said; }, 2000);
    } catch {
      location.assign(link.href);
    }
  });
}
