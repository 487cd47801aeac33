/* A box above a table leaves the rows that have what is typed; hiragana and katakana find each other. Rows with a head are found
   by it and by that of their group, and by the machine that they ran on; above others, the glossary's, are links to the first
   term of each letter, by the first column; its last rows are in no order. */
{
  const finder = document.querySelector(".hx-terms");
  const fold = text => text.normalize("NFKC").toLowerCase().replace(/[ぁ-ゖ]/g, kana => String.fromCharCode(kana.charCodeAt() + 96));
  const rows = [...finder.nextElementSibling.querySelectorAll("tbody tr:not(:has([scope=rowgroup]))")];
  const headed = rows[0].cells[0].scope === "row";
  const named = row => headed ? [row.parentElement.rows[0].cells[0], row.cells[0]] : [...row.cells].slice(0, -1);
  const texts = rows.map(row => fold(named(row).map(cell => cell.textContent).join("\n")));
  const input = Object.assign(document.createElement("input"), {type: "search", id: "hx-terms"});
  const label = Object.assign(document.createElement("label"), {htmlFor: input.id, textContent: finder.dataset.hxLabel});
  const count = document.createElement("output"), column = document.createElement("select");
  if (headed) {
    column.ariaLabel = finder.dataset.hxAny;
    for (const {firstChild, cellIndex} of rows[0].closest("table").rows[0].cells)
      column.add(new Option(cellIndex ? firstChild.data : finder.dataset.hxAny, cellIndex));
  }
  finder.addEventListener("input", () => {
    const asked = fold(input.value.trim()), at = Number(column.value);
    const ran = row => !at || row.cells[at].matches(".hx-where__ran, .hx-where__partly");
    rows.forEach((row, place) => { row.hidden = !texts[place].includes(asked) || !ran(row); });
    if (headed) for (const {parentElement: group} of rows) group.hidden = ![...group.rows].some((row, at) => at && !row.hidden);
    count.value = asked || at ? `${rows.filter(row => !row.hidden).length} / ${rows.length}` : "";
  });
  const letters = document.createElement("nav");
  let last = "";
  for (const row of headed ? [] : rows) {
    const letter = row.cells[0].textContent[0].toUpperCase();
    if (letter <= last) continue;
    last = letter;
    row.id = `terms-${letter}`;
    row.style.scrollMarginTop = "7.4rem"; /* below the site's head and the table's */
    letters.append(Object.assign(document.createElement("a"), {href: `#${row.id}`, textContent: letter}));
  }
  letters.ariaLabel = `${rows[0].cells[0].dataset.hxHead}: A–${last}`;
  const rules = document.createElement("style");
  rules.textContent = `
    .hx-terms nav { display: flex; flex-wrap: wrap; width: 100%; }
    .hx-terms nav a { min-width: 1.4rem; line-height: 1.6rem; text-align: center; }
    .hx-terms output:empty { margin-left: -0.6rem; } /* no gap behind the fields */
    .md-typeset .hx-terms :is(input, select) { flex: 1; min-width: 0; max-width: 20rem; min-height: 2rem; padding: 0.25rem 0.5rem;
      border: 1px solid var(--md-default-fg-color--light); border-radius: 0.25rem; background: var(--md-default-bg-color);
      color: var(--md-default-fg-color); font: inherit; font-size: 0.8rem; }`;
  finder.append(rules, label, input, ...headed ? [column, count] : [count, letters]);
}
