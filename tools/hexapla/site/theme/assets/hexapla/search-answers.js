/**
 * Answers the search box of Material for MkDocs from one language's index.
 *
 * The index lists sections. A query is cut into things that have names (out of memory, OOM), words, and pairs of
 * characters where a script has no spaces; each is looked up, words in all their forms. Not all have to match: a section
 * ranks by how rare the matching ones are and by where they stand, in a heading, a name, bold or code, or text.
 *
 * search-worker.js loads this with the first query. The index is named by that script's address; search_index.py says
 * what is in it. Of the index too a query loads only the files that it needs.
 */
"use strict"

const UNSPACED = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u2e80-\\u2fff\\u3005-\\u3007\\u3021-\\u303c\\u3041-\\u30fa"
  + "\\u30fc-\\u30ff\\u31c0-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3fffd}"
const ATOM = new RegExp(`([${UNSPACED}])|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, "gu")
const JOINED = new RegExp(`(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+(?:[-_./](?:(?![${UNSPACED}])[\\p{L}\\p{N}])+)+`, "gu")
const LETTER = "[0-9a-z\\u00b5-\\u0dff\\u0f00-\\u0fff\\u10a0-\\u177f\\u1800-\\u1fff\\uac00-\\ud7a3]"  // of a script with spaces
const WORD = new RegExp(`${LETTER}|_`, "i")
const SPACED = new RegExp(`^[^${UNSPACED}]`, "u")
// What is left out of a folded text: spaces beside such a script, a long vowel at the end of a word.
const LEFT_OUT = new RegExp(` +(?=[${UNSPACED}])|(?<=[${UNSPACED}]) +|(?<=[ァ-ヴ]{2})ー(?![ァ-ヴー])`, "gu")
const NUMBER = /^\d+$/                                         // only whole ones are marked
// What a pasted message says of one run alone: frames of a traceback but for the last, addresses, paths, amounts.
const OF_ONE_RUN = /^[^]*\bFile "[^"]*", line \d+, in \S+|\b\w+:\/\/\S+|(?<![\w.~+-])[\w.~+-]*(?:\/[\w.~+-]+){2,}|\b\d[\d.,]* ?(?:[kmgt]i?b|ms)\b|\b0x[\da-f]+/gi
const PATH = /[\w.-]+(?:\/[\w.-]+){2,}/g
const HIRAGANA = /^[ぁ-ゖ]$/
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u")
const EACH_UNSPACED = new RegExp(`[${UNSPACED}]`, "gu")
const CLUSTER = /[^][\p{M}\uff9e\uff9f]*/gu                    // what NFKC may compose: a base and its marks

const HEADING = 1, NAME = 2, STRONG = 4, COUNT = 8             // as in search_index.py

const WEIGHT = { heading: 2.4, name: 2.2, strong: 0.3, thing: 1.6, pair: 1.2, single: 0.15, context: 0.4 }
const PAIRS = 0.6            // how fast pairs lose weight as there are more of them in a run

const NAMED = 0.3, FILLED = 1.2                                // what is named after the query, and after nothing else
const TITLED = 0.3           // of a title that was typed, so that its page leads
const KANA = 0.8                                               // of what is written in the other kana
const JUDGED = 60            // sections whose headings are read for that
const ABOVE = 0.5, TITLE = 0.45, PAGE = 0.12                   // a match in the heading above, the beginning, the same page
const ABOUT = 0.7            // and one after which the page is named
const FORMS = 0.9, BEGINS = 0.55, TYPO = 0.7                   // of a word as it was typed
const SYNONYM = 0.85, SYNONYM_TEXT = 0.5                       // of a thing by a name that was not typed, in a place, in text
const BASE = 0.25                                              // what is left of a score where little of the query matches

const FAR = 0.34, ALIKE = 0.5  // edits a letter, and characters not in common, of a term that is offered where nothing is found
const NEAREST = 3            // of which so many are offered

const LONG = 7               // words, after which a query was pasted rather than typed
const QUOTING = 30           // pages that are read for what they quote of it
const QUOTED = 4             // words of the shortest quotation

const PAGES = 100            // pages shown
const READ = 10              // of which with text: as many as the box shows at first
const BEST = 3               // sections of a page that are shown at once
const SECTIONS = 6           // and in all
const LEAST = 0.2            // of the best score
const TEASER_LENGTH = 104    // characters shown of a block
const UNSPACED_LENGTH = 50   // and of one in a script without spaces, whose characters are wider
const LEAD = 40              // of which before the first match
const SCRAP = 28             // characters, of which one of a script without spaces counts two
const MARKED = 8             // different matches marked on the page one lands on

/* ---- the index ---- */

const base = new URL(new URL(self.location.href).searchParams.get("index"), self.location.href)
const loaded = new Map()

/** A file of the index; a load that failed is tried again the next time. */
function load(name, version = "") {
  if (!loaded.has(name))
    loaded.set(name, fetch(new URL(name + (version && `?v=${version}`), base))
      .then(response => {
        if (!response.ok)
          throw new Error(`${response.url}: ${response.status} ${response.statusText}`)
        return response.json()
      })
      .catch(error => {
        loaded.delete(name)
        throw error
      }))
  return loaded.get(name)
}

let ready

/** The list of sections and the rules, made ready to be used. */
function manifest() {
  ready ??= load("index.json").then(data => {
    const [from, to] = data.characters.map(text => [...text])
    const [page, anchor, heading, length, above] = data.sections
    const phrases = new Map(Object.entries(data.phrases))
    for (const [key, things] of Object.entries(data.phrases)) {
      const joined = key.split(" ")
      if (joined.length > 1 && joined.every(atom => SPACED.test(atom)) && !phrases.has(joined.join("")))
        phrases.set(joined.join(""), things)
    }
    return {
      ...data, page, anchor, heading, length, above, phrases,
      first: data.pages.map((_, number) => page.indexOf(number)),
      mean: length.reduce((sum, each) => sum + each, 1) / Math.max(1, length.length),
      stop: new Set(data.stop),
      context: new Set(data.context),
      known: new Set(Object.keys(data.phrases).flatMap(key => key.split(" "))),
      longest: Math.max(1, ...[...Object.keys(data.phrases), ...data.stop, ...data.context].map(key => key.split(" ").length)),
      stems: data.stems.map(([found, instead]) => [new RegExp(found), instead]),
      characters: new Map(from.map((each, at) => [each, to[at]])),
      traditional: from.length ? new RegExp(`[${from.join("")}]`, "gu") : null,
      stemmed: new Map(),
      letters: new Map(),
      words: new Map()
    }
  }).catch(error => {
    ready = undefined
    throw error
  })
  return ready
}

/** What is indexed in the file that would have a word: a map of words. */
function bucket(index, word) {
  const key = word[0] === "#" ? word : word[0] >= "\u0e00" ? word[0] : word.slice(0, 2)
  let value = 0
  for (let unit = 0; unit < key.length; unit++)
    value = (value * 31 + key.charCodeAt(unit)) % 1000003
  return load(`words/${value % index.files}.json`, index.version)
}

/* ---- words ---- */

const compose = text => text.normalize("NFKC").toLowerCase()

function stem(index, word) {
  if (!index.stemmed.has(word))
    index.stemmed.set(word, index.stems.reduce((left, [found, instead]) => left.replace(found, instead), word))
  return index.stemmed.get(word)
}

/** The text with Traditional characters made Simplified, which are as long. */
const convert = (index, text) => index.traditional
  ? text.replace(index.traditional, each => index.characters.get(each))
  : text

const fold = (index, text) => convert(index, compose(text)).replace(LEFT_OUT, gap => gap[0] === " " ? " " : "")

/** The text in the other kana: in katakana where it has hiragana, else in hiragana. */
const otherKana = text => /[ぁ-ゖ]/.test(text)
  ? text.replace(/[ぁ-ゖ]/g, each => String.fromCharCode(each.charCodeAt(0) + 0x60))
  : text.replace(/[ァ-ヶ]/g, each => String.fromCharCode(each.charCodeAt(0) - 0x60))

/** The words and characters of a query; `after` says that one follows the last without a gap. */
function atomsOf(index, text) {
  let end = -1
  return [...text.matchAll(ATOM)].map(({ 0: word, 1: single, index: start }) => {
    const after = start === end
    end = start + word.length
    return { word, single: !!single, after, key: single ? word : stem(index, word) }
  })
}

/** The words of the index that a word can stand for, each with how surely: itself, its forms, what it begins. */
async function forms(index, word, typing) {
  if (!index.words.has(word)) {
    const found = [], begun = [], root = stem(index, word)
    for (const [each, postings] of Object.entries(await bucket(index, word))) {
      if (each === word || stem(index, each) === root)
        found.push([postings, each === word ? 1 : FORMS, each])
      else if (each.startsWith(word))
        begun.push([postings, BEGINS + (FORMS - BEGINS) * word.length / each.length, each])
    }
    index.words.set(word, { found, begun })
  }
  const { found, begun } = index.words.get(word)
  return [...found, ...word.length > 2 || (typing && word.length > 1) ? begun : []]
}

/** Whether one edit makes one word of another: a letter more, less, another, or two in the other order. */
function near(one, other) {
  if (Math.abs(one.length - other.length) > 1)
    return false
  let at = 0
  while (at < one.length && one[at] === other[at])
    at++
  const rest = one.slice(at), left = other.slice(at)
  return rest.slice(1) === left || rest === left.slice(1) || rest.slice(1) === left.slice(1)
    || (rest[0] === left[1] && rest[1] === left[0] && rest.slice(2) === left.slice(2))
}

/** A word that nothing has, cut in two that something has: batchsize, zero3. */
async function parts(index, word) {
  const cuts = word.match(/^\p{L}+(?=\p{N}+$)|^\p{N}+(?=\p{L}+$)/u)
    ? [word.search(/(?<=\p{L})\p{N}|(?<=\p{N})\p{L}/u)]
    : Array.from({ length: Math.max(0, word.length - 5) }, (_, at) => at + 3)
  for (const cut of cuts) {
    const both = [word.slice(0, cut), word.slice(cut)]
    const there = await Promise.all(both.map(async part =>
      index.known.has(stem(index, part)) || (await forms(index, part)).some(([, sure]) => sure >= FORMS)))
    if (there.every(Boolean))
      return both
  }
  return []
}

/** The atoms with those words replaced that no section and no name has: cut in two, or with one letter corrected. */
async function corrected(index, atoms) {
  const all = await Promise.all(atoms.map(async (atom, at) => {
    const { word, single, key } = atom
    const joined = key + (atoms[at + 1]?.key ?? "")
    if (single || index.known.has(key) || index.phrases.has(key) || index.phrases.has(joined) || index.stop.has(key)
      || (await forms(index, word, at === atoms.length - 1)).length)
      return [atom]
    const cut = await parts(index, word)
    if (cut.length)
      return cut.map(part => ({ ...atom, word: part, key: stem(index, part) }))
    if (word.length < 5)
      return [atom]
    const words = [...await load("words.json", index.version), ...index.known]
    const meant = words.filter(each => near(word, each) || near(key, stem(index, each)))
    return meant.length ? [{ ...atom, word: meant[0], key: stem(index, meant[0]), meant }] : [atom]
  }))
  return all.flat()
}

/* ---- what is looked for ---- */

/** What of a query is looked for, and whether it was pasted: then it is what another run would say too. */
function readQuery(index, query) {
  const pasted = atomsOf(index, fold(index, query)).filter(({ single }) => !single).length > LONG
  return { pasted, folded: fold(index, pasted ? query.replace(OF_ONE_RUN, " ") : query) }
}

const keyOf = atoms => atoms.map(({ key }) => key).join(" ")

/** The words of a query that say nothing and are of hiragana, by their places, with how long they are. は and か are in
    はじめかた too: they stand at an end of a run of hiragana, and those of one character beside another word. */
function particlesOf(index, atoms) {
  const found = new Map(), isKana = at => HIRAGANA.test(atoms[at]?.word)
  for (let first = 0, end; first < atoms.length; first = Math.max(end, first + 1)) {
    for (end = first; isKana(end) && (end === first || atoms[end].after); end++);
    const before = atoms[first].after && first > 0, after = atoms[end]?.after, cuts = []
    let from = first, to = end
    const isIdle = (at, length, beside) => (length > 1 || beside) && index.stop.has(keyOf(atoms.slice(at, at + length)))
    const longest = fits => {
      let length = Math.min(index.longest, to - from)
      while (length && !fits(length)) length--
      return length
    }
    for (let length; (length = longest(each => isIdle(from, each, before || from > first))); from += length)
      cuts.push([from, length])
    for (let length; (length = longest(each => isIdle(to - each, each, after || to < end))); to -= length)
      cuts.push([to - length, length])
    if (to - from !== 1 || (before && from === first))         // one character of a word is none
      for (const [at, length] of cuts)
        found.set(at, length)
  }
  return found
}

/** The query as units to look up: {things}, {word} or {pair}, each once, with its weight and with `marks` to mark. */
async function unitsOf(index, { folded, pasted }) {
  const typed = atomsOf(index, folded)
  if (typed.length > 1 && /^\p{L}$/u.test(typed.at(-1).word) && !typed.at(-1).single)
    typed.pop()                                                // a word that has only been begun
  const atoms = (await corrected(index, typed)).map((atom, at, all) => ({ ...atom, last: at === all.length - 1 }))
  const units = [], left = [], particles = particlesOf(index, atoms)
  for (let at = 0; at < atoms.length;) {
    let length = Math.min(index.longest, atoms.length - at)
    while (length > 0) {
      const typed = atoms.slice(at, at + length), key = keyOf(typed)
      const things = index.phrases.get(key) ?? index.phrases.get(otherKana(key)), context = index.context.has(key)
      const idle = typed.every(({ word }) => HIRAGANA.test(word)) ? particles.get(at) === length : index.stop.has(key)
      if (things || context || idle) {
        const factor = context ? WEIGHT.context : 1
        const one = length === 1 ? typed[0] : null
        if (things)
          units.push({
            things, typed, weight: WEIGHT.thing * factor, word: one && !one.single ? one : null, pair: one?.single && one.word
          })
        else
          left.push(...typed.map(atom => ({ ...atom, idle: !context, factor })))
        break
      }
      length--
    }
    if (length > 0) {
      left.push(null)
      at += length
    } else {
      left.push(pasted && NUMBER.test(atoms[at].word) ? null : atoms[at])
      at++
    }
  }
  // A query that begins inside a word, ナーを of ランナーを, has kept the long vowel that the index leaves out.
  const kept = folded.match(/^([ァ-ヴ])ー([^ァ-ヴー])/u), shorter = kept && kept[1] + kept[2]
  const alone = !units.length && left.every(atom => !atom || atom.idle)   // nothing else was typed
  const rest = left.map(atom => atom && (alone || !atom.idle) ? atom : null)
  for (let at = 0, run = 0, kana; at < rest.length; at++) {
    const atom = rest[at], next = rest[at + 1], previous = rest[at - 1]
    if (!atom)
      continue
    if (!(atom.single && atom.after && previous?.single))
      for (run = 0; rest[at + run + 1]?.single && rest[at + run + 1].after; run++);
    if (HIRAGANA.test(atom.word) && !(atom.after && previous && HIRAGANA.test(previous.word)))
      kana = at
    if (!atom.single) {
      units.push({ word: atom, typing: atom.last, weight: atom.factor ?? 1 })
      if (next && !next.single)
        units.push({ word: { word: atom.word + next.word }, exact: true, weight: 0.5 })
    } else if (next?.single && next.after)
      units.push({
        pair: atom.word + next.word, shorter: at < 2 ? shorter : null, weight: (atom.factor ?? 1) * WEIGHT.pair / run ** PAIRS,
        kana: HIRAGANA.test(atom.word) && HIRAGANA.test(next.word) ? kana : null
      })
    else if (!(previous?.single && atom.after) && (atoms.length === 1 || !HIRAGANA.test(atom.word)))
      units.push({ pair: atom.word, weight: WEIGHT.single })
  }
  const once = units.map(({ things, word, pair }) => things?.join() ?? pair ?? stem(index, word.word))
  return pasted ? units.filter((_, at) => once.indexOf(once[at]) === at) : units
}

/** How good a match is that stands in these places of a section; `typed` are those where it stands as it was typed. */
function value(index, row, code, typed = code) {
  const rare = 1.2 * (0.5 + 0.5 * index.length[row] / index.mean), text = count => count / (count + rare)
  const sure = place => code & typed & place ? 1 : code & place ? SYNONYM : 0
  const own = (Math.min(code, typed) >> 3) / 2
  return text(own) + SYNONYM_TEXT * (text((code >> 3) / 2) - text(own))
    + sure(HEADING) * WEIGHT.heading + sure(STRONG) * WEIGHT.strong + sure(NAME) * WEIGHT.name * (code & HEADING ? 0.4 : 1)
}

/** The sections that have a word, a character or a pair of them: each with its place. */
function* rowsOf(postings) {
  for (let at = 0, row = 0; at < postings.length; at += 2)
    yield [row += postings[at], postings[at + 1]]
}

/** The sections that have all of these atoms as they were typed, each with where all of them stand, and how often. */
async function literal(index, atoms) {
  const places = await Promise.all(atoms.map(async ({ word, single }, at) => {
    const next = atoms[at + 1], rows = new Map()
    if (single && !next?.single && atoms[at - 1]?.single)
      return null                                              // the last of a run, which is in the pair before it
    const found = single
      ? Object.entries(await bucket(index, word)).filter(([each]) => each.startsWith(word + (next?.single ? next.word : "")))
      : (await forms(index, word)).filter(([, sure]) => sure >= FORMS).map(([postings]) => [word, postings])
    for (const [, postings] of found)
      for (const [row, code] of rowsOf(postings)) {
        const before = rows.get(row) ?? 0
        rows.set(row, (before & ~7) + (code & ~7) | (before | code) & 7)
      }
    return rows
  }))
  return places.filter(Boolean).reduce((left, right) => new Map([...left].filter(([row]) => right.has(row))
    .map(([row, code]) => [row, Math.min(code & ~7, right.get(row) & ~7) | code & right.get(row) & 7])))
}

/** The sections that have a unit, each with how well; and how rare the unit is. */
async function lookUp(index, unit) {
  const found = []                                             // [postings, factor]
  const typed = unit.things ? await literal(index, unit.typed) : null
  for (const thing of unit.things ?? []) {
    const postings = (await bucket(index, `#${thing}`))[`#${thing}`]
    if (postings)
      found.push([postings, 1, true])
  }
  if (unit.word) {
    const { word, meant } = unit.word
    const every = await Promise.all((meant ?? [word]).map(each => forms(index, each, unit.typing)))
    for (const [postings, sure] of every.flat())
      if (!unit.exact || sure === 1)
        found.push([postings, meant ? sure * TYPO : sure])
  }
  if (unit.pair) {
    const words = await bucket(index, unit.pair)
    for (const each of [...unit.pair].length > 1 ? [unit.pair] : Object.keys(words).filter(w => w.startsWith(unit.pair)))
      if (words[each])
        found.push([words[each], 1])
    const other = otherKana(unit.pair), written = other !== unit.pair && (await bucket(index, other))[other]
    if (written)
      found.push([written, KANA])
    const shorter = unit.shorter && (await bucket(index, unit.shorter))[unit.shorter]
    if (shorter)
      found.push([shorter, 1])
  }
  const hits = new Map(), named = new Set()
  const surest = Math.max(0, ...found.map(([, factor]) => factor))
  const rows = new Set()
  for (const [postings, factor, thing] of found)
    for (const [row, code] of rowsOf(postings)) {
      if (factor >= FORMS * surest)
        rows.add(row)
      const own = thing ? typed.get(row) ?? 0 : code
      if (code & (HEADING | NAME))
        named.add(row)
      hits.set(row, Math.max(hits.get(row) ?? 0, factor * value(index, row, code, own)))
    }
  const weight = unit.weight * Math.log(1 + index.page.length / (rows.size + 0.5))
  return { ...unit, hits, named, weight }
}

