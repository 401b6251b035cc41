// The list of topics in docs/decisions.md, in front of its rulings.

import { anchorOf } from './anchors.ts'
import { marksOf, renewedBetween } from './between-marks.ts'

const MARKS = marksOf('topics')

/** The page with its list as its headings have it now. */
export function renewedRulings(page: string): string {
  const topics = page.split(/^## /m).slice(1)
  const links = topics.flatMap((topic) => {
    const name = topic.slice(0, topic.indexOf('\n'))
    return topic.includes('\n### ') ? [`[${name}](#${anchorOf(name)})`] : []
  })
  return renewedBetween(page, MARKS, links.join(' · '))
}
