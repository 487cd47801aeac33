// The editor's page: rows of sections, a text box a language, everything by keyboard.
// Text of pages is never made into HTML here; the preview's HTML goes into a frame where nothing runs.

import * as drafts from "./drafts.js";
import {memoryPanel} from "./memory.js";
import * as session from "./session.js";

const TYPING = 150; // milliseconds without a key before a text is looked at
const AGAIN = 3000; // milliseconds before a save that was not answered is tried again
const MAC = /^Mac|^iP/.test(navigator.platform); // Option with a key types a character there, with an arrow moves by words
const rows = document.querySelector("#rows");
const picker = document.querySelector("#page");
const editor = {source: "en", languages: [], pages: [], terms: [], open: {}, shown: new Set(), page: "", last: null};
let lost = false; // whether the program did not answer the last time
const boxes = new Map(); // text box -> {language, section, version, saved, cell, row}

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function say(text) {
  document.querySelector("#said").textContent = text.charAt(0).toUpperCase() + text.slice(1);
}

const get = (path) => ask(path, {});
const pageAt = (name) => get(`page/${name.split("/").map(encodeURIComponent).join("/")}`);
const post = (path, body) => ask(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});

// Status 0 stands for no answer of the program; `lost` says that the last one was that.
async function ask(path, options) {
  for (const again of [false, true]) {
    const refused = (again || lost) && await session.reconnect(); // before: what is typed is for the program alone
    if (refused) return {ok: false, status: 0, message: refused};
    const response = await fetch(`api/${path}`, options).catch(() => null);
    const found = response && await body(response).catch(() => null);
    if (found && lost) say("The editor's program answers again.");
    lost = !found;
    if (found) return {ok: response.ok, status: response.status, ...found};
  }
  return {ok: false, status: 0, message: session.NO_ANSWER};
}

// Null where it is not this program that answers.
async function body(response) {
  if (response.headers.get("content-type")?.startsWith("application/json")) return response.json();
  return [403, 413, 415].includes(response.status) ? {message: await response.text()} : null;
}

function place(box) {
  const {language, section} = boxes.get(box);
  return {page: editor.page, language, section};
}

// White space behind the last line is not saved: it makes no difference.
const differs = (box) => box.value.trimEnd() !== boxes.get(box).saved.trimEnd();
const unsaved = () => [...boxes.keys()].filter(differs);

// ---- opening

async function open() {
  const found = await get("contents");
  if (!found.ok) return say(found.message);
  const {key, ...about} = found;
  await session.share(key);
  Object.assign(editor, about);
  if (!editor.shown.size) editor.shown = new Set(kept("languages", editor.languages).filter((code) => editor.languages.includes(code)));
  listPages();
  listLanguages();
  const wanted = decodeURIComponent(location.hash.slice(1));
  await openPage(editor.pages.includes(wanted) ? wanted : editor.pages[0]);
  editor.counted = count();
}

// How much there is to do on the other pages: all of them are read for that, so the first one is shown before.
async function count() {
  const found = await get("overview");
  if (!found.ok) return say(found.message);
  editor.open = {...found.pages, ...editor.open}; // a page that was opened meanwhile is known better
  listPages();
}

