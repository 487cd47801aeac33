/* "Show beside": the same page in another language in a second column, section by section. Sections are aligned by the
   ids of their headings, which are the same in every language. The choice holds until the window is closed. */
{
  const KEPT = "hexapla beside";
  const article = document.querySelector("article.md-content__inner");
  const title = article?.querySelector(":scope > h1");
  const written = new Set([...document.querySelectorAll("link[hreflang]")].map(link => link.hreflang));
  const others = [...document.querySelectorAll(".md-select__link[hreflang]")]
    .filter(link => written.has(link.hreflang) && link.hreflang !== document.documentElement.lang);
  let asked = "";

  /* The sections among a list of nodes: [id of the heading, nodes], "" for what stands above the first heading. */
  function sections(nodes) {
    const found = [["", []]];
    for (const node of nodes) {
      if (/^H[1-6]$/.test(node.nodeName) && node.id) found.push([node.id, []]);
      found.at(-1)[1].push(node);
    }
    return found.filter(([, part]) => part.some(node => node.nodeType === Node.ELEMENT_NODE));
  }

  async function fetched(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    dispatchEvent(new CustomEvent("hexapla:beside", {detail: page})); /* `mkdocs serve` listens */
    const content = page.querySelector("article.md-content__inner");
    for (const [name, selector] of [["href", "a[href]"], ["src", "img[src]"]])
      for (const element of content.querySelectorAll(selector))
        element.setAttribute(name, new URL(element.getAttribute(name), address).href);
    const found = new Map(sections(content.childNodes));
    for (const element of content.querySelectorAll("[id]")) element.removeAttribute("id"); /* an id stands once */
    for (const element of content.querySelectorAll(".headerlink, .md-content__button")) element.remove();
    /* What the theme does to a page of its own when it is loaded: what scrolls sideways can be reached by keyboard. */
    for (const element of content.querySelectorAll("pre, pre > code")) element.tabIndex = 0;
    for (const table of content.querySelectorAll("table:not([class])")) {
      const wrap = Object.assign(document.createElement("div"), {className: "md-typeset__scrollwrap", tabIndex: 0});
      table.replaceWith(wrap);
      wrap.append(table);
    }
    return found;
  }

  function pair(own, other, language) {
    const row = document.createElement("div");
    row.className = "hx-pair";
    for (const [nodes, code] of [[own, ""], [other, language]]) {
      const column = document.createElement("div");
      if (code) column.lang = code;
      column.append(...nodes);
      row.append(column);
    }
    return row;
  }

  function apart() {
    for (const row of article.querySelectorAll(":scope > .hx-pair")) row.replaceWith(...row.firstChild.childNodes);
    document.body.classList.remove("hx-paired");
  }

  async function show(language) {
    asked = language;
    const link = others.find(each => each.hreflang === language);
    let found = new Map();
    try {
      if (link) found = await fetched(link.href.split("#")[0]);
    } catch {
      language = ""; /* offline, or opened from a file: the page stays as it is */
    }
    if (asked !== (link?.hreflang ?? "")) return; /* another one was chosen meanwhile */
    apart();
    for (const button of choices.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.lang === language));
    try { sessionStorage.setItem(KEPT, language); } catch { /* a reader who keeps nothing */ }
    if (!found.size) return;
    for (const [id, nodes] of sections([...article.childNodes])) {
      const place = document.createComment("");
      nodes[0].before(place);
      place.replaceWith(pair(nodes, found.get(id) ?? [], language));
      found.delete(id);
    }
    for (const nodes of found.values()) article.append(pair([], nodes, language));
    document.body.classList.add("hx-paired");
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }

  const choices = document.createElement("p");
  if (title && others.length) {
    choices.className = "hx-beside";
    choices.append(document.querySelector("meta[name=hx-beside]").content, " ");
    for (const link of others) {
      const button = Object.assign(document.createElement("button"), {type: "button", lang: link.hreflang});
      button.textContent = link.textContent.trim();
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => show(button.getAttribute("aria-pressed") === "true" ? "" : button.lang));
      choices.append(button, " ");
    }
    title.after(choices);
    let kept = "";
    try { kept = sessionStorage.getItem(KEPT) ?? ""; } catch { /* see above */ }
    if (others.some(link => link.hreflang === kept)) show(kept);
  }
}
