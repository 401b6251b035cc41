// The chart of a report: rows a second, attempts in flight against permits, and retries, over the time of the run, as inline SVG
// without a text or a style of its own (the page's policy forbids those). Pure.

import type { Summary } from '../summary/summary-schema.ts'
import { figure, html, retriesOf, roundedSpan, rowsASecond } from './report-figures.ts'

type Stretch = Summary['samples'][number]
/** Where a band of the chart ends, downwards, and how high it is. */
interface Band {
  readonly base: number
  readonly height: number
  readonly most: number
}

const WIDTH = 1000
/** Of the drawing, which is as high on every screen. */
const HEIGHT = 240
/** Narrower ones cannot be seen. */
const LEAST_WIDTH = 3

/** '' where nothing was measured. */
export function chart(summary: Summary): string {
  const { samples, outages } = summary
  const end = samples.at(-1)?.to ?? 0
  if (end <= 0) return ''
  const x = (seconds: number): number => Math.round(Math.min(1, Math.max(0, seconds / end)) * WIDTH * 10) / 10
  const most = (of: (stretch: Stretch) => number): number => Math.max(0, ...samples.map(of))
  const rows = { base: 110, height: 100, most: most(rowsASecond) }
  const flying = { base: 190, height: 65, most: most(({ in_flight, permits }) => Math.max(in_flight, permits)) }
  const repeated = { base: HEIGHT, height: 35, most: most(retriesOf) }
  const line = (band: Band, of: (stretch: Stretch) => number): string => steps(samples, x, band, of)
  const area = (band: Band, of: (stretch: Stretch) => number): string =>
    `M${x(samples[0]!.from)} ${band.base}L${line(band, of).slice(1)}V${band.base}Z`
  const began = Date.parse(summary.started)
  const since = (at: string): number => (Date.parse(at) - began) / 1000
  const shades = outages.map(({ from, to }) => {
    const [left, right] = [x(since(from)), x(to === null ? end : since(to))]
    return `<rect class="out" x="${left}" y="0" width="${Math.max(LEAST_WIDTH, right - left)}" height="${HEIGHT}"/>`
  })
  const label = [
    `Rows a second, at most ${figure(rows.most, 'count')}`,
    `requests in flight, at most ${figure(
      most(({ in_flight }) => in_flight),
      'count',
    )} of ${figure(
      most(({ permits }) => permits),
      'count',
    )} permitted`,
    `retries, at most ${figure(repeated.most, 'count')} in a stretch`,
  ]
  const drawing = [
    ...shades,
    ...[rows, flying, repeated].map(({ base }) => `<path class="base" d="M0 ${base}H${WIDTH}"/>`),
    `<path class="rows" d="${area(rows, rowsASecond)}"/>`,
    `<path class="flying" d="${area(flying, ({ in_flight }) => in_flight)}"/>`,
    `<path class="permits" d="${line(flying, ({ permits }) => permits)}"/>`,
    ...(repeated.most > 0 ? [`<path class="retries" d="${area(repeated, retriesOf)}"/>`] : []),
  ]
  const keys = [
    ['rows', label[0]!],
    ['flying', label[1]!],
    ...(repeated.most > 0 ? [['retries', label[2]!]] : []),
    ...(outages.length > 0 ? [['out', 'outages']] : []),
  ].map(([look, words]) => `<li class="${look!}">${html(words!)}</li>`)
  return (
    `<figure><ul class="keys">${keys.join('')}</ul>` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${html(label.join('; '))}">${drawing.join('')}</svg>` +
    `<div class="ticks">${[0, 0.5, 1].map((share) => `<span>${html(roundedSpan(share * end * 1000))}</span>`).join('')}</div></figure>`
  )
}

function steps(
  samples: readonly Stretch[],
  x: (seconds: number) => number,
  { base, height, most }: Band,
  of: (stretch: Stretch) => number,
): string {
  const y = (value: number): number => Math.round((base - (most > 0 ? (value / most) * height : 0)) * 10) / 10
  return `M${samples.map((one) => `${x(one.from)} ${y(of(one))}H${x(one.to)}`).join('L')}`
}
