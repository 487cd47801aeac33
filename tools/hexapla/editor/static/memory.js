// What the translation memory has for a section: the section put together, and texts that are much like its own.

// `made` and `button` make elements; `take` replaces the text of the box, `insert` puts a text at its cursor.
export function memoryPanel({text, left, places, near}, language, {made, button, take, insert}) {
  const panel = made("div", {className: "conflict memory"});
  if (places.length) {
    const rest = left ? ` ${left} word${left === 1 ? " is" : "s are"} left in the source's language.` : "";
    panel.append(
      made("p", {textContent: `From the translation memory: ${places.join(", ")}.${rest}`}),
      made("div", {className: "theirs", lang: language, textContent: text}),
      made("div", {className: "tools"}, button("Take it over", "", () => take(text))));
  }
  for (const offer of near) {
    const runs = offer.runs.map(([kind, words]) => made({gone: "del", new: "ins"}[kind] ?? "span", {textContent: words}));
    panel.append(
      made("p", {}, `${offer.score} % the same, ${offer.place}: `, ...runs),
      made("div", {className: "theirs", lang: language, textContent: offer.target}),
      made("div", {className: "tools"}, button("Insert it", "", () => insert(offer.target))));
  }
  return panel;
}
