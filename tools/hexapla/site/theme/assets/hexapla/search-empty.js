/* What the search shows while nothing is typed: the first links of each door of the language's front page, as hits. Loaded
   when the box is first entered. A front page without doors offers nothing. */
{
  const LINKS = 2;  // of a door
  const box = document.querySelector(".md-search__input"), list = document.querySelector(".md-search-result__list");
  const front = document.querySelector(".md-logo").href;
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const hit = (link, door) => {
    const title = make("h2", {}, ...door ? [make("small", {className: "hx-place"}, door)] : [], link.textContent);
    const article = make("article", {className: "md-search-result__article md-typeset"}, title);
    article.dataset.mdScore = 1;  // the theme's script opens the best one
    return make("a", {className: "md-search-result__link", href: new URL(link.getAttribute("href"), front)}, article);
  };
  const show = async () => {
    const answer = await fetch(front);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const items = [...page.querySelectorAll(".hx-doors li")].map(door => make("li", {className: "md-search-result__item"},
      ...[...door.querySelectorAll("a")].slice(0, LINKS).map((link, at) => hit(link, at ? "" : door.querySelector("strong")?.textContent))));
    const fill = () => { if (!box.value && !list.childElementCount) list.append(...items); };
    /* The theme's script empties the list with each answer, that to an empty box among them. */
    new MutationObserver(fill).observe(list, {childList: true});
    box.addEventListener("input", () => { if (box.value) for (const each of items) each.remove(); });
    fill();
  };
  show().catch(() => { /* the box works without */ });
}