/** Takes away from a word of hiragana the sections that have less than half of its pairs: those are parts of other words. */
function dropScraps(units) {
  for (const first of new Set(units.map(({ kana }) => kana ?? null))) {
    const pairs = first === null ? [] : units.filter(({ kana }) => kana === first)
    for (const row of new Set(pairs.flatMap(({ hits }) => [...hits.keys()])))
      if (2 * pairs.filter(({ hits }) => hits.has(row)).length < pairs.length)
        for (const { hits, named } of pairs) {
          hits.delete(row)
          named.delete(row)
        }
  }
}

/* ---- ranking ---- */

/** The words of a query that signs join, gpu-memory-utilization, or an attribute's alone of a dotted name, with the sections
    that have them so and how well: none that is a thing's name, since a thing has others, and none of common words alone. */
async function compoundsOf(index, folded) {
  const found = await Promise.all([...folded.matchAll(JOINED)].map(async ({ 0: text }) => {
    const atoms = atomsOf(index, text), common = atoms.every(({ key }) => index.context.has(key) || index.stop.has(key))
    if (common || index.phrases.has(atoms.map(({ key }) => key).join(" ")))
      return new Map()
    const words = [text, text.split(".").at(-1)].filter(each => /[-_./]/.test(each)).map(each => each.replace(/[-_./]/g, ""))
    const postings = await Promise.all(words.map(async word => (await bucket(index, word))[word] ?? []))
    return new Map(postings.flatMap(each => [...rowsOf(each)]).map(([row, code]) => [row, value(index, row, code)]))
  }))
  return found.filter(({ size }) => size)
}

