/* What a page cannot know when it is built: where its reader is, and where a missing page was looked for. */

/* Switching language keeps the place: the heading in the address, or else the last one above the fold. Headings have
   the same id in every language. */
function place() {
  if (location.hash) return location.hash;
  const passed = [...document.querySelectorAll("article :is(h2, h3, h4, h5, h6)[id]")]
    .filter(heading => heading.getBoundingClientRect().top < innerHeight / 3);
  return passed.length ? "#" + encodeURIComponent(passed.at(-1).id) : "";
}

for (const link of document.querySelectorAll(".md-select__link[hreflang]")) {
  const keep = () => { link.hash = place(); };
  for (const event of ["pointerenter", "focus", "click"]) link.addEventListener(event, keep);
}

/* Servers answer with one 404.html, whatever the language of the address. */
const messages = [...document.querySelectorAll("[data-hx-not-found]")];
if (messages.length) {
  const root = new URL(document.querySelector("[data-hx-root]").dataset.hxRoot, location.href).pathname;
  const first = location.pathname.slice(root.length).split("/")[0];
  const own = messages.find(message => message.dataset.hxNotFound === first) ?? messages[0];
  for (const message of messages) message.hidden = message !== own;
}

/* The theme's search dialog has no name for a screen reader; its box has one. */
const dialog = document.querySelector(".md-search[role=dialog]");
dialog?.setAttribute("aria-label", dialog.querySelector("input").getAttribute("aria-label"));
