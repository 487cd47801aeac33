/**
 * The search box's worker: what answers, search-answers.js, is loaded with the first query, since most pages are read
 * without one.
 *
 * The messages are those of Material's own worker: SETUP -> READY, QUERY(text) -> RESULT({items}); an item is a list of
 * {location, title, text, score, terms}, one per section, the page itself among them, with `title` and `text` as HTML.
 * MaterialX sends QUERY({query}), gives each message an `id`, which its answer has too, and waits for every answer;
 * FAILED is one there.
 * Zensical sends its sections with SETUP and QUERY({input}), and wants {id, matches}: a section's number, and by its field
 * the places to mark. With `&zensical=<URL of the site's root, relative to this script>` in its address it gets them.
 * Material sends an index with SETUP; it is empty here and not looked at. Ours is named by this script's own address,
 * `search-worker.js?index=<URL relative to this script>`.
 */
"use strict"

const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3, FAILED = 4
let sent = {}                                                  // with SETUP

/** The answer to a message of the theme's search box. */
async function answer({ type, data }) {
  switch (type) {
    case SETUP:
      sent = data
      self.setUp?.(sent)
      return { type: READY }
    case QUERY: {
      const text = data.query ?? data                            // Zensical's is a record
      if (typeof text === "string" && !text.trim())
        return { type: RESULT, data: { items: [] } }
      if (!self.answerQuery) {
        importScripts(new URL("search-answers.js", self.location.href))
        self.setUp(sent)
      }
      return { type: RESULT, data: await self.answerQuery(data) }
    }
    default:
      throw new TypeError(`search-worker.js: no message of type ${type} is known`)
  }
}

// An answer that came later than that of the next query would replace it; an index that cannot be loaded is not an
// empty one: the box then shows no result, rather than "nothing found".
let asked = 0
self.addEventListener("message", async ({ data }) => {
  const number = ++asked, { id } = data, waiting = id !== undefined
  try {
    const message = await answer(data)
    if (waiting || number === asked || data.type !== QUERY)
      self.postMessage({ ...message, ...waiting && { id } })
  } catch (error) {
    console.error(error)
    if (waiting)
      self.postMessage({ id, type: FAILED, error: String(error) })
  }
})