/** The share of what was typed and is anywhere, by weight, for which something holds. */
function shareOf(units, holds) {
  const sum = these => these.reduce((total, { weight, hits }) => total + (hits.size ? weight : 0), 0)
  return sum(units.filter(holds)) / (sum(units) || 1)
}

/** The sections that have something of the query, with their scores. */
function rank(index, units) {
  const scores = new Map()
  const total = units.reduce((sum, { weight, hits }) => sum + (hits.size ? weight : 0), 0)
  const inPage = units.map(({ hits }) => {
    const pages = new Map()
    for (const [row, match] of hits)
      pages.set(index.page[row], Math.max(pages.get(index.page[row]) ?? 0, match))
    return pages
  })
  for (const row of new Set(units.flatMap(({ hits }) => [...hits.keys()]))) {
    const page = index.page[row], above = index.above[row], title = index.first[page]
    let sum = 0, matched = 0
    units.forEach(({ hits, named, weight }, at) => {
      const own = hits.get(row) ?? 0
      const from = Math.max(
        own,
        above >= 0 ? ABOVE * Math.max(0, (hits.get(above) ?? 0) - 1) : 0,
        row === title ? 0 : named.has(title) ? ABOUT * hits.get(title) : TITLE * Math.max(0, (hits.get(title) ?? 0) - 1),
        PAGE * Math.min(1, inPage[at].get(page) ?? 0)
      )
      sum += weight * from
      matched += weight * Math.min(1, own ? 1 : from)
    })
    const share = total ? matched / total : 0
    scores.set(row, sum * (BASE + (1 - BASE) * share ** 1.5) * index.pages[page][2])
  }
  return scores
}

