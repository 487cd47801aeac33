/* On a phone the front page's parts are folded, but for the one in the address, and its sample is shown in one language at a
   time. In a wide window, and without this script, all of it is open. */
if (matchMedia("(max-width: 44.99em)").matches) {
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  /* A heading, or the first lines of a door, with what follows it. */
  function fold(first, lines) {
    const all = [first];
    for (let next = first.nextElementSibling; next && !next.matches("h3"); next = next.nextElementSibling) all.push(next);
    const details = make("details", {className: "fold"});
    first.before(details);
    details.append(make("summary", {}, ...all.slice(0, lines)), ...all.slice(lines));
  }
  function unfold() {
    const named = document.getElementById(location.hash.slice(1))?.closest(".fold");
    if (named) named.open = true;
  }
  addEventListener("hashchange", unfold);

  const passages = [...document.querySelectorAll(".hx-parallel > div")];
  const buttons = passages.map(({dataset, lang}) =>
    make("button", {type: "button", lang: lang || document.documentElement.lang, textContent: dataset.name}));
  function show(chosen) {
    for (const [at, passage] of passages.entries()) {
      passage.hidden = at !== chosen;
      buttons[at].ariaPressed = String(at === chosen);
    }
  }
  for (const [at, button] of buttons.entries()) button.addEventListener("click", () => show(at));

  document.head.append(make("link", {rel: "stylesheet", href: new URL("front.css", document.currentScript.src), onload() {
    for (const head of document.querySelectorAll(".hx-index > h3")) fold(head, 1);
    for (const head of document.querySelectorAll(".hx-doors li > p:first-child")) fold(head, 2);
    unfold();
    passages[0].before(make("div", {className: "sample__languages"}, ...buttons));
    show(0);
  }}));
}
