/**
 * Answers the search box of Material for MkDocs from one language's index, by exact substrings.
 *
 * A substring needs no word boundaries, which Chinese and Japanese do not write: a query cut from the
 * middle of a word or a heading is found because it is there. Every term (terms are separated by spaces)
 * must occur somewhere on the page. Width and case do not matter, nor do spaces beside a CJK character.
 *
 * The messages are those of Material's own worker: SETUP -> READY, QUERY(text) -> RESULT({items}); an item
 * is a list of {location, title, text, score, terms}, one per section, the page itself among them, with
 * `title` and `text` as HTML. Material sends an index with SETUP; it is empty here and not looked at. Ours
 * is named by this script's own address, `search-worker.js?index=<URL relative to this script>`, and is
 * fetched at the first query, so a reader who does not search loads nothing:
 *
 *     {"pages": [{"url": "zh/page/", "title": "...", "sections": [{"anchor": "", "heading": "", "text": ""}]}]}
 *
 * The first section of a page is what stands before its first linkable heading; its anchor is empty.
 * Lines of `text` are blocks: a query is not found across two of them.
 */
"use strict"

const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3

const CJK = "[\\u2e80-\\u30ff\\u31c0-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3fffd}]"
const STARTS_CJK = new RegExp(`^${CJK}`, "u")
const GAP = new RegExp(` +(?=${CJK})|(?<=${CJK}) +`, "gu")     // a space that says nothing about words
const CLUSTER = /[^][\p{M}\uff9e\uff9f]*/gu                    // what NFKC may compose: a base and its marks
const LETTER = /[\p{L}\p{N}_]/u

const TEASERS = 2            // blocks shown of a section
const TEASER_LENGTH = 160    // characters shown of a block
const LEAD = 40              // of which before the first match
const SECTIONS = 20          // sections shown of a page
const FULL = 50              // pages shown so; of those after them the best section is enough

const WEIGHT = { phrase: 1000, title: 100, heading: 10, text: 1 }

const compose = text => text.normalize("NFKC").toLowerCase()
const fold = text => compose(text).replace(GAP, "")

/* ---- the index ---- */

/** Fold what is searched once, so that a query only scans. */
function prepare({ pages }) {
  return pages.map(({ url, title, sections }) => ({
    url,
    title,
    sections: sections.map(({ anchor, heading, text }) => ({
      anchor, heading, text,
      name: fold(anchor ? heading : `${title}\n${heading}`),
      body: fold(text)
    }))
  }))
}

let loading

/** The prepared pages; a load that failed is tried again at the next query. */
function load() {
  const url = new URL(new URL(self.location.href).searchParams.get("index"), self.location.href)
  loading ??= fetch(url)
    .then(response => {
      if (!response.ok)
        throw new Error(`${url}: ${response.status} ${response.statusText}`)
      return response.json()
    })
    .then(prepare)
    .catch(error => {
      loading = undefined
      throw error
    })
  return loading
}

/* ---- ranking ---- */

/** How well a term matches a field, 0 to 1: at the start of a word, how often, how much of the field it is. */
function rate(field, term) {
  let count = 0, start = STARTS_CJK.test(term)
  for (let at = field.indexOf(term); at >= 0 && count < 8; at = field.indexOf(term, at + term.length)) {
    count += 1
    start ||= at === 0 || !LETTER.test(field[at - 1])
  }
  return count && (start ? 0.5 : 0.25) + count / 32 + term.length / field.length / 4
}

/** The score of a section, 0 if no term is in it: the whole phrase first, then title, heading, text. */
function score({ anchor, name, body }, terms, phrase) {
  const weight = anchor ? WEIGHT.heading : WEIGHT.title
  let sum = 0
  for (const term of terms)
    sum += weight * rate(name, term) + WEIGHT.text * rate(body, term)
  return sum && sum / terms.length + (name.includes(phrase) || body.includes(phrase) ? WEIGHT.phrase : 0)
}

/* ---- showing ---- */

const escape = text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** The folded text, and for each of its code units where in the text it comes from. */
function trace(text) {
  let composed = ""
  const origin = []
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const part = compose(cluster)
    for (let unit = 0; unit < part.length; unit++)
      origin.push({ from: index, to: index + cluster.length })
    composed += part
  }
  let folded = "", last = 0
  const kept = []
  for (const { 0: gap, index } of [...composed.matchAll(GAP), { 0: "", index: composed.length }]) {
    folded += composed.slice(last, index)
    kept.push(...origin.slice(last, index))
    last = index + gap.length
  }
  return { folded, origin: kept }
}