/** How much of a name was looked for, 0 to 1; words that say nothing do not count. */
function coverage(index, name, marks) {
  if (!index.letters.has(name)) {
    const folded = fold(index, name)
    const words = atomsOf(index, folded).filter(({ single, key }) => single || !index.stop.has(key))
    index.letters.set(name, { folded, letters: words.reduce((sum, { word }) => sum + word.length, 0) })
  }
  const { folded, letters } = index.letters.get(name)
  const marked = merged(spans(folded, marks)).map(([from, to]) => folded.slice(from, to).replace(/[^\p{L}\p{N}]/gu, "").length)
  return Math.min(1, marked.reduce((sum, each) => sum + each, 0) / Math.max(1, letters))
}

/** The scores, those of the best sections raised that are named after what is looked for, and after nothing else. */
function judged(index, scores, units, marks, typed) {
  const total = units.reduce((sum, { weight, hits }) => sum + (hits.size ? weight : 0), 0)
  for (const [row, score] of [...scores].sort((a, b) => b[1] - a[1]).slice(0, JUDGED)) {
    const share = units.reduce((sum, { weight, named }) => sum + (named.has(row) ? weight : 0), 0) / total
    const filled = Math.max(...[index.heading[row], ...(index.names[row] ?? [])].map(name =>
      Math.max(coverage(index, name, typed), SYNONYM * coverage(index, name, marks))))
    scores.set(row, score * (1 + share * (NAMED + FILLED * filled ** 2)))
  }
  return scores
}

