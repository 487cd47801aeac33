// Goes from finding to finding: J and K, N and P, or the two buttons.
const found = [...document.querySelectorAll("article")];
const keys = {j: 1, n: 1, k: -1, p: -1};
let at = found.findIndex((each) => `#${each.id}` === location.hash);

function go(step) {
  if (!found.length) return;
  at = (Math.max(at, step < 0 ? 0 : -1) + step + found.length) % found.length;
  found[at].focus({preventScroll: true});
  found[at].scrollIntoView({block: "start"});
}

function show(index) {
  at = index;
  document.querySelector("#place").textContent = `${at + 1} of ${found.length}`;
  history.replaceState(null, "", `#${found[at].id}`);
}

found.forEach((each, index) => each.addEventListener("focusin", () => show(index)));
document.querySelectorAll("[data-step]").forEach((each) => {
  each.addEventListener("click", () => go(Number(each.dataset.step)));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key.toLowerCase()]) return;
  event.preventDefault();
  go(keys[event.key.toLowerCase()]);
});
if (at >= 0) found[at].focus();
