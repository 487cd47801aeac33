// For each path on stdin a line of JSON: what @mdx-js/mdx reads in the page, or why it reads none.
import {readFileSync} from 'node:fs'
import {createProcessor} from '@mdx-js/mdx'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'

const processor = createProcessor({format: 'mdx', remarkPlugins: [remarkFrontmatter, remarkGfm]})
const shown = new Set(['alt', 'description', 'label', 'summary', 'title'])

// What Docusaurus does to a page before: comments of HTML are none of MDX, and the braces of a heading's id are text.
function prepared(text) {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  let fence = ''
  return lines.map((line) => {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)
    if (mark && !fence) fence = mark[1]
    else if (mark && line.trim().replace(/[> \t]/g, '') === mark[1] && mark[1].startsWith(fence)) fence = ''
    if (fence) return line
    return line.replace(/(^#{1,6}\s.*)\{(#[^\s{}]+\})\s*$/, '$1\\{$2').replace(/<!--(.*?)-->/g, '{/*$1*/}')
  }).join('\n')
}

function value(attribute) {
  if (typeof attribute.value === 'string') return attribute.value
  const literal = /^\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|`([^`\\$]*)`)\s*$/.exec(attribute.value?.value ?? '')
  return literal ? literal[1] ?? literal[2] ?? literal[3] : undefined
}

const inline = new Set([
  'a', 'abbr', 'b', 'cite', 'del', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'samp', 'small', 'span', 'strong', 'sub',
  'sup', 'u', 'var',
])

function raw(node) {
  return node.value ?? (node.children ?? []).map(raw).join('')
}

function words(node) {
  if (node.type === 'text') return node.value
  if (node.type === 'break') return ' '
  if (node.type.startsWith('mdx') && node.type.endsWith('Expression')) {
    return value({value: {value: node.value}}) ?? ' '
  }
  if (node.name === 'code' || !node.children) return ' '
  const inside = node.children.map(words).join('')
  return node.name && /^[a-z]/.test(node.name) && !inline.has(node.name) ? ` ${inside} ` : inside
}

const blocks = new Set(['heading', 'paragraph', 'tableCell'])

function structure(text) {
  const tree = processor.parse(text)
  const found = {headings: [], links: [], fences: [], codes: [], texts: []}
  const targets = new Map()
  const walk = (node, visit) => {
    visit(node)
    for (const child of node.children ?? []) walk(child, visit)
  }
  walk(tree, (node) => {
    if (node.type === 'definition' && !targets.has(node.identifier)) targets.set(node.identifier, node.url)
  })
  walk(tree, (node) => {
    if (node.type === 'heading') found.headings.push([node.depth, words(node)])
    if (blocks.has(node.type)) found.texts.push(words(node))
    if (node.type === 'code') found.fences.push([node.lang ?? '', node.value])
    if (node.type === 'inlineCode') found.codes.push(node.value)
    if (node.type === 'image') found.links.push(node.url)
    // A bare address is a link to GitHub's rules, which Hexapla does not call one.
    if (node.type === 'link' && text[node.position.start.offset] === '[') found.links.push(node.url)
    if (node.type === 'linkReference' || node.type === 'imageReference') found.links.push(targets.get(node.identifier))
    if (node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement') {
      const written = new Map(node.attributes.filter((each) => each.name).map((each) => [each.name, value(each)]))
      const target = written.get('href') ?? written.get('to') ?? (node.name === 'img' ? written.get('src') : undefined)
      if (target !== undefined) found.links.push(target)
      if (node.name === 'code') found.codes.push(raw(node))
      if (/^h[1-6]$/.test(node.name)) found.headings.push([Number(node.name[1]), words(node)])
    }
  })
  return found
}

for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  let result
  try {
    result = structure(prepared(readFileSync(path, 'utf8')))
  } catch (error) {
    result = {error: `${error.place?.line ?? error.place?.start?.line ?? ''}: ${error.message.split('\n')[0]}`}
  }
  console.log(JSON.stringify(result))
}
