// The lists of codes and events in docs/troubleshooting.md, and the list that may only grow.

import { CODES, EVENTS } from '../src/core/codes.ts'
import { readAreas } from './broken-setups/read-cases.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

/** docs/troubleshooting.md with its lists renewed: codes by area, each with a link to its row. */
export function renewedCodes(page: string): string {
  const areas = Map.groupBy(Object.keys(CODES), (code) => code.slice(0, code.indexOf('.')))
  const codes = Array.from(areas.values(), (names) => `- ${names.map(linked).join(' ')}`)
  const events = Object.entries(EVENTS).map(([event, says]) => [`\`${event}\``, says])
  const withCodes = renewedBetween(page, marksOf('codes'), codes.join('\n'))
  return renewedBetween(withCodes, marksOf('events'), markdownTable(['event', 'what the line says'], events))
}

function linked(code: string): string {
  return `[\`${code}\`](#${code})`
}

/** What `explain` prints of each event: its meaning; and of each code: its rows of docs/troubleshooting.md too, the one it links to
 *  first. Which row is of which code, the broken set-ups know.
 *  @param page docs/troubleshooting.md */
export function explanations(page: string): string {
  const rows = Array.from(page.matchAll(/^\| (.*) \|$/gm), ([, row]) => rowOf(row!))
  const provoked = Map.groupBy(
    readAreas().flatMap(({ cases }) => cases.map(({ says }) => says)),
    ({ code }): string => code ?? '',
  )
  const all = Object.entries(CODES).map(([code, means]) => {
    const own = rows.filter((row) => row.anchor === code)
    const messages = new Set(provoked.get(code)?.map(({ quoted }) => quoted))
    const others = rows.filter((row) => row.anchor !== code && messages.has(row.message ?? ''))
    return [code, { means, rows: [...own, ...others].map(({ message, why, todo }) => ({ message, why, todo })) }]
  })
  const events = Object.entries(EVENTS).map(([event, says]) => [event, { means: says, rows: [] }])
  return `${JSON.stringify(Object.fromEntries([...all, ...events]), null, 2)}\n`
}

function rowOf(row: string) {
  const [first = '', why = '', todo = ''] = row.split(' | ')
  const anchor = /<a id="([^"]+)">/.exec(row)?.[1]
  const message = /^(`+) ?(.+?) ?\1$/.exec(first)?.[2]
  return { anchor, message, why: plain(why), todo: plain(todo) }
}

/** A cell for a terminal: a link is its words, with the page behind them. */
function plain(cell: string): string {
  return cell
    .replaceAll(/<a id="[^"]*"><\/a>/g, '')
    .replaceAll(/\[([^\]]+)\]\(#([^)]+)\)/g, '$1 (docs/troubleshooting.md#$2)')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)')
}

/** Codes and events by age. New ones are at the end, none is ever taken out.
 *  @param known spec/golden/codes.txt as it is */
export function grownCodes(known: string): string {
  const old = known.split('\n').filter((name) => name !== '')
  const fresh = [...Object.keys(CODES), ...Object.keys(EVENTS)].filter((name) => !old.includes(name))
  return `${[...old, ...fresh].join('\n')}\n`
}