/** The letters and digits of a text, folded. */
const plain = (index, text) => fold(index, text).replace(/[^\p{L}\p{N}]/gu, "")

/** How much of a page's title was typed as it stands there, 0 for little of it. */
function titled(index, page, query) {
  const typed = plain(index, query), title = plain(index, index.pages[page][1])
  const share = typed && title.includes(typed) ? typed.length / title.length : 0
  return share < TITLED ? 0 : share
}

/** The pages with their sections, best first: [{page, rows: [[row, score]]}]; those lead whose title was typed. */
function pagesOf(index, scores, units, query, compounds) {
  const pages = new Map(), most = Math.max(...scores.values())
  const inPage = compounds.map(rows => [...rows].reduce((sums, [row, match]) => {
    const page = index.page[row]
    return sums.set(page, (sums.get(page) ?? 0) + match)
  }, new Map()))
  for (const [row, own] of scores) {
    const page = index.page[row], share = shareOf(units, ({ hits }) => hits.has(row))
    // What has a compound whole leads what has its parts, and of the former what has it most; less where other words lack.
    const score = compounds.reduce((sum, rows, at) =>
      sum + (rows.has(row) ? most * share ** 2 * (1 + rows.get(row) / 2 + inPage[at].get(page)) : 0), own)
    if (!pages.has(page))
      pages.set(page, { page, rows: [] })
    pages.get(page).rows.push([row, score])
  }
  for (const { rows } of pages.values())
    rows.sort((a, b) => b[1] - a[1] || a[0] - b[0])
  for (const each of pages.values())
    each.titled = titled(index, each.page, query)
  const found = [...pages.values()].sort((a, b) => b.titled - a.titled || b.rows[0][1] - a.rows[0][1] || a.page - b.page)
  const best = Math.max(...found.map(({ rows }) => rows[0][1]))
  const whole = units.filter(({ hits, exact }) => hits.size && !exact)
  const complete = ({ rows }) => whole.every(({ hits }) => rows.some(([row]) => hits.has(row)))
  return found.filter(each => each.titled || each.rows[0][1] >= LEAST * best || complete(each)).slice(0, PAGES)
}

/** The sections of these pages whose text has the longest run of a message's words. */
async function quotationsOf(index, folded, pages) {
  const typed = atomsOf(index, folded), said = typed.map(({ word }) => word), quoting = []
  const tells = typed.map(({ key }) => !index.stop.has(key) && !index.context.has(key))
  for (let at = 0, length; at < typed.length; at += length) {  // the words of a name tell one thing
    for (length = index.longest; length > 1 && !index.phrases.has(keyOf(typed.slice(at, at + length))); length--);
    tells.fill(false, at + 1, at + length)
  }
  for (const page of pages)
    for (const [at, text] of (await load(`text/${page}.json`, index.version)).entries()) {
      let best = 0
      for (const line of fold(index, text).split("\n")) {
        let before = []
        for (const { word } of atomsOf(index, line)) {
          const now = []
          for (let to = said.indexOf(word); to >= 0; to = said.indexOf(word, to + 1)) {
            now[to] = (before[to - 1] ?? 0) + 1
            if (now[to] >= QUOTED && tells.slice(to - now[to] + 1, to + 1).filter(Boolean).length > 1)
              best = Math.max(best, now[to])
          }
          before = now
        }
      }
      if (best)
        quoting.push([index.first[page] + at, best])
    }
  const most = Math.max(...quoting.map(([, length]) => length))
  return quoting.filter(([, length]) => length === most).map(([row]) => row)
}

