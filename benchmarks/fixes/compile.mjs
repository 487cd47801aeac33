// Names each page that compiled before and no longer does: a line of "BEFORE\tAFTER" paths on stdin for each page.
import {readFileSync} from 'node:fs'
import {compile} from '@mdx-js/mdx'
import remarkFrontmatter from 'remark-frontmatter'

async function compiles(path) {
  try {
    await compile(readFileSync(path, 'utf8'), {format: 'mdx', remarkPlugins: [remarkFrontmatter]})
    return true
  } catch {
    return false
  }
}

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [before, after] = line.split('\t')
  if (await compiles(before) && !(await compiles(after))) console.log(after)
}
