import { array, assert, nat, property, record } from 'fast-check'
import { expect, it } from 'vitest'
import { keptSegments } from './revoked.ts'
import { Point } from './body.ts'
import { Segment } from './segment.ts'
import { recordOf, trackStateOf } from './testing/bodies.ts'

const EMPTY_LINE = Array.from({ length: 6 }, (): readonly [number, number] => [0, 0])

/** Lines of segments of which so many records were received and so many sent. */
function linesOf(...lines: readonly (readonly (readonly [received: number, sent: number])[])[]): Segment[][] {
  return lines.map((segments, line) => {
    return segments.map(([received]) => {
      const segment = new Segment(trackStateOf(`${line}`), 0)
      segment.unsettled = received
      return segment
    })
  })
}

/** A point that stands for a record of each, the newest last. */
function pointOf(...segments: readonly Segment[]): Point<null> {
  const point = new Point(recordOf(), segments[0]!, 0)
  for (const segment of segments.slice(1)) point.supersede(segment, recordOf())
  return point
}

it('are those up to the last of which something was sent, and empty ones behind it', () => {
  const [line] = linesOf([
    [2, 0],
    [2, 1],
    [0, 0],
    [1, 0],
    [0, 0],
  ])
  const unsent = [pointOf(line![0]!), pointOf(line![0]!), pointOf(line![1]!), pointOf(line![3]!)]
  expect([...keptSegments([line!], unsent)]).toEqual(line!.slice(0, 3))
})

it('are also those whose records go out with a kept one, of whatever track, and what lies before them', () => {
  const [a, b] = linesOf(
    [
      [1, 1],
      [1, 0],
    ],
    [
      [1, 0],
      [2, 0],
      [1, 0],
    ],
  )
  // kept for a, whose record it stands for, it is of the second one of b
  a![0]!.unsettled++
  const unsent = [pointOf(a![0]!, b![1]!), pointOf(b![0]!), pointOf(b![1]!, a![1]!), pointOf(b![2]!)]
  expect(new Set(keptSegments([a!, b!], unsent))).toEqual(new Set([...a!, b![0]!, b![1]!]))
})

it('are also those that go out for a track that stays', () => {
  const [a, stays] = linesOf([[1, 0]], [[1, 0]])
  expect([...keptSegments([a!], [pointOf(stays![0]!, a![0]!)])]).toEqual(a)
  expect([...keptSegments([a!], [pointOf(stays![0]!), pointOf(a![0]!)])]).toEqual([])
})

it('leave nothing unsent before, or merged with, what is kept, and nothing that need not be kept', () => {
  const anyPoint = array(record({ line: nat(1), at: nat(5) }), { minLength: 1, maxLength: 3 })
  assert(
    property(
      array(anyPoint, { maxLength: 12 }),
      array(record({ line: nat(1), at: nat(5) }), { maxLength: 3 }),
      (planned, sent) => {
        const lines = linesOf(EMPTY_LINE, EMPTY_LINE)
        const segmentAt = ({ line, at }: { line: number; at: number }): Segment => lines[line]![at]!
        for (const places of [...planned, sent]) for (const place of places) segmentAt(place).unsettled++
        const points = planned.map((places) => places.map(segmentAt))
        const kept = keptSegments(
          lines,
          points.map((segments) => pointOf(...segments)),
        )
        // by the rules alone, again and again until nothing changes
        const expected = new Set(sent.map(segmentAt))
        for (let size = -1; size !== expected.size;) {
          size = expected.size
          for (const line of lines) {
            const last = line.findLastIndex((segment) => expected.has(segment))
            for (const segment of line.slice(0, last + 1)) expected.add(segment)
          }
          for (const point of points)
            if (point.some((segment) => expected.has(segment))) point.forEach((one) => expected.add(one))
        }
        for (const line of lines)
          for (const segment of line) {
            if (expected.has(segment)) continue
            if (segment.unsettled > 0) break
            expected.add(segment)
          }
        expect(new Set(kept)).toEqual(expected)
      },
    ),
  )
})