/* ---- showing ---- */

const escape = text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** The folded text, and for each of its code units from where in the text to where it comes. */
function trace(index, text) {
  const from = [], to = []
  let composed = compose(text)
  if (composed.length === text.length && /^[\u0000-\u02ff\u2000-\u206f\u3000-\u303f\u4e00-\u9fff]*$/.test(text))
    for (let unit = 0; unit < text.length; unit++)
      to[unit] = (from[unit] = unit) + 1
  else {
    composed = ""
    for (const { 0: cluster, index: at } of text.matchAll(CLUSTER)) {
      const part = compose(cluster)
      for (let unit = 0; unit < part.length; unit++) {
        from.push(at)
        to.push(at + cluster.length)
      }
      composed += part
    }
  }
  composed = convert(index, composed)
  const gaps = [...composed.matchAll(LEFT_OUT)]
  if (!gaps.length)
    return { folded: composed, from, to }
  let folded = "", last = 0
  const kept = { from: [], to: [] }
  for (const { 0: gap, index: at } of [...gaps, { 0: "", index: composed.length }]) {
    folded += composed.slice(last, at)
    for (let unit = last; unit < at; unit++) {
      kept.from.push(from[unit])
      kept.to.push(to[unit])
    }
    last = at + gap.length
  }
  return { folded, ...kept }
}

/** Where the marks are in a folded text: sorted [from, to], which may overlap. */
const spans = (folded, marks) => marks
  .flatMap(each => [...folded.matchAll(each)].map(({ 0: word, index: at }) => [at, at + word.length]))
  .sort(([a], [b]) => a - b)

/** The sorted spans as ones that do not overlap. */
const merged = found => found.reduce((left, [from, to]) => {
  const previous = left[left.length - 1]
  if (previous && from <= previous[1])
    previous[1] = Math.max(previous[1], to)
  else
    left.push([from, to])
  return left
}, [])

/** Where the marks are in the text: sorted [from, to] that do not overlap. */
function matches(index, text, marks) {
  if (!spans(fold(index, text), marks).length)
    return []                                                  // most blocks: no need to know where each letter came from
  const { folded, from, to } = trace(index, text)
  return merged(spans(folded, marks).map(([start, end]) => [from[start], to[end - 1]]).sort(([a], [b]) => a - b))
}

/** The place at or before `at` that does not cut a character in two. */
const edge = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at

/** Whether a place is inside a word of a script with spaces. */
const inWord = (text, at) => WORD.test(text[at - 1] ?? "") && WORD.test(text[at] ?? "")

/** The text as HTML with the matches marked, at most `length` characters of it, whole words around the first one; what is
    cut ends before the path of a file. */
function mark(text, found, length = Infinity) {
  const whole = text.length <= length, first = found[0]?.[0] ?? 0
  let from = whole ? 0 : edge(text, Math.max(0, Math.min(first - LEAD, text.length - length)))
  const paths = [...text.matchAll(PATH)].map(({ index }) => index)
  let to = whole ? text.length : edge(text, Math.min(from + length, ...paths.filter(at => at > first + LEAD)))
  while (from > 0 && from < first && (inWord(text, from) || /[\s.,;:!?)]/.test(text[from]))) from++
  while (to > first + LEAD && inWord(text, to)) to--
  let html = from > 0 ? "…" : "", last = from
  for (const [start, end] of found) {
    if (start >= to)
      break
    html += `${escape(text.slice(last, start))}<mark>${escape(text.slice(start, end))}</mark>`
    last = end
  }
  return html + escape(text.slice(last, Math.max(last, to))) + (to < text.length ? "…" : "")
}

/** The names of the things that were found. */
function namesOf(index, units) {
  const things = new Set(units.flatMap(unit => unit.things ?? []))
  return [...index.phrases].filter(([, numbers]) => numbers.some(number => things.has(number))).map(([key]) => key)
}

/** The words of a name that say something by themselves, and its pairs of characters. */
const partsOf = (index, atoms) => atoms.flatMap(({ single, word, key }, at) => {
  const next = atoms[at + 1]
  if (!single)
    return word.length > 2 && !index.stop.has(key) && !index.context.has(key) ? [key] : []
  return next?.single && next.after && !HIRAGANA.test(word) && !HIRAGANA.test(next.word) ? [word + next.word] : []
})

/** Regular expressions for what is marked: these names, forms of words, pairs. */
function marksOf(index, units, names) {
  const typed = units.filter(({ hits }) => hits.size)
    .flatMap(({ word, pair }) => word ? (word.meant ?? [word.word]).map(each => stem(index, each)) : pair ?? [])
  const patterns = [...new Set([...names, ...typed])]
    .sort((a, b) => b.length - a.length)
    .map(key => {
      const atoms = key.split(" ").map(atom => NUMBER.test(atom) ? `(?<!\\d[.,])${atom}(?![.,]?\\d)`
        : SPACED.test(atom) ? `${atom}${LETTER}{0,5}` : atom)
      return atoms.join("[-_./ ]?")
    })
  const words = patterns.filter(pattern => SPACED.test(pattern))
  const pairs = patterns.filter(pattern => pattern.length < 3 && !SPACED.test(pattern))   // they overlap each other
  const others = patterns.filter(pattern => pattern.length > 2 && !SPACED.test(pattern))
  return [
    ...words.length ? [`(?<!${LETTER})(?:${words.join("|")})`] : [],
    ...others.length ? [others.join("|")] : [],
    ...pairs
  ].map(pattern => new RegExp(pattern, "gu"))
}

