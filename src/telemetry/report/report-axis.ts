// Where the marks of an axis stand, at round figures. Pure; knows no picture.

/** Marks in the axis's own figures, ascending; `to`: where it ends. */
export interface Axis {
  readonly from: number
  readonly to: number
  readonly marks: readonly number[]
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TIME_STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 6, 12].map((count) => count * HOUR),
  DAY,
]
const TIME_MARKS = 3
/** Less is told as nothing, and cannot be divided into steps. */
const LEAST_VALUE = 1e-9

/** From 0 to the end of a run. */
export function timeAxis(ms: number): Axis {
  const to = Math.max(1, ms)
  const step = TIME_STEPS.find((step) => to / step <= TIME_MARKS) ?? DAY * Math.ceil(to / DAY / TIME_MARKS)
  return { from: 0, to, marks: stepped(step, Math.floor(to / step)) }
}

/** From 0 to at least `most`, in two to five steps.
 *  @param base 1024 where figures are told in powers of it */
export function valueAxis(most: number, base = 1000): Axis {
  if (!(most >= LEAST_VALUE)) return { from: 0, to: 1, marks: [0, 1] }
  const unit = base ** Math.max(0, Math.floor(Math.log(most) / Math.log(base)))
  const rough = most / unit / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * [1, 2, 5, 10].find((round) => round * power >= rough)! * unit
  const count = Math.ceil(most / step)
  return { from: 0, to: count * step, marks: stepped(step, count) }
}

/** In powers of ten around what is there.
 *  @param least above 0 */
export function powerAxis(least: number, most: number): Axis {
  const from = Math.floor(Math.log10(least))
  const to = Math.max(from + 1, Math.ceil(Math.log10(most)))
  return {
    from: 10 ** from,
    to: 10 ** to,
    marks: Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)),
  }
}

function stepped(step: number, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
