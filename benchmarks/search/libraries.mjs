// How search libraries answer what readers type, given the words that Hexapla's index has: called by libraries.py.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gzipSync } from "node:zlib"

const [modules, input] = process.argv.slice(2)
const require = createRequire(`${modules}/x.js`)
const FIELDS = { heading: 5, names: 4, strong: 1.5, text: 1 }
const names = Object.keys(FIELDS)
const plain = query => query.map(([word]) => word).join(" ")

/* Each makes an index of sections and gives [what is stored, a function from [word, weight] to rows, best first]. */
const LIBRARIES = {
  MiniSearch(rows) {
    const MiniSearch = require("minisearch")
    const words = text => text.split(" ")
    const index = new MiniSearch({ fields: names, idField: "row", tokenize: words, processTerm: word => word })
    index.addAll(rows)
    const options = { boost: FIELDS, prefix: word => word.length > 2, fuzzy: word => word.length > 4 ? 0.15 : false }
    return [JSON.stringify(index), query => index.search(plain(query), {
      ...options, boostTerm: (_, at) => query[at][1]
    }).map(({ id }) => id)]
  },
  lunr(rows) {
    const lunr = require("lunr")
    const index = lunr(function () {
      this.pipeline.reset()
      this.searchPipeline.reset()
      this.tokenizer = value => String(value).split(" ").map((word, at) => new lunr.Token(word, { position: [at, 1] }))
      this.ref("row")
      for (const [field, boost] of Object.entries(FIELDS))
        this.field(field, { boost })
      rows.forEach(row => this.add(row))
    })
    return [JSON.stringify(index), query => index.query(asked => query.forEach(([word, boost]) => {
      asked.term(word, { boost: 10 * boost })
      if (word.length > 2)
        asked.term(word, { boost, wildcard: lunr.Query.wildcard.TRAILING })
    })).map(({ ref }) => Number(ref))]
  },
  async Orama(rows) {
    const { create, insertMultiple, search, save } = await import(require.resolve("@orama/orama"))
    const tokenizer = { language: "english", normalizationCache: new Map(), tokenize: text => text.split(" ") }
    const schema = Object.fromEntries(names.map(name => [name, "string"]))
    const index = create({ schema, components: { tokenizer } })
    await insertMultiple(index, rows.map(({ row, ...each }) => ({ ...each, id: String(row) })))
    return [JSON.stringify(save(index)), async query => {
      const { hits } = await search(index, { term: plain(query), boost: FIELDS, threshold: 1, limit: 200 })
      return hits.map(({ id }) => Number(id))
    }]
  },
  FlexSearch(rows) {
    const { Document } = require("flexsearch")
    const encode = text => text.split(" ")
    const index = new Document({ document: { id: "row", index: names.map(field => ({ field, tokenize: "forward", encode })) } })
    rows.forEach(row => index.add(row))
    const stored = []
    index.export((_, data) => stored.push(data))
    return [stored.join(""), query => {
      const scores = new Map()   // it ranks within a field alone, and wants all words unless told otherwise
      for (const { field, result } of index.search(plain(query), { suggest: true, limit: 200 }))
        result.forEach((row, place) => scores.set(row, (scores.get(row) ?? 0) + FIELDS[field] / (1 + place)))
      return [...scores].sort((a, b) => b[1] - a[1]).map(([row]) => row)
    }]
  }
}

const { rows, queries, addresses } = JSON.parse(readFileSync(input, "utf8"))
const answers = {}
for (const [name, make] of Object.entries(LIBRARIES)) {
  const [stored, search] = await make(rows)
  await search(queries[0])
  const before = process.cpuUsage()
  const found = []
  for (const query of queries) {
    const pages = new Map()
    for (const row of query.length ? await search(query) : []) {
      const page = addresses[row].split("#")[0]
      pages.set(page, [...pages.get(page) ?? [], addresses[row]])
    }
    found.push([...pages.values()])
  }
  const { user } = process.cpuUsage(before)
  answers[name] = { found, gzip: gzipSync(stored).length, ms: user / 1000 / queries.length }
}
console.log(JSON.stringify(answers))
