// A page with what stands between two of its marks renewed. Knows no page.

export interface Marks {
  readonly begin: string
  readonly end: string
}

/** @param what is generated, for people and as the name of its marks: "options of stream" */
export function marksOf(what: string): Marks {
  return { begin: `<!-- ${what}: begin (written by \`npm run generate\`) -->`, end: `<!-- ${what}: end -->` }
}

/** @param content Markdown without the marks; '': nothing
 *  @throws when the page has lost them */
export function renewedBetween(page: string, { begin, end }: Marks, content: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`The page has lost the marks of a table: ${begin}`)
  const between = content === '' ? '\n' : `\n\n${content}\n\n`
  return `${page.slice(0, before)}${begin}${between}${page.slice(after)}`
}

/** @param rows the cells of each */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