/** Where the terms are in the text: sorted [from, to] that do not overlap. */
function matches(text, terms) {
  const { folded, origin } = trace(text)
  const found = []
  for (const term of terms)
    for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + term.length))
      found.push([origin[at].from, origin[at + term.length - 1].to])
  found.sort(([a], [b]) => a - b)
  return found.reduce((merged, [from, to]) => {
    const previous = merged[merged.length - 1]
    if (previous && from <= previous[1])
      previous[1] = Math.max(previous[1], to)
    else
      merged.push([from, to])
    return merged
  }, [])
}

/** The place at or before `at` that does not cut a character in two. */
const edge = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at

/** The text as HTML with the terms marked, at most `length` characters of it, around the first match. */
function mark(text, terms, length = Infinity) {
  const found = matches(text, terms)
  const whole = text.length <= length
  const from = whole ? 0 : edge(text, Math.max(0, Math.min((found[0]?.[0] ?? 0) - LEAD, text.length - length)))
  const to = whole ? text.length : edge(text, from + length)
  let html = from > 0 ? "…" : "", last = from
  for (const [start, end] of found) {
    if (start >= to)
      break
    html += `${escape(text.slice(last, start))}<mark>${escape(text.slice(start, end))}</mark>`
    last = end
  }
  return html + escape(text.slice(last, Math.max(last, to))) + (to < text.length ? "…" : "")
}

/** The first blocks of a section that hold a term. */
function teaser({ text, body }, terms) {
  const folded = body.split("\n")
  return text.split("\n")
    .filter((_, line) => terms.some(term => folded[line].includes(term)))
    .slice(0, TEASERS)
    .map(block => `<p>${mark(block, terms, TEASER_LENGTH)}</p>`)
    .join("")
}

/* ---- searching ---- */

/** The sections of a page that hold a term, best first, with their scores; none if the page lacks a term. */
function find({ sections }, terms, phrase) {
  const missing = terms.some(term => !sections.some(({ name, body }) => name.includes(term) || body.includes(term)))
  return missing ? [] : sections
    .map(section => ({ section, score: score(section, terms, phrase) }))
    .filter(hit => hit.score > 0)
    .sort((a, b) => b.score - a.score)
}

/** The item of one section; one that only stands for its page has score 0. */
function item({ url, title, sections }, { section, score }, terms) {
  const { anchor, heading, name, body } = section
  const fields = [sections[0].name, name, body]
  return {
    location: anchor ? `${url}#${anchor}` : url,
    title: mark(anchor ? heading : title, terms),
    text: teaser(section, terms),
    score,
    terms: score ? Object.fromEntries(terms.map(term => [term, fields.some(field => field.includes(term))])) : {}
  }
}

/** What Material shows of the page at this rank: its best sections, and the page itself even if only they match. */
function show({ page, hits }, terms, rank) {
  const shown = hits.slice(0, rank < FULL ? SECTIONS : 1)
  const [first] = page.sections
  if (!shown.some(({ section }) => section === first))
    shown.push({ section: first, score: 0 })
  return shown.map(hit => item(page, hit, terms))
}

/** The pages that hold every term of the query, best first. */
function search(pages, query) {
  const words = query.normalize("NFKC").trim().split(/\s+/)
  const terms = [...new Set(words.map(fold))]
  const phrase = fold(words.join(" "))
  return pages
    .map(page => ({ page, hits: find(page, terms, phrase) }))
    .filter(({ hits }) => hits.length)
    .sort((a, b) => b.hits[0].score - a.hits[0].score)
    .map((found, rank) => show(found, terms, rank))
}

/** The answer to a message of Material's search box. */
async function answer({ type, data }) {
  switch (type) {
    case SETUP:
      return { type: READY }
    case QUERY:
      return { type: RESULT, data: { items: data.trim() ? search(await load(), data) : [] } }
    default:
      throw new TypeError(`search-worker.js: no message of type ${type} is known`)
  }
}

// An index that cannot be loaded is not an empty one: the box then shows no result, rather than "nothing found".
self.addEventListener("message", ({ data }) => answer(data)
  .then(message => self.postMessage(message))
  .catch(error => console.error(error)))