function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`hexapla ${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function listPages() {
  picker.replaceChildren(...editor.pages.map((page) => {
    const left = Object.entries(editor.open[page] ?? {}).filter(([, open]) => open).map(([code, open]) => `${code} ${open}`);
    return new Option(left.length ? `${page} (${left.join(", ")} to do)` : page, page, false, page === editor.page);
  }));
}

function listLanguages() {
  const boxesOfLanguages = editor.languages.map((code) => {
    const box = made("input", {type: "checkbox", checked: editor.shown.has(code)});
    box.addEventListener("change", () => {
      editor.shown[box.checked ? "add" : "delete"](code);
      localStorage.setItem("hexapla languages", JSON.stringify([...editor.shown]));
      showLanguages();
    });
    return made("label", {}, box, ` ${code}`);
  });
  document.querySelector("#languages").replaceChildren(made("legend", {textContent: "Languages"}), ...boxesOfLanguages);
}

function showLanguages() {
  for (const cell of document.querySelectorAll(".cell.translation")) cell.hidden = !editor.shown.has(cell.dataset.language);
  rows.style.setProperty("--columns", 1 + editor.languages.filter((code) => editor.shown.has(code)).length);
}

async function openPage(name) {
  if (name === undefined) return say("This tree has no pages.");
  rows.setAttribute("aria-busy", "true");
  const found = await pageAt(name);
  if (!found.ok) {
    rows.removeAttribute("aria-busy");
    return say(found.message);
  }
  editor.page = name;
  editor.last = null;
  Object.assign(editor.open, found.pages);
  listPages();
  document.title = `${name} - Hexapla`;
  history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  boxes.clear();
  rows.replaceChildren(...found.rows.map(row));
  showLanguages();
  rows.removeAttribute("aria-busy");
  say("");
  await offerDrafts();
}

function row(data) {
  const element = made("section", {className: "row"});
  element.dataset.section = data.id;
  const cells = new Map(data.cells.map((cell) => [cell.language, cell]));
  const own = cells.get(editor.source);
  element.append(own ? sourceCell(data, own) : made("div", {className: "cell", textContent: "Not in the source."}));
  const terms = new Set([...element.querySelectorAll(".source mark")].map((mark) => termOf(mark.textContent)));
  for (const code of editor.languages) element.append(cells.has(code) ? translationCell(data, cells.get(code), [...terms]) : translation(code));
  return element;
}

const titled = (data) => data.title || "Above the first heading";

function head(language, name, ...more) {
  return made("h2", {}, made("span", {className: "language", textContent: language}), made("b", {textContent: name}), ...more);
}

function sourceCell(data, cell) {
  const text = made("div", {className: "text", lang: editor.source});
  text.append(...marked(cell.text));
  return made("div", {className: "cell source"}, head(editor.source, titled(data)), text);
}

// What is no prose comes first, so that no term is found in it: fences, directives, code, link targets, ids.
const VERBATIM = "^ *```[^]*?^ *```|--8<--.*|`[^`]*`|\\]\\([^)]*\\)|\\{[^}\\n]*\\}|https?:\\S+";

function termShape() {
  const words = editor.terms.map(({term}) => term).sort((one, other) => other.length - one.length);
  const shape = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return shape && new RegExp(`${VERBATIM}|(?<![\\w-])(?<term>${shape})(?![\\w-])`, "gim");
}

function* marked(text) {
  editor.shape ??= termShape();
  if (!editor.shape) return yield text;
  let last = 0;
  for (const match of text.matchAll(editor.shape)) {
    if (!match.groups.term) continue;
    const entry = termOf(match[0]);
    yield text.slice(last, match.index);
    yield made("mark", {textContent: match[0], title: Object.entries(entry.renderings).map(([code, word]) => `${code}: ${word || "?"}`).join("\n")});
    last = match.index + match[0].length;
  }
  yield text.slice(last);
}

const termOf = (word) => editor.terms.find(({term}) => term.toLowerCase() === word.toLowerCase());

// ---- a translation's cell

// Its language is that of its text alone: the buttons are English.
function translation(language) {
  const element = made("div", {className: "cell translation"});
  element.dataset.language = language;
  return element;
}

