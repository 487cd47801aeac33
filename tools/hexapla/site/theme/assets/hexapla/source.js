/* The page of a snippet's source: the reader's own choice of light or dark, and all lines of the block that led here. */
{
  const root = new URL(`${document.body.dataset.root}/`, location.href).pathname;
  try {
    const chosen = JSON.parse(localStorage.getItem(`${root}.__palette`))?.color; /* where the theme keeps it */
    if (chosen?.media !== "(prefers-color-scheme)" && chosen?.scheme)
      document.documentElement.dataset.scheme = chosen.scheme;
  } catch { /* a reader who keeps nothing */ }

  const first = Number(location.hash.slice("#L-".length));
  const last = Number(new URLSearchParams(location.search).get("last"));
  for (let line = first; line && line <= last; line++)
    document.getElementById(`L-${line}`)?.classList.add("shown");
}
