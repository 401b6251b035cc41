// A chart of a run as SVG: steps or bars over its time. Pure; knows no run. Its figures are whole numbers in a picture of its
// own size, so that hundreds of steps stay small.

import { powerAxis, timeAxis, valueAxis } from './report-axis.ts'
import type { Axis } from './report-axis.ts'
import { figure, roundedSpan } from './report-figures.ts'
import type { ReportUnit } from './report-figures.ts'
import { html } from './report-html.ts'

/** A value for each span of the chart; undefined: none, a gap. */
export interface Series {
  readonly name: string
  readonly values: readonly (number | undefined)[]
}

export interface Chart {
  /** Of the page, once. */
  readonly id: string
  readonly title: string
  readonly unit: ReportUnit
  /** Behind a value in words: "/s". */
  readonly per: string
  /** lines: over each other, of one alone the area too; bars: on top of each other; powers: lines over powers of ten. */
  readonly kind: 'lines' | 'bars' | 'powers'
  /** At most four. */
  readonly series: readonly Series[]
  /** In milliseconds, in order. */
  readonly spans: readonly (readonly [from: number, to: number])[]
  readonly elapsedMs: number
  /** Those of `spans` that are marked, and as what. */
  readonly marked?: { readonly name: string; readonly spans: readonly boolean[] } | undefined
}

const WIDTH = 3600
const HEIGHT = 1700
const [LEFT, RIGHT, TOP, BOTTOM] = [640, 3520, 100, 1450]
/** Whatever is there is so wide and high. */
const LEAST = 8

interface Scales {
  readonly x: (ms: number) => number
  readonly y: (value: number) => number
}

