// The chart of a report: rows a second, attempts in flight against permits, and retries, over the time of the run, as inline SVG
// without a text or a style of its own (the page's policy forbids those). Pure.

import type { Summary } from '../summary/summary-schema.ts'
import { figure, escaped, retriesOf, roundedSpan, rowsASecond, secondsOf, type Stretch } from './report-figures.ts'

type Figure = (stretch: Stretch) => number

const WIDTH = 1000
/** Heights of the drawing, without and with retries; the page stretches it to one height. */
const HEIGHT = 190
const HEIGHT_WITH_RETRIES = 240
/** Narrower ones cannot be seen. */
const LEAST_WIDTH = 3

const inFlight: Figure = (stretch) => stretch.in_flight
const permits: Figure = (stretch) => stretch.permits

/** '' where nothing was measured. */
export function chart({ samples, outages, started }: Summary): string {
  const end = samples.at(-1)?.to ?? 0
  if (end <= 0) return ''
  const x = (seconds: number): number => tenths(Math.min(1, Math.max(0, seconds / end)) * WIDTH)
  const most = (numberOf: Figure): number => Math.max(0, ...samples.map(numberOf))
  const hasRetries = most(retriesOf) > 0
  const height = hasRetries ? HEIGHT_WITH_RETRIES : HEIGHT
  const permitted = Math.max(most(inFlight), most(permits))
  /** The outline of a figure above `base`, counted from the top, on which `top` is `room` high. */
  const line = (base: number, room: number, top: number, numberOf: Figure): string => {
    const y = (value: number): number => tenths(base - (top > 0 ? (value / top) * room : 0))
    return samples.map((one) => `L${x(one.from)} ${y(numberOf(one))}H${x(one.to)}`).join('')
  }
  const area = (look: string, base: number, room: number, top: number, numberOf: Figure): string =>
    `<path class="base" d="M0 ${base}H${WIDTH}"/><path class="${look}" d="M${x(samples[0]!.from)} ${base}${line(base, room, top, numberOf)}V${base}Z"/>`
  const since = (at: string): number => x((Date.parse(at) - Date.parse(started)) / 1000)
  const drawing = [
    ...samples.filter(isIdle).map((one) => {
      return `<rect class="idle" x="${x(one.from)}" y="0" width="${tenths(x(one.to) - x(one.from))}" height="${height}"/>`
    }),
    ...outages.map(({ from, to }) => {
      const [left, right] = [since(from), to === null ? WIDTH : since(to)]
      return `<rect class="out" x="${left}" y="0" width="${Math.max(LEAST_WIDTH, right - left)}" height="${height}"/>`
    }),
    area('rows', 110, 100, most(rowsASecond), rowsASecond),
    area('flying', 190, 65, permitted, inFlight),
    `<path class="permits" d="M${line(190, 65, permitted, permits).slice(1)}"/>`,
    ...(hasRetries ? [area('retries', height, 35, most(retriesOf), retriesOf)] : []),
  ]
  const short = (numberOf: Figure): string => figure(most(numberOf), 'count')
  const keys = [
    ['rows', `Rows a second, at most ${short(rowsASecond)}`],
    ['flying', `requests in flight, at most ${short(inFlight)} of ${short(permits)} permitted`],
    ...(hasRetries ? [['retries', `retries, at most ${short(retriesOf)} in a stretch`]] : []),
    ...(samples.some(isIdle) ? [['idle', 'nothing to send']] : []),
    ...(outages.length > 0 ? [['out', 'outages']] : []),
  ]
  const list = keys.map(([look, words]) => `<li class="${look!}">${escaped(words!)}</li>`)
  const label = escaped(keys.map(([, words]) => words!).join('; '))
  const ticks = [0, 0.5, 1].map((share) => `<span>${escaped(roundedSpan(share * end * 1000))}</span>`)
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