/** Whether a block says little by itself: the head of a column, a short line of code. */
const isScrap = ({ text }) => text.replace(EACH_UNSPACED, "$&$&").length < SCRAP

/** The block of a section that holds most of what is looked for: as it was typed before as a synonym has it, in the script
    that was typed; prose before code, and a scrap only where there is nothing else; code that has what was typed
    before prose that has no match. Under a heading that was typed it is the beginning, which says what the thing is. */
function teaser(index, heading, blocks, query) {
  const typed = fold(index, query.trim()), script = IS_UNSPACED.test(typed) ? IS_UNSPACED : /^/
  const whole = blocks.filter(block => !isScrap(block) && script.test(block.text)), prose = whole.filter(({ code }) => !code)
  const literal = ({ text }) => fold(index, text).includes(typed), matching = ({ found }) => found.length
  const named = plain(index, heading.text) === plain(index, query)
  const shown = [named ? prose.slice(0, 1) : [], prose.filter(literal), prose.filter(matching), whole.filter(literal),
    prose.slice(0, 1), whole.filter(matching), blocks.filter(matching), blocks.slice(0, 1)].find(each => each.length) ?? []
  const kinds = ({ text, found }) => new Set(found.map(([from, to]) => fold(index, text.slice(from, to)))).size
  const [best] = shown.sort((a, b) => kinds(b) - kinds(a) || a.at - b.at)
  return best
}

/** The whole words of a block that were found, outside code. */
const words = ({ text, code, found }) => code ? [] : found.filter(([from, to]) => !inWord(text, from) && !inWord(text, to))
  .map(([from, to]) => text.slice(from, to).toLowerCase().replace(/[-_./\s]+/g, "_"))

/** What the page one lands on marks, for search-marks.js: of a section what was typed, as it stands there, else what its
    excerpt shows; and the words that it lacks, where its titles answer nothing and it lacks most of what was typed. */
function terms(index, [row, first], blocks, shown, units, marks, titled) {
  const literal = blocks.flatMap(block => words({ ...block, found: block.found.length ? matches(index, block.text, marks) : [] }))
  const found = literal.length ? literal : shown.flatMap(words)
  const typed = units.filter(({ exact }) => !exact), lacks = ({ hits }) => !hits.has(row) && !hits.has(first)
  const lacking = titled || 2 * typed.filter(lacks).length <= typed.length ? [] : typed.filter(unit => unit.word && lacks(unit))
  return Object.fromEntries([
    ...[...new Set(found)].slice(0, MARKED).map(each => [`__${each}__`, true]),
    ...lacking.map(({ word }) => [word.word, false])
  ])
}

/** What Material shows of a page: its best sections, and the page itself even if only they match. */
async function show(index, { page, rows }, units, marks, typed, single, query, read) {
  const [url, title] = index.pages[page], first = index.first[page]
  const place = index.places[page] && `&ensp;<small class="hx-place">${escape(index.places[page])}</small>`
  const texts = read ? await load(`text/${page}.json`, index.version) : []
  const shown = rows.slice(0, SECTIONS), titled = matches(index, title, marks).length
  const best = shown[0][1]
  const items = shown.map(([row, score], at) => {
    const anchor = index.anchor[row]
    const [heading, ...blocks] = [row === first ? title : index.heading[row], ...(texts[row - first] ?? "").split("\n")]
      .map((line, at) => ({ text: line.trim(), at, code: line[0] === "\t", found: matches(index, line.trim(), marks) }))
    // Where no prose has a name whole, a part of it says where it stands: cache, of key-value cache.
    const lines = blocks.some(({ code, found }) => !code && found.length) ? blocks
      : blocks.map(each => each.code ? each : { ...each, found: matches(index, each.text, single) })
    const excerpt = teaser(index, heading, lines.filter(({ text }) => text), query)
    return {
      location: anchor ? `${url}#${anchor}` : url,
      title: mark(heading.text, heading.found) + (row === first ? place : ""),
      text: excerpt
        ? `<p>${mark(excerpt.text, excerpt.found, IS_UNSPACED.test(excerpt.text) ? UNSPACED_LENGTH : TEASER_LENGTH)}</p>` : "",
      score: at < BEST && score > best / 2 && row !== first ? best : score,   // equal ones are not folded away
      terms: terms(
        index, [row, first], [heading, ...blocks], [heading, ...excerpt ? [excerpt] : []], units, typed,
        titled || heading.found.length
      )
    }
  })
  const beginning = items.findIndex(({ location }) => location === url)
  const [own] = beginning < 0 ? [{ location: url, title: mark(title, matches(index, title, marks)) + place, text: "", terms: {} }]
    : items.splice(beginning, 1)
  // The link of a title without a score leads to the best section: hexapla.js.
  return beginning ? [...items, { ...own, score: 0 }] : [own, ...items]
}

/** How many edits make one word of another: a letter more, less, another, or two in the other order. */
function edits(one, other) {
  let before = [], last = [...other, ""].map((_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let at = 1; at <= other.length; at++) {
      const changed = last[at - 1] + (one[row - 1] !== other[at - 1])
      const turned = row > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1] ? before[at - 2] + 1 : changed
      now[at] = Math.min(changed, turned, last[at] + 1, now[at - 1] + 1)
    }
    [before, last] = [last, now]
  }
  return last[other.length]
}

/** The share of the characters of two names that they have in common. */
function alike(one, other) {
  const rest = [...other]
  const common = [...one].filter(each => rest.includes(each) && rest.splice(rest.indexOf(each), 1))
  return 2 * common.length / ([...one].length + [...other].length)
}

