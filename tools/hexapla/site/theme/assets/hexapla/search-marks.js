/* Marks on a page what was searched for: whole words where a script has spaces, and none in blocks of code. The address has
   each term with signs around that the theme's own marking does not find on the page: it marks parts of words too. */
{
  const escape = text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const LETTER = "(?:(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}])[\\p{L}\\p{N}_])";
  const terms = new URLSearchParams(location.search).get("h").split(" ").map(each => each.match(/^__(.+)__$/)?.[1]).filter(Boolean);
  const pattern = term => {
    const whole = term.split("_").map(escape).join("[-_./\\s]?"), letter = new RegExp(LETTER, "u");
    return (letter.test(term[0]) ? `(?<!${LETTER})` : "") + whole + (letter.test(term.at(-1)) ? `(?!${LETTER})` : "");
  };
  const any = new RegExp(`(${terms.sort((a, b) => b.length - a.length).map(pattern).join("|")})`, "iu");
  const nodes = document.createNodeIterator(document.querySelector("article"), NodeFilter.SHOW_TEXT), texts = [];
  for (let node; terms.length && (node = nodes.nextNode());)
    if (any.test(node.data) && !node.parentElement.closest("pre, math, svg, script, style, select, button, nav, .hx-toc")) texts.push(node);
  for (const node of texts)
    node.replaceWith(...node.data.split(any).map((part, at) => {
      if (at % 2 === 0) return part;
      const mark = Object.assign(document.createElement("mark"), {textContent: part});
      mark.dataset.mdHighlight = "";
      return mark;
    }));
}
