/* A box above the glossary's table leaves the rows that have what is typed; hiragana and katakana find each other. */
{
  const finder = document.querySelector(".hx-terms");
  const fold = text => text.normalize("NFKC").toLowerCase().replace(/[ぁ-ゖ]/g, kana => String.fromCharCode(kana.charCodeAt() + 96));
  const rows = [...finder.nextElementSibling.querySelectorAll("tbody tr")];
  const texts = rows.map(row => fold([...row.cells].slice(0, -1).map(cell => cell.textContent).join("\n")));
  const input = Object.assign(document.createElement("input"), {type: "search", id: "hx-terms"});
  const label = Object.assign(document.createElement("label"), {htmlFor: input.id, textContent: finder.dataset.hxLabel});
  const count = document.createElement("output");
  input.addEventListener("input", () => {
    const asked = fold(input.value.trim());
    rows.forEach((row, at) => { row.hidden = !texts[at].includes(asked); });
    count.value = asked && `${rows.filter(row => !row.hidden).length} / ${rows.length}`;
  });
  finder.append(label, input, count);
}