/** The words of the index and the names that are nearest to what was typed, best first. */
async function nearest(index, query) {
  const atoms = atomsOf(index, fold(index, query)), words = await load("words.json", index.version), found = new Map()
  for (const { word } of atoms.filter(({ word, single }) => !single && word.length > 3))
    for (const each of words.filter(({ length }) => Math.abs(length - word.length) <= FAR * word.length)) {
      const far = edits(word, each) / word.length
      if (far <= FAR)
        found.set(each, Math.min(found.get(each) ?? 1, far + (each[0] === word[0] ? 0 : FAR / 2)))
    }
  const typed = atoms.filter(({ single }) => single).map(({ word }) => word).join("")
  for (const each of typed.length > 1 ? index.phrases.keys() : []) {
    const name = each.replaceAll(" ", ""), common = SPACED.test(name) ? 0 : alike(typed, name)
    if (common >= ALIKE && name.length > 1)
      found.set(name, 1 - common)
  }
  const best = [...found].sort((a, b) => a[1] - b[1]).map(([each]) => each)
  return best.filter((each, at) => best.findIndex(other => stem(index, other) === stem(index, each)) === at).slice(0, NEAREST)
}

/** Where to look instead: the best section for each of the nearest terms, and sections that the project names. */
async function instead(index, query) {
  const typed = query.trim().slice(0, 80), terms = await nearest(index, query)
  const nothing = (index.say[terms.length ? "nearest" : "nothing"] ?? "").replace("{query}", () => typed)
  const tops = await Promise.all(terms.map(async term => (await found(index, term)).pages[0]?.rows[0][0]))
  return [...new Set([...tops.filter(row => row !== undefined), ...index.help])].map(row => {
    const page = index.page[row], anchor = index.anchor[row], [url, title] = index.pages[page]
    const heading = index.heading[row] || title
    return [{
      location: anchor ? `${url}#${anchor}` : url,
      title: `<span data-hx-nothing="${escape(nothing)}" data-hx-nearest="${escape(terms.join(" "))}">${escape(heading)}</span>`,
      text: "", score: 1, terms: {}
    }, ...anchor ? [{ location: url, title: escape(title), text: "", score: 0, terms: {} }] : []]
  })
}

/** What matches a query: its units, what is marked of them, the pages. */
async function found(index, query) {
  const read = readQuery(index, query), units = await Promise.all((await unitsOf(index, read)).map(unit => lookUp(index, unit)))
  dropScraps(units)
  const marks = marksOf(index, units, namesOf(index, units))
  const typed = marksOf(index, units, units.flatMap(unit => unit.typed?.map(({ key }) => key).join(" ") ?? []))
  const scores = judged(index, rank(index, units), units, marks, typed), compounds = await compoundsOf(index, read.folded)
  if (read.pasted) {
    const best = [...scores].sort((a, b) => b[1] - a[1]), first = [...new Set(best.map(([row]) => index.page[row]))].slice(0, QUOTING)
    for (const row of await quotationsOf(index, read.folded, first))
      scores.set(row, (scores.get(row) ?? 0) + best[0][1])
  }
  const single = marksOf(index, units, units.flatMap(unit => partsOf(index, unit.typed ?? [])))
  return { units, marks, typed, single, pages: pagesOf(index, scores, units, query, compounds) }
}

async function search(query) {
  const index = await manifest()
  const { units, marks, typed, single, pages } = await found(index, query)
  if (!pages.length)
    return instead(index, query)
  const shown = await Promise.all(pages.map((page, place) => show(index, page, units, marks, typed, single, query, place < READ)))
  /* Enter opens what has the highest score: the first page has it, also where its title made it the first. */
  const [leading] = shown, own = leading[0].score, top = Math.max(...shown.map(([best]) => best.score))
  for (const item of leading)
    if (item.score === own)
      item.score = top
  return shown
}

/* ---- the box of Zensical ---- */

const zensical = new URL(self.location.href).searchParams.get("zensical")  // the site's root, from this script
let sections = [], numbers = new Map()                         // as Zensical sent them, and their places by address

/** Keep the sections that Zensical shows. */
function keep(items) {
  sections = items
  numbers = new Map(items.map(({ location }, number) => [new URL(location).href, number]))
}

/** Where the marks are in a field of a section, which is HTML: tags are not searched. */
const ranges = (index, html, marks) =>
  matches(index, html.replace(/<[^<>]*>/g, tag => " ".repeat(tag.length)), marks)
    .map(([start, end]) => ({ start, end, value: end - start }))

/** The sections that are found, as Zensical's box wants them. */
async function numbered(query) {
  const index = await manifest(), { marks, pages } = query.trim() ? await found(index, query) : { pages: [] }
  const root = new URL(zensical, self.location.href)
  const best = pages.flatMap(({ page, rows }) => rows.slice(0, BEST).map(([row]) => {
    const [url] = index.pages[page], anchor = index.anchor[row]
    return numbers.get(new URL(anchor ? `${url}#${anchor}` : url, root).href)
  })).filter(number => number !== undefined).slice(0, PAGES)
  const items = best.map(id => ({
    id, score: 0, matches: ["title", "text", "path"].map(field => ({
      field, score: 0, value: { highlight: { ranges: field === "path" ? [] : ranges(index, sections[id][field] ?? "", marks) } }
    }))
  }))
  const aggregations = [{ type: "term", data: { field: "tags", value: [] } }]
  return { items, query: { select: {}, values: [] }, aggregations, pagination: { total: items.length } }
}

/* ---- what search-worker.js asks ---- */

self.setUp = data => { if (zensical) keep(data.items) }

/** What the box is given for a query. */
self.answerQuery = async data => {
  if (zensical)
    return numbered(data.input)
  return { items: await search(data.query ?? data) }
}