function translationCell(data, cell, terms) {
  const own = data.cells.find(({language}) => language === editor.source);
  const source = own?.text ?? "";
  const box = made("textarea", {value: cell.text, lang: cell.language, spellcheck: true});
  box.setAttribute("aria-label", `${titled(data)}, ${cell.language}`);
  const element = translation(cell.language);
  const tools = made("div", {className: "tools"},
    button("Save", "Ctrl+S", () => save(box)), button("Still right", chord("R"), () => read(box), "read"),
    button("Preview", chord("P"), () => preview(box)), button("What changed", chord("C"), () => changed(box), "change"),
    button("Copy the source", chord("S"), () => copied(box), "copy"), button("Memory", chord("M"), () => remembered(box)));
  element.append(head(cell.language, "", made("span", {className: "state"})), box, tools, keepers(data, cell.language, terms, box),
    made("p", {className: "review"}), made("ul", {className: "doubts"}), made("ul", {className: "findings"}), made("div", {className: "below"}));
  box.classList.toggle("short", source !== "" && !source.includes("\n"));
  box.rows = box.value.split("\n").length + 2;
  boxes.set(box, {language: cell.language, section: data.id, version: cell.version, saved: box.value, cell: element, state: cell, source, sourceVersion: own?.version ?? ""});
  let waiting = 0;
  box.addEventListener("input", () => {
    badge(box);
    store(box);
    clearTimeout(waiting);
    waiting = setTimeout(() => look(box), TYPING);
  });
  box.addEventListener("focus", () => look(box), {once: true});
  element.addEventListener("focusin", () => { editor.last = box; });
  badge(box);
  return element;
}

function button(text, title, action, className = "") {
  const element = made("button", {type: "button", textContent: text, title, className});
  element.addEventListener("click", action);
  return element;
}

// The text of a box in the browser's storage while it is not saved, at every key.
async function store(box) {
  const {version, sourceVersion} = boxes.get(box);
  const at = {tree: editor.tree, ...place(box)};
  if (!differs(box)) return drafts.forget(at);
  if (!await drafts.keep(at, {text: box.value, version, source: sourceVersion})) say("The browser's storage is full or forbidden: save this section soon.");
}

// Texts that another window, or this one before it was loaded again, did not save. Those whose section or page is not
// there any more are offered above the page.
async function offerDrafts() {
  const page = editor.page;
  for (const draft of await drafts.others(editor.tree)) {
    if (editor.page !== page) return;
    const box = draft.page === page && [...boxes.keys()].find((each) => boxes.get(each).language === draft.language && boxes.get(each).section === draft.section);
    if (box || draft.page === page || !editor.pages.includes(draft.page)) offer(draft, box);
  }
}

function offer(draft, box) {
  const about = boxes.get(box);
  if (about && draft.text.trimEnd() === about.saved.trimEnd()) return drafts.forget(draft, draft.session);
  const changed = !about ? ` Its place is gone: ${draft.page}, ${draft.language}, ${draft.section}.` : draft.version !== about.version ? " The section has changed on disk since." : draft.source !== about.sourceVersion ? " The source has changed since." : "";
  const settle = () => { drafts.forget(draft, draft.session); shown.remove(); };
  const back = () => {
    const own = differs(box) && {...draft, text: box.value, version: about.version, session: crypto.randomUUID(), time: Date.now()};
    about.version = draft.version; // saving it tells of what was changed on disk since
    replaceText(box, draft.text);
    settle();
    if (own) offer(own, box);
    if (own) drafts.keep(own, own, own.session);
  };
  const shown = made("div", {className: "conflict offer"},
    made("p", {textContent: `Not saved, typed ${new Date(draft.time).toLocaleString()}.${changed}`}),
    made("div", {className: "theirs", lang: draft.language, textContent: draft.text}),
    made("div", {className: "tools"}, ...[about && button("Put it back", "", back), button("Discard it", "", settle)].filter(Boolean)));
  (about ? about.cell.querySelector(".below") : rows).prepend(shown);
  say(`A text that was not saved is offered ${about ? "below its section" : "above the page"}.`);
}

function keepers(data, language, terms, box) {
  const items = [...new Set([...terms.map(({renderings}) => renderings[language]).filter(Boolean), ...data.keep])];
  const list = made("div", {className: "tools keep"});
  list.append(...items.map((item, index) => {
    const element = button(item, index < 9 ? chord(index + 1) : "", () => insert(box, item));
    element.lang = language;
    element.dataset.item = item;
    return element;
  }));
  return list;
}

// execCommand alone puts text in so that the browser can undo it; where there is none, setRangeText has to do.
function insert(box, text) {
  box.focus();
  if (text ? document.execCommand("insertText", false, text) : document.execCommand("delete")) return;
  box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input"));
}

function replaceText(box, text) {
  box.focus();
  box.select();
  insert(box, text);
}

