/* A page that no theme renders: the reader's own choice of light or dark, and of a source all lines of the block that led here. */
{
  const root = new URL("../../", document.currentScript.src).pathname;
  try {
    const chosen = JSON.parse(localStorage.getItem(`${root}.__palette`))?.color; /* where the theme keeps it */
    if (chosen?.media !== "(prefers-color-scheme)" && chosen?.scheme)
      document.documentElement.dataset.scheme = chosen.scheme;
  } catch { /* a reader who keeps nothing */ }

  const first = Number(location.hash.slice("#L-".length));
  const last = Number(new URLSearchParams(location.search).get("last"));
  for (let line = first; line && line <= last; line++)
    document.getElementById(`L-${line}`)?.classList.add("shown");

  /* A source is in no language: its bar, and the way back, are in that of the page that led here. */
  const back = document.querySelector(".back"), bar = document.querySelector(".bar");
  const front = link => new URL(link.dataset.front, location.href).href;
  const read = back && [...bar.querySelectorAll("[data-front]")].findLast(link => document.referrer.startsWith(front(link)));
  if (read) {
    Object.assign(back, {href: read.href, textContent: read.title, lang: read.lang});
    const site = bar.querySelector("a"), form = bar.querySelector("form");
    site.href = form.action = front(read);
    site.lang = read.lang;
    site.lastElementChild.textContent = read.dataset.site;
    bar.querySelector("[popovertarget]").textContent = read.textContent;
  }
}
