// Draws the chart of a report: rows a second, attempts in flight against permits, and retries, over the time of the run. It is inline SVG
// without a text or a style of its own (the page's policy forbids styles); classes give its look. Pure.

import type { Summary } from '../summary/summary-schema.ts'
import { figure, escaped, retriesOf, roundedSpan, rowsASecond, secondsOf, type Stretch } from './report-figures.ts'

type NumberOf = (stretch: Stretch) => number

const WIDTH = 1000
/** The bands of the drawing: each's bottom, counted down from the top, and how high its largest value stands. The drawing ends with its last
 *  band, and the page stretches it to one height. */
const ROWS = { bottom: 110, height: 100 }
const REQUESTS = { bottom: 190, height: 65 }
const RETRIES = { bottom: 240, height: 35 }
type Band = typeof ROWS
/** The least width of an outage: a narrower one could not be seen. */
const LEAST_WIDTH = 3

const inFlight: NumberOf = (stretch) => stretch.in_flight
const permits: NumberOf = (stretch) => stretch.permits

/** Returns the chart in HTML; '' where nothing was measured. */
export function chart({ samples, outages, started }: Summary): string {
  const endSeconds = samples.at(-1)?.to ?? 0
  if (endSeconds <= 0) return ''
  const x = (seconds: number): number => tenths(Math.min(1, Math.max(0, seconds / endSeconds)) * WIDTH)
  const xOf = (moment: string): number => x((Date.parse(moment) - Date.parse(started)) / 1000)
  const most = (numberOf: NumberOf): number => Math.max(0, ...samples.map(numberOf))
  const hasRetries = most(retriesOf) > 0
  const height = (hasRetries ? RETRIES : REQUESTS).bottom
  const permitted = Math.max(most(inFlight), most(permits))
  /** The steps of a figure, as lines (`L`) from a point that comes before. `top` is the value that is as high as the band. */
  const steps = (band: Band, top: number, numberOf: NumberOf): string => {
    const y = (value: number): number => tenths(band.bottom - (top > 0 ? (value / top) * band.height : 0))
    return samples.map((one) => `L${x(one.from)} ${y(numberOf(one))}H${x(one.to)}`).join('')
  }
  const area = (className: string, band: Band, top: number, numberOf: NumberOf): string =>
    `<path class="base" d="M0 ${band.bottom}H${WIDTH}"/>` +
    `<path class="${className}" d="M${x(samples[0]!.from)} ${band.bottom}${steps(band, top, numberOf)}V${band.bottom}Z"/>`
  const drawing = [
    ...samples.filter(isIdle).map((one) => {
      return `<rect class="idle" x="${x(one.from)}" y="0" width="${tenths(x(one.to) - x(one.from))}" height="${height}"/>`
    }),
    ...outages.map(({ from, to }) => {
      const [left, right] = [xOf(from), to === null ? WIDTH : xOf(to)]
      return `<rect class="out" x="${left}" y="0" width="${Math.max(LEAST_WIDTH, right - left)}" height="${height}"/>`
    }),
    area('rows', ROWS, most(rowsASecond), rowsASecond),
    area('flying', REQUESTS, permitted, inFlight),
    // begins at the first of its points, not with a line to it
    `<path class="permits" d="M${steps(REQUESTS, permitted, permits).slice(1)}"/>`,
    ...(hasRetries ? [area('retries', RETRIES, most(retriesOf), retriesOf)] : []),
  ]
  const mostText = (numberOf: NumberOf): string => figure(most(numberOf), 'count')
  const keys = [
    ['rows', `Rows a second, at most ${mostText(rowsASecond)}`],
    ['flying', `requests in flight, at most ${mostText(inFlight)} of ${mostText(permits)} permitted`],
    ...(hasRetries ? [['retries', `retries, at most ${mostText(retriesOf)} in a stretch`]] : []),
    ...(samples.some(isIdle) ? [['idle', 'nothing to send']] : []),
    ...(outages.length > 0 ? [['out', 'outages']] : []),
  ]
  const list = keys.map(([className, words]) => `<li class="${className!}">${escaped(words!)}</li>`)
  const label = escaped(keys.map(([, words]) => words!).join('; '))
  const ticks = [0, 0.5, 1].map((share) => `<span>${escaped(roundedSpan(share * endSeconds * 1000))}</span>`)
  return (
    `<figure><ul class="keys">${list.join('')}</ul>` +
    `<svg viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawing.join('')}</svg>` +
    `<div class="ticks">${ticks.join('')}</div></figure>`
  )
}

/** Whether nothing was to be sent for most of the stretch. */
function isIdle(stretch: Stretch): boolean {
  return stretch.spent_seconds.idle > secondsOf(stretch) / 2
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