function copied(box) {
  if (box.value.trim()) return say("There is a text already.");
  replaceText(box, boxes.get(box).source);
}

// What the translation memory has: put into an empty box where nothing is lacking, and offered below it.
async function remembered(box) {
  const below = boxes.get(box).cell.querySelector(".below");
  const there = below.querySelector(".memory");
  if (there) return there.remove();
  const found = await post("memory", place(box));
  if (!found.ok) return say(found.message);
  if (!found.places.length && !found.near.length) return say("The translation memory has nothing for this section.");
  below.prepend(memoryPanel(found, box.lang, {made, button, take: (text) => replaceText(box, text), insert: (text) => insert(box, text)}));
  if (!box.value.trim() && found.places.length && !found.left) {
    replaceText(box, found.text);
    say("Taken over from the translation memory: read it, and save it.");
  }
}

function badge(box) {
  const {cell, saved, state, waiting} = boxes.get(box);
  const words = state.words ? `, ${state.words} word${state.words === 1 ? "" : "s"}` : "";
  const shown = state.state.replace("-", " ");
  const [name, text] = differs(box) ? ["unsaved", waiting ? "not saved, trying again" : "not saved"] : [state.state, (state.change ? `${shown}: ${state.change}` : shown) + words];
  Object.assign(cell.querySelector(".state"), {className: `state ${name}`, textContent: text, title: state.note ?? ""});
  cell.querySelector(".copy").hidden = Boolean(box.value.trim());
  cell.querySelector(".review").textContent = state.review && !differs(box) ? `Needs review: ${state.review}` : "";
  cell.querySelector(".read").textContent = state.state === "needs-review" ? "Reviewed" : "Still right";
  cell.querySelector(".read").hidden = !saved.trim() || ["current", "extra"].includes(state.state);
  cell.querySelector(".change").hidden = state.state !== "behind";
  for (const each of cell.querySelectorAll(".keep button")) each.classList.toggle("absent", !box.value.includes(each.dataset.item));
  listDoubts(box, state.doubts);
}

// What a review doubts of the text as it is saved. What stays is neither made again nor moved: a reason is typed there.
function listDoubts(box, doubts) {
  const shown = boxes.get(box).cell.querySelector(".doubts");
  shown.hidden = differs(box);
  const told = JSON.stringify(doubts);
  if ((shown.dataset.told ?? "[]") === told) return;
  shown.dataset.told = told;
  const known = new Map([...shown.children].map((item) => [item.dataset.doubt, item]));
  const items = doubts.map((doubt) => doubtItem(box, doubt, known.get(`${doubt.id} ${doubt.judge}`)));
  for (const item of known.values()) if (!items.includes(item)) item.remove();
  items.forEach((item, place) => item === shown.children[place] || shown.insertBefore(item, shown.children[place]));
}

function doubtItem(box, doubt, known) {
  const go = button(`${doubt.line} ${doubt.kind}: ${doubt.message}`, chord("J"), () => goTo(box, doubt));
  if (known) {
    known.firstChild.replaceWith(go);
    return known;
  }
  const why = made("input", {placeholder: "why it is none"});
  why.setAttribute("aria-label", `Why it is none: ${doubt.message}`);
  const dismiss = () => dismissed(box, doubt, why.value);
  why.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && dismiss());
  const item = made("li", {}, go, made("span", {className: "tools"}, why, button("Dismiss", chord("L"), dismiss)));
  item.dataset.doubt = `${doubt.id} ${doubt.judge}`;
  return item;
}

async function dismissed(box, {id}, reason) {
  const done = await post("dismiss", {...place(box), doubt: id, reason});
  await settled(done.ok ? "Dismissed." : done.message);
  if (done.ok) box.focus();
}

// The doubts that are shown, one after the other.
function nextDoubt() {
  const items = [...document.querySelectorAll(".cell:not([hidden]) .doubts:not([hidden]) li")];
  if (!items.length) return say("Nothing is doubted on this page.");
  const next = items[(items.indexOf(editor.doubt) + 1) % items.length];
  reach(next.closest(".cell").querySelector("textarea"));
  next.querySelector("button").click();
  editor.doubt = next;
}

