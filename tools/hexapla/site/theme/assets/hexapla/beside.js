/* "Show beside": the same page in another language in a second column, paragraph by paragraph. Sections are aligned by the
   ids of their headings, which are the same in every language, and what is in them by its order where both have the same
   kinds of blocks, else as a whole. The choice stands in the address, and holds until the window is closed. */
{
  const article = document.querySelector("article.md-content__inner");
  const choices = [...document.querySelectorAll(".hx-beside [aria-pressed]")];
  const rules = Object.assign(document.createElement("link"), {rel: "stylesheet", href: new URL("beside.css", document.currentScript.src)});
  const styled = new Promise(done => { rules.onload = rules.onerror = done; });
  document.head.append(rules);
  let asked = "";

  /* The sections among a list of nodes: [id of the heading, nodes], "" for what stands above the first heading. What a
     page has for both, a form, is a part by itself; the page's own menus and buttons are none. */
  const isShared = node => node?.dataset?.hxOnce !== undefined;
  function sections(nodes) {
    const found = [["", []]];
    for (const node of nodes) {
      if (node.matches?.(".hx-beside, .hx-hint, .hx-sections, .md-content__button")) continue;
      const [id] = found.at(-1);
      if (/^H[1-6]$/.test(node.nodeName) && node.id) found.push([node.id, []]);
      else if (isShared(node)) found.push([`${id} shared`, []]);
      found.at(-1)[1].push(node);
      if (isShared(node)) found.push([`${id} goes on`, []]);
    }
    return found.filter(([, part]) => part.some(node => node.nodeType === Node.ELEMENT_NODE));
  }

  async function fetched(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const content = page.querySelector("article.md-content__inner");
    for (const [name, selector] of [["href", "a[href]"], ["src", "img[src]"], ["srcset", "source[srcset]"]])
      for (const element of content.querySelectorAll(selector))
        element.setAttribute(name, new URL(element.getAttribute(name), address).href);
    for (const element of content.querySelectorAll(".headerlink, .md-content__button, .hx-beside")) element.remove();
    /* What the theme does to a page of its own when it is loaded: what scrolls sideways can be reached by keyboard. */
    for (const table of content.querySelectorAll("table:not([class])")) {
      const wrap = Object.assign(document.createElement("div"), {className: "md-typeset__scrollwrap"});
      const inner = Object.assign(document.createElement("div"), {className: "md-typeset__table"});
      table.replaceWith(wrap);
      wrap.append(inner);
      inner.append(table);
    }
    dispatchEvent(new CustomEvent("hexapla:beside", {detail: page})); /* `mkdocs serve` listens too */
    const found = new Map(sections(content.childNodes));
    for (const element of content.querySelectorAll("[id]")) element.removeAttribute("id"); /* an id stands once */
    for (const element of content.querySelectorAll("pre, pre > code")) element.tabIndex = 0;
    const copy = article.querySelector(".md-code__nav [data-md-type=copy]"); /* the theme listens for its target */
    for (const [number, code] of [...content.querySelectorAll(".highlight code")].entries()) {
      if (!copy) break;
      const nav = Object.assign(document.createElement("nav"), {className: "md-code__nav"});
      nav.append(copy.cloneNode());
      code.parentElement.id = `__beside_${number}`;
      nav.firstChild.dataset.clipboardTarget = `#__beside_${number} > code`;
      code.before(nav);
    }
    return found;
  }

  /* The blocks of a section with what follows each: the line on its runs, that it is behind, white space, and the page's foot. */
  function blocks(nodes) {
    const found = [];
    for (const node of nodes)
      if (found.length && (node.nodeType !== Node.ELEMENT_NODE || node.matches(".hx-run, .hx-behind, .hx-status, .hx-foot"))) found.at(-1).push(node);
      else if (node.nodeType === Node.ELEMENT_NODE || node.textContent.trim()) found.push([node]);
    return found;
  }
  function pairs(own, other, language) {
    const [ours, theirs] = [blocks(own), blocks(other)], kinds = found => found.map(([node]) => node.nodeName).join();
    return kinds(ours) === kinds(theirs) ? ours.map((nodes, at) => pair(nodes, isMerged(nodes[0], theirs[at][0], language) ? null : theirs[at], language)) : [pair(own, other, language)];
  }

  /* The comments of a block of code; those that have lines of their own and follow each other are one. */
  const textBetween = (from, to) => {
    const range = document.createRange();
    from.nodeName === "CODE" ? range.setStart(from, 0) : range.setStartAfter(from);
    range.setEndBefore(to);
    return range.toString();
  };
  const indentOf = (code, comment) => textBetween(code, comment).split("\n").at(-1);
  function comments(code) {
    const found = [];
    for (const each of code.querySelectorAll(".c1"))
      if (found.length && !indentOf(code, found.at(-1)[0]).trim() && !textBetween(found.at(-1).at(-1), each).trim()) found.at(-1).push(each);
      else found.push([each]);
    return found;
  }
  function withoutComments(code) {
    const rest = code.cloneNode(true);
    for (const each of rest.querySelectorAll(".c1")) each.remove();
    return rest.textContent.split("\n").map(line => line.trimEnd()).filter(Boolean).join("\n");
  }
  /* Whether two blocks are one code, which is then shown once; each comment that differs has its translation below it. */
  function isMerged(own, other, language) {
    const [ours, theirs] = [own, other].map(block => block?.matches?.(".highlight") && block.querySelector("code"));
    if (!ours || !theirs || withoutComments(ours) !== withoutComments(theirs)) return false;
    const [said, translated] = [comments(ours), comments(theirs)];
    if (said.length !== translated.length) return false;
    for (const [at, group] of said.entries()) {
      const lines = translated[at].map(each => each.textContent);
      if (lines.join() === group.map(each => each.textContent).join()) continue;
      const indent = " ".repeat(indentOf(ours, group[0]).length);
      const below = Object.assign(document.createElement("span"), {className: "hx-comment c1", lang: language});
      below.textContent = lines.map(line => `\n${indent}${line}`).join("");
      group.at(-1).after(below);
    }
    return true;
  }

  function pair(own, other, language) {
    const row = document.createElement("div");
    row.className = "hx-pair";
    for (const [nodes, code] of isShared(own[0]) || !other ? [[own, ""]] : [[own, ""], [other, language]]) {
      const column = document.createElement("div");
      if (code) column.lang = code;
      column.append(...nodes);
      row.append(column);
    }
    return row;
  }

  /* Rows of tables beside each other that have as many are of one height. */
  function levelRows() {
    for (const row of article.querySelectorAll("tr")) row.style.height = "";
    for (const columns of article.querySelectorAll(".hx-pair")) {
      const [own, other] = [...columns.children].map(column => [...column.querySelectorAll("tr")]);
      if (own.length !== other?.length || columns.firstChild.offsetLeft === columns.lastChild.offsetLeft) continue;
      const heights = own.map((row, at) => Math.max(...[row, other[at]].map(each => each.getBoundingClientRect().height)));
      for (const rows of [own, other]) rows.forEach((row, at) => { row.style.height = `${heights[at]}px`; });
    }
  }
  addEventListener("resize", levelRows);

  /* A line that stays in sight: which language is which, the choice of another one, and the way back to one. */
  function names(language) {
    const make = (tag, more) => Object.assign(document.createElement(tag), more), close = choices[0].parentElement.dataset.hxClose;
    const line = make("div", {className: "hx-names"}), other = make("span");
    const own = make("span", {textContent: document.querySelector(".md-select__link[aria-current]").textContent});
    const choice = make("select", {lang: language, ariaLabel: document.querySelector("[popovertarget=hx-languages]").textContent});
    choice.append(...choices.map(({lang, textContent}) => make("option", {lang, value: lang, textContent, selected: lang === language})));
    choice.addEventListener("change", () => show(choice.value));
    const back = make("button", {type: "button", ariaLabel: close});
    back.append("✕ ", make("span", {textContent: close}));
    back.addEventListener("click", () => show(""));
    other.append(choice, back);
    line.append(own, other);
    return line;
  }

  function apart() {
    for (const added of article.querySelectorAll(".hx-names, .hx-comment")) added.remove();
    for (const row of article.querySelectorAll(":scope > .hx-pair")) row.replaceWith(...row.firstChild.childNodes);
    document.body.classList.remove("hx-paired");
    levelRows();
  }

  async function show(language) {
    asked = language;
    const link = language && document.querySelector(`.md-select__link[hreflang="${language}"]`);
    let found = new Map();
    try {
      if (link) [found] = await Promise.all([fetched(link.href.split("#")[0]), styled]);
    } catch {
      language = ""; /* offline, or opened from a file: the page stays as it is */
    }
    if (asked !== (link ? link.hreflang : "")) return; /* another one was chosen meanwhile */
    /* At the top of a page the title is read, and stays. */
    const read = scrollY && [...article.querySelectorAll("[id]:is(h1, h2, h3, h4, h5, h6)")]
      .findLast(heading => heading.getBoundingClientRect().top < innerHeight / 3);
    const top = read && read.getBoundingClientRect().top;
    const held = article.querySelector(".hx-names")?.contains(document.activeElement);
    apart();
    for (const button of choices)
      button.setAttribute("aria-pressed", String(button.lang === language));
    try { sessionStorage.setItem("hexapla beside", language); } catch { /* a reader who keeps nothing */ }
    const address = new URL(location);
    language ? address.searchParams.set("with", language) : address.searchParams.delete("with");
    history.replaceState(history.state, "", address);
    const keepPlace = () => {
      if (!read) return;
      const under = top > 0 ? article.querySelector(".hx-names")?.getBoundingClientRect().bottom ?? 0 : top; /* what is in sight stays so */
      scrollBy({top: read.getBoundingClientRect().top - Math.max(top, under), behavior: "instant"});
    };
    if (!found.size) return keepPlace();
    for (const [id, nodes] of sections([...article.childNodes])) {
      const place = document.createComment("");
      nodes[0].before(place);
      place.replaceWith(...pairs(nodes, found.get(id) ?? [], language));
      found.delete(id);
    }
    for (const nodes of found.values()) article.append(pair([], nodes, language));
    article.querySelector(".hx-pair").before(names(language));
    if (held) article.querySelector(".hx-names select").focus({preventScroll: true});
    document.body.classList.add("hx-paired");
    levelRows();
    keepPlace();
  }

  for (const button of choices)
    button.addEventListener("click", () => {
      button.parentElement.hidePopover?.();
      document.activeElement?.closest(".md-select")?.querySelector(":focus").blur(); /* the header's menu closes too */
      show(button.getAttribute("aria-pressed") === "true" ? "" : button.lang);
    });
}