export function chart(given: Chart): string {
  const { id, title, kind, series } = given
  const time = timeAxis(given.elapsedMs)
  const values = valuesOf(given)
  const scales: Scales = {
    x: (ms) => Math.round(LEFT + ((RIGHT - LEFT) * Math.min(ms, time.to)) / time.to),
    y: (value) => Math.round(BOTTOM - (BOTTOM - TOP) * shareOf(value, values, kind)),
  }
  const drawn = kind === 'bars' ? bars(given, scales) : lines(given, scales)
  return (
    `<figure><h3 id="${id}-h">${html(title)}</h3>${key(given)}` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${html(title)}</title>` +
    `<desc id="${id}-d">${html(series.map((one) => inWords(one, given)).join('; '))}.</desc>` +
    `${marks(given, scales)}${grid(time, values, scales, given)}${drawn}</svg></figure>`
  )
}

function valuesOf({ kind, series, spans, unit }: Chart): Axis {
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined))
  const base = unit === 'bytes' ? 1024 : 1000
  if (kind === 'bars')
    return valueAxis(
      Math.max(0, ...spans.map((_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0))),
    )
  if (kind === 'lines') return valueAxis(Math.max(0, ...all), base)
  return powerAxis(Math.max(1, Math.min(...all, Math.max(1, ...all))), Math.max(1, ...all))
}

function shareOf(value: number, axis: Axis, kind: Chart['kind']): number {
  if (kind !== 'powers') return value / axis.to
  return Math.max(0, Math.log(value / axis.from) / Math.log(axis.to / axis.from))
}

function grid(time: Axis, values: Axis, { x, y }: Scales, { unit }: Chart): string {
  const across = values.marks.map((mark) => `M${LEFT} ${y(mark)}H${RIGHT}`).join('')
  const beside = values.marks.map(
    (mark) => `<text x="${LEFT - 60}" y="${y(mark) + 45}" text-anchor="end">${html(figure(mark, unit))}</text>`,
  )
  const below = time.marks.map((mark) => {
    const at = x(mark)
    const anchor = at > RIGHT - 200 ? 'end' : at === LEFT ? 'start' : 'middle'
    return `<text x="${at}" y="${BOTTOM + 190}" text-anchor="${anchor}">${mark === 0 ? '0' : html(roundedSpan(mark))}</text>`
  })
  const ticks = time.marks.map((mark) => `M${x(mark)} ${BOTTOM}v40`).join('')
  return `<path class="grid" d="${across}${ticks}"/>${beside.join('')}${below.join('')}`
}

function lines({ series, spans }: Chart, scales: Scales): string {
  return series
    .map(({ values }, index) => {
      const runs = stepsOf(values, spans, scales)
      const line = `<path class="l k${index}" d="${runs.map(({ path }) => path).join('')}"/>`
      const area = runs.map(({ path, from }) => `${path}V${BOTTOM}H${from}z`).join('')
      return series.length === 1 ? `<path class="a f${index}" d="${area}"/>${line}` : line
    })
    .join('')
}

/** Unbroken runs of steps. */
function stepsOf(
  values: Series['values'],
  spans: Chart['spans'],
  { x, y }: Scales,
): readonly { path: string; from: number }[] {
  const runs: { path: string; from: number }[] = []
  let before: number | undefined
  for (const [index, value] of values.entries()) {
    const height = value === undefined ? undefined : y(value)
    if (height !== undefined) {
      const from = x(spans[index]![0])
      // however short it was, it can be seen
      const to = Math.max(x(spans[index]![1]), from + LEAST)
      if (before === undefined) runs.push({ path: `M${from} ${height}H${to}`, from })
      else runs.at(-1)!.path += `${height === before ? '' : `V${height}`}H${to}`
    }
    before = height
  }
  return runs
}

function bars({ series, spans }: Chart, { x, y }: Scales): string {
  const heights = spans.map(() => 0)
  return series
    .map(({ values }, index) => {
      const path = values.map((value = 0, at) => {
        if (value === 0) return ''
        const [from, to] = spans[at]!
        const [low, high] = [y(heights[at]!), y((heights[at]! += value))]
        const width = Math.max(LEAST, x(to) - x(from))
        // the least there is can be seen
        return `M${x(from)} ${low}v${Math.min(-LEAST, high - low)}h${width}V${low}z`
      })
      return `<path class="f${index}" d="${path.join('')}"/>`
    })
    .join('')
}

function marks({ marked, spans }: Chart, { x }: Scales): string {
  if (!marked?.spans.includes(true)) return ''
  const path = spans.map(([from, to], index) =>
    marked.spans[index] ? `M${x(from)} ${TOP}h${Math.max(LEAST, x(to) - x(from))}V${BOTTOM}H${x(from)}z` : '',
  )
  return `<path class="band" d="${path.join('')}"/>`
}

function key({ series, kind, marked }: Chart): string {
  const swatch = (index: number): string =>
    kind === 'bars' ? `<rect class="f${index}" width="20" height="8"/>` : `<path class="l k${index}" d="M0 4h20"/>`
  const entries = series.map(({ name }, index) => [name, swatch(index)] as const)
  if (marked?.spans.includes(true)) entries.push([marked.name, '<rect class="band" width="20" height="8"/>'])
  if (entries.length < 2) return ''
  const items = entries.map(
    ([name, picture]) => `<li><svg viewBox="0 0 20 8" aria-hidden="true">${picture}</svg>${html(name)}</li>`,
  )
  return `<ul class="key">${items.join('')}</ul>`
}

/** The picture for those who don't see it. */
function inWords({ name, values }: Series, { unit, per, spans }: Chart): string {
  const known = values.flatMap((value, index) =>
    value === undefined ? [] : [[value, weightOf(spans[index]!)] as const],
  )
  if (known.length === 0) return `${name}: none`
  const most = Math.max(...known.map(([value]) => value))
  const weight = known.reduce((sum, [, one]) => sum + one, 0)
  const mean = known.reduce((sum, [value, one]) => sum + value * one, 0) / weight
  return `${name}: ${figure(mean, unit)}${per} on average, ${figure(most, unit)}${per} at most`
}

function weightOf([from, to]: readonly [number, number]): number {
  return Math.max(1, to - from)
}