// Why the doubt that one went to, or the first of the section, is none: the field for that.
function dismissal() {
  const items = [...current()?.closest(".cell").querySelectorAll(".doubts:not([hidden]) li") ?? []];
  (items.find((item) => item === editor.doubt) ?? items[0])?.querySelector("input").focus();
}

async function look(box) {
  if (!box.value.trim()) return list(box, []);
  const text = box.value;
  const found = await post("check", {...place(box), text});
  if (!boxes.has(box) || box.value !== text) return; // typed on meanwhile: a later look has the word
  list(box, found.ok ? found.findings : found.findings ?? [{severity: "error", rule: "", line: 1, column: 1, message: found.message, hint: ""}]);
  if (boxes.get(box).cell.querySelector("iframe")) preview(box, true);
}

function list(box, findings) {
  boxes.get(box)?.cell.querySelector(".findings").replaceChildren(...findings.map((finding) => {
    const go = button(`${finding.line}:${finding.column} ${finding.rule}: ${finding.message}; ${finding.hint}`, "", () => goTo(box, finding));
    return made("li", {className: finding.severity}, go);
  }));
}

function goTo(box, {line, column = 1}) {
  const start = box.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + column - 1;
  box.focus();
  box.setSelectionRange(start, start);
}

async function preview(box, again = false) {
  const below = boxes.get(box).cell.querySelector(".below");
  let frame = below.querySelector("iframe");
  if (frame && !again) return frame.remove();
  if (!frame && !box.value.trim()) return say("There is nothing to preview.");
  const {html, ok, message} = await post("preview", {text: box.value});
  if (!ok) return say(message);
  if (!frame) {
    frame = made("iframe", {title: "Preview"});
    frame.setAttribute("sandbox", "allow-same-origin"); // no scripts; same origin for the style sheet and the height
    frame.addEventListener("load", () => { frame.style.height = `${frame.contentDocument.documentElement.offsetHeight + 2}px`; });
    below.append(frame);
  }
  const sheet = new URL("static/preview.css", location.href).pathname;
  frame.srcdoc = `<!doctype html><html lang="${box.lang}"><link rel="stylesheet" href="${sheet}"><body>${html}</body></html>`;
}

// What became of the source since the translation was made, shown in the place of the source's text.
async function changed(box) {
  const source = box.closest(".row").querySelector(".source");
  if (!source) return say("The source has no such section.");
  const text = source.querySelector(".text");
  const there = source.querySelector(".changed");
  there?.remove();
  text.hidden = false;
  if (there?.dataset.language === box.lang) return;
  const found = await post("changed", place(box));
  if (!found.ok) return say(found.message);
  if (!found.runs && !found.code && !found.output) {
    const behind = boxes.get(box).state.state === "behind";
    return say(behind ? "The source has changed, and git does not have what it was before." : "No change of the source is known.");
  }
  const shown = made("div", {className: "changed", lang: editor.source}, made("p", {className: "since", textContent: `Since the translation into ${box.lang}:`}));
  shown.dataset.language = box.lang;
  for (const [kind, words] of found.runs ?? [["kept", boxes.get(box).source]]) shown.append(made({gone: "del", new: "ins"}[kind] ?? "span", {textContent: words}));
  for (const lines of [found.code, found.output].filter(Boolean)) shown.append(made("pre", {}, ...lines.map((line) => made({"-": "del", "+": "ins"}[line[0]] ?? "span", {textContent: `${line}\n`}))));
  text.before(shown);
  text.hidden = true;
}

