/* What a page cannot know when it is built: where its reader is, and where a missing page was looked for. */

/* Switching language keeps the place: the heading in the address while it is in sight, or else the last one above the
   fold. Headings have the same id in every language. */
function place() {
  const top = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.getBoundingClientRect().top;
  if (location.hash && top >= 0 && top < innerHeight) return location.hash;
  const passed = [...document.querySelectorAll("article :is(h2, h3, h4, h5, h6)[id]")]
    .filter(heading => heading.getBoundingClientRect().top < innerHeight / 3);
  return passed.length ? "#" + encodeURIComponent(passed.at(-1).id) : "";
}

for (const link of document.querySelectorAll(".md-select__link[hreflang]")) {
  const keep = () => { link.hash = place(); };
  for (const event of ["pointerenter", "focus", "click"]) link.addEventListener(event, keep);
  if (link.hreflang === document.documentElement.lang) link.setAttribute("aria-current", "true");
}

/* Servers answer with one 404.html, whatever the language of the address. */
const messages = [...document.querySelectorAll("[data-hx-not-found]")];
if (messages.length) {
  const root = new URL(document.querySelector("[data-hx-root]").dataset.hxRoot, location.href).pathname;
  const first = location.pathname.slice(root.length).split("/")[0];
  const own = messages.find(message => message.dataset.hxNotFound === first) ?? messages[0];
  for (const message of messages) message.hidden = message !== own;
}

/* The theme's search box asks when a key goes up. Text that was pasted or spoken, or that an input method has put
   together, brings no key. */
const box = document.querySelector(".md-search__input");
if (box) {
  const ask = () => box.dispatchEvent(new Event("keyup"));
  box.addEventListener("input", event => { if (!event.isComposing) ask(); });
  box.addEventListener("compositionend", ask);
  box.form.addEventListener("reset", () => setTimeout(ask));
  addEventListener("keydown", event => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  /* Where nothing is found our worker offers other pages, which are no matches, and terms to ask for; it says so. */
  const term = text => {
    const button = Object.assign(document.createElement("button"), {type: "button", className: "hx-term", textContent: text});
    button.addEventListener("click", () => { box.value = text; box.focus(); ask(); });
    return button;
  };
  const meta = document.querySelector(".md-search-result__meta");
  new MutationObserver(() => {
    const nothing = document.querySelector("[data-hx-nothing]");
    if (!nothing) return;
    const [before, after = ""] = nothing.dataset.hxNothing.split("{terms}");
    const terms = nothing.dataset.hxNearest.split(" ").filter(Boolean).map(term);
    meta.replaceChildren(before, ...terms.flatMap((each, at) => at ? [" ", each] : [each]), after);
  }).observe(document.querySelector(".md-search-result__list"), {childList: true});
}

/* The theme's search dialog has no name for a screen reader; its box has one. */
const dialog = document.querySelector(".md-search[role=dialog]");
dialog?.setAttribute("aria-label", dialog.querySelector("input").getAttribute("aria-label"));
