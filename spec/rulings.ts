// The table of docs/decisions.md in front of its rulings: each topic with what is ruled on there.

import { anchorOf } from './anchors.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

const MARKS = marksOf('rulings by topic')

/** With the table as its headings have it now. */
export function renewedRulings(page: string): string {
  const topics = page.split(/^## /m).slice(1)
  const rows = topics.flatMap((topic) => {
    const name = topic.slice(0, topic.indexOf('\n'))
    const rulings = Array.from(topic.matchAll(/^### (.+)$/gm), ([, heading]) => heading!)
    const links = rulings.map((heading) => `[${heading}](#${anchorOf(heading)})`)
    return rulings.length === 0 ? [] : [[`[${name}](#${anchorOf(name)})`, links.join(' · ')]]
  })
  return renewedBetween(page, MARKS, markdownTable(['topic', 'rulings'], rows))
}