// A save that is not answered is tried again until it is; what was typed stays in the box and in the storage.
async function save(box) {
  const about = boxes.get(box);
  const text = box.value;
  const at = place(box);
  const meant = about.doubted === text ? "yes" : "";
  clearTimeout(about.waiting);
  about.waiting = 0;
  const done = await post("save", {...at, text, version: about.version, meant});
  if (done.ok) {
    Object.assign(about, {version: done.version, saved: text});
    if (box.value === text) drafts.forget({tree: editor.tree, ...at});
    else if (boxes.has(box)) store(box); // typed on meanwhile
    return settled("Saved.");
  }
  if (!boxes.has(box)) return say(`${at.page}, ${at.language}: ${done.message}`); // another page is open meanwhile
  say(done.message);
  if (done.doubtful) about.doubted = text;
  if (done.findings) list(box, done.findings);
  if (done.status === 409) conflict(box, done);
  if (done.status === 0 || done.status >= 500) about.waiting = setTimeout(() => boxes.has(box) && save(box), AGAIN);
  badge(box);
}

async function read(box) {
  const about = boxes.get(box);
  if (differs(box)) return say("Save this section, or undo what you typed: it differs from the page.");
  const done = await post("read", {...place(box), meant: about.doubted === about.saved ? "yes" : ""});
  if (done.doubtful) about.doubted = about.saved;
  if (done.findings) list(box, done.findings);
  return done.ok ? settled("Recorded.") : say(done.message);
}

async function settled(message) {
  const found = await pageAt(editor.page);
  if (found.ok) refresh(found);
  say(message);
}

// What is on disk now, put into the boxes where nobody is typing; a box that is typed in keeps its text and its
// version, so that saving it tells of the conflict.
function refresh(found) {
  const cells = new Map(found.rows.flatMap(({id, cells}) => cells.map((cell) => [`${cell.language} ${id}`, cell])));
  for (const [box, about] of boxes) {
    const cell = cells.get(`${about.language} ${about.section}`);
    if (!cell) continue;
    const typed = differs(box) && box.value.trimEnd() !== cell.text;
    if (!typed && box.value.trimEnd() !== cell.text) box.value = cell.text;
    if (!typed) Object.assign(about, {version: cell.version, saved: box.value});
    about.state = cell;
    const own = cells.get(`${editor.source} ${about.section}`);
    Object.assign(about, {source: own?.text ?? "", sourceVersion: own?.version ?? ""});
    badge(box);
  }
  for (const text of document.querySelectorAll(".source .text")) {
    const cell = cells.get(`${editor.source} ${text.closest(".row").dataset.section}`);
    if (cell && cell.text !== text.textContent) text.replaceChildren(...marked(cell.text));
  }
  Object.assign(editor.open, found.pages);
  listPages();
}

// The difference between what was typed and what is on disk is marked: words of the one alone, words of the other alone.
function conflict(box, {text, version, runs}) {
  const about = boxes.get(box);
  const below = about.cell.querySelector(".below");
  below.querySelector(".conflict:not(.offer)")?.remove();
  const settle = (value) => {
    Object.assign(about, {version, saved: text});
    if (box.value !== value) replaceText(box, value);
    shown.remove();
    store(box);
    badge(box);
    look(box);
  };
  const mine = box.value;
  const shown = made("div", {className: "conflict"},
    made("p", {textContent: "This is the section on disk now. Marked: what is there alone, and, struck through, what you typed alone."}),
    made("div", {className: "theirs", lang: box.lang}, ...runs.map(([kind, words]) => made({gone: "del", new: "ins"}[kind] ?? "span", {textContent: words}))),
    made("div", {className: "tools"}, button("Take this one", "", () => settle(text)),
      button("Go on with mine", "the next save replaces it", () => settle(mine))));
  below.prepend(shown);
  shown.scrollIntoView({block: "nearest"});
}

// ---- keys

function current() {
  return document.activeElement.closest(".cell.translation")?.querySelector("textarea") ?? null;
}

function step(down, right) {
  const box = current();
  const shown = [...boxes.keys()].filter((each) => !each.closest(".cell").hidden);
  if (!shown.length) return;
  if (!box) return reach(shown[0]);
  const own = boxes.get(box);
  const languages = editor.languages.filter((code) => editor.shown.has(code));
  const sections = [...new Set(shown.map((each) => boxes.get(each).section))];
  const language = languages[(languages.indexOf(own.language) + right + languages.length) % languages.length];
  for (let at = sections.indexOf(own.section) + down; sections[at] !== undefined; at += down || Infinity) {
    const next = shown.find((each) => boxes.get(each).section === sections[at] && boxes.get(each).language === language);
    if (next) return reach(next);
  }
}

function reach(box) {
  box.focus({preventScroll: true});
  const row = box.closest(".row");
  row.style.scrollMarginTop = `${document.querySelector("header").offsetHeight}px`;
  row.scrollIntoView({block: row.offsetHeight < innerHeight / 2 ? "center" : "start"});
}

const todo = (about) => !["current", "extra"].includes(about.state.state);

// From the section where one was last, also when a button has the focus since.
async function next() {
  const shown = [...boxes.keys()].filter((each) => !each.closest(".cell").hidden);
  const from = shown.indexOf(editor.last);
  const found = [...shown.slice(from + 1), ...shown.slice(0, from + 1)].find((box) => todo(boxes.get(box)) && box !== editor.last);
  if (found && shown.indexOf(found) > from) return reach(found);
  await editor.counted;
  const at = editor.pages.indexOf(editor.page);
  const later = [...editor.pages.slice(at + 1), ...editor.pages.slice(0, at)];
  const page = later.find((name) => Object.entries(editor.open[name] ?? {}).some(([code, open]) => editor.shown.has(code) && open));
  if (!page && found) return reach(found);
  if (!page) return say(editor.last && todo(boxes.get(editor.last)) ? "This is the only section to do." : "Nothing to do: every section is current.");
  if (unsaved().length) return found ? reach(found) : say("Save or undo what you typed first.");
  await openPage(page);
  const first = [...boxes.keys()].find((box) => !box.closest(".cell").hidden && todo(boxes.get(box)));
  if (first) reach(first);
}

function help() {
  const list = document.querySelector("#help");
  list.hidden = !list.hidden;
  document.querySelector("#keys").setAttribute("aria-expanded", String(!list.hidden));
}

const KEYS = {
  ArrowDown: () => step(1, 0), ArrowUp: () => step(-1, 0), ArrowRight: () => step(0, 1), ArrowLeft: () => step(0, -1),
  KeyB: next, KeyH: help, KeyS: () => current() && copied(current()),
  KeyR: () => current() && read(current()), KeyP: () => current() && preview(current()), KeyC: () => current() && changed(current()),
  KeyM: () => current() && remembered(current()), KeyJ: nextDoubt, KeyL: dismissal,
};

// Where a layout gives a key with Alt a character of its own, it is typed: `[` is Option+5 on a German Mac.
const types = (event) => !MAC && /^(?:Key|Digit)/.test(event.code) && event.key.length === 1 && !/[a-z0-9]/i.test(event.key);
const chord = (key) => `${MAC ? "Ctrl+Option" : "Alt"}+${key}`;

document.addEventListener("keydown", (event) => {
  if (event.isComposing) return; // the input method's own keys
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.code === "KeyS") {
    event.preventDefault();
    if (current()) save(current());
  } else if (event.altKey && event.ctrlKey === MAC && !event.metaKey && !types(event)) {
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    const item = digit && current()?.closest(".cell").querySelectorAll(".keep button")[digit - 1];
    const action = item ? () => item.click() : KEYS[event.code];
    if (action) {
      event.preventDefault();
      action();
    }
  }
});

picker.addEventListener("change", () => {
  if (!unsaved().length || confirm("Leave this page? What you typed and did not save is kept in this browser, and offered when you come back.")) return openPage(picker.value);
  picker.value = editor.page;
});
for (const key of document.querySelectorAll("#help kbd")) if (MAC && key.textContent === "Alt") key.textContent = "Ctrl+Option";
for (const each of document.querySelectorAll("header button")) each.title = chord(each.title.slice(-1));
document.querySelector("#next").addEventListener("click", next);
document.querySelector("#keys").addEventListener("click", help);
window.addEventListener("beforeunload", (event) => {
  if (unsaved().length) event.preventDefault();
});
window.addEventListener("focus", async () => { // a page may have been edited elsewhere meanwhile
  if (!editor.page) return;
  const found = await pageAt(editor.page);
  if (found.ok) refresh(found);
});

open();
