import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Body, Point, sizeOf, writePieces } from './body.ts'
import { Segment } from './segment.ts'
import { recordOf, trackStateOf } from './testing/bodies.ts'
import type { Pieces } from './types.ts'

function point(age = 0, held = 0): Point<null> {
  return new Point(recordOf('{}', { held }), new Segment(trackStateOf('t'), 0), age)
}

/** Pieces in the middle of other bytes, cut at a share of the text. */
function pieces(text: string, cut = 0.5): Pieces {
  const all = Buffer.from(`##${text}##`)
  const middle = 2 + Math.round((all.length - 4) * cut)
  return { head: all, headFrom: 2, headTo: middle, bytes: all, from: middle, to: all.length - 2 }
}

const text = fc
  .oneof(fc.string({ maxLength: 20 }), fc.string({ maxLength: 120, unit: 'binary' }), fc.constant('],[ ,  '))
  .map((pad) => `{"keys":["a"],"a":${JSON.stringify(pad)}}`)
const action = fc.record({
  what: fc.constantFrom('add', 'add', 'replace', 'replace', 'remove', 'compact'),
  which: fc.nat(),
  text,
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
})

test('whatever is added, replaced, taken out and squeezed, the array is valid and every point byte-equal', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (actions, capacity) => {
      const body = new Body<null>(capacity)
      const texts = new Map<Point<null>, string>()
      for (const { what, which, text, cut } of [...actions, { what: 'add', which: 0, text: '{}', cut: 0 }]) {
        const known = body.points[which % Math.max(1, body.points.length)]
        if (what === 'add') {
          const added = point()
          body.add(added, pieces(text, cut))
          texts.set(added, text)
        } else if (known && what === 'replace') {
          body.replace(known, pieces(text, cut))
          texts.set(known, text)
        } else if (known && what === 'remove') {
          body.remove(known)
          texts.delete(known)
        } else if (what === 'compact') body.compact()
        expect(body.blanks * 2).toBeLessThanOrEqual(body.length)
        const bytes = [...texts.values()].reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 1)
        expect(body.length - body.blanks).toBe(bytes)
      }
      for (const [each, expected] of texts)
        expect(Buffer.from(body.bytes.subarray(each.from, each.to)).toString()).toBe(expected)
      const finished = Buffer.from(body.finish()).toString()
      expect(finished.length).toBeGreaterThan(1)
      const sorted = (values: unknown[]): unknown[] => values.map((value) => JSON.stringify(value)).sort()
      expect(sorted(JSON.parse(finished) as unknown[])).toEqual(
        sorted([...texts.values()].map((text) => JSON.parse(text))),
      )
    }),
    { numRuns: 500 },
  )
})

test('a body that only grew is the points joined', () => {
  const body = new Body<null>(4)
  for (const text of ['{"a":1}', '{"a":2}']) body.add(point(), pieces(text))
  expect(Buffer.from(body.finish()).toString()).toBe('[{"a":1},{"a":2}]')
})

test('points taken out of a finished body leave the others, byte for byte, in a valid array', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ text, isGone: fc.boolean(), isReplaced: fc.boolean() })), (them) => {
      const body = new Body<null>(16)
      const points = Array.from([{ text: '{}', isGone: false, isReplaced: false }, ...them], (it) => {
        return { ...it, point: point(0, 3) }
      })
      for (const it of points) body.add(it.point, pieces(it.text))
      // what was superseded stands behind those that came after it
      for (const it of points) if (it.isReplaced) body.replace(it.point, pieces(it.text, 0))
      body.finish()
      const gone = points.filter(({ isGone }) => isGone)
      const out = body.detach(new Set(gone.map((it) => it.point)))
      expect(out.points).toEqual(gone.map((it) => it.point))
      expect([out.bytes.length, out.held, out.phase]).toEqual([0, 3 * gone.length, 'sent'])
      const left = points.filter(({ isGone }) => !isGone)
      expect(body.held).toBe(3 * left.length)
      expect(Buffer.from(body.finish()).toString()).toBe(`[${left.map((it) => it.text).join(',')}]`)
    }),
  )
})

test('it fits as long as the finished array is within the limit, to the byte', () => {
  const body = new Body<null>(64)
  body.add(point(), pieces('{"a":1}'))
  expect(body.fits(7, 17)).toBe(true)
  expect(body.fits(8, 17)).toBe(false)
  body.add(point(), pieces('{"a":2}'))
  expect(body.finish()).toHaveLength(17)
})

test('it is as old as its oldest point and holds what its points hold', () => {
  const body = new Body<null>(64)
  const first = point(5, 100)
  body.add(first, pieces('{}'))
  body.add(point(3, 20), pieces('{}'))
  body.add(point(9, 1), pieces('{}'))
  expect([body.age, body.held]).toEqual([3, 121])
  body.remove(first)
  expect([body.held, first.body]).toEqual([21, undefined])
})

test.each([0, 1, 23, 24, 25, 200])('pieces of %i bytes are copied whole, short or long', (size) => {
  const source = pieces('y'.repeat(size), 0.3)
  const target = Buffer.alloc(size + 2, '.')
  expect(sizeOf(source)).toBe(size)
  expect(writePieces(source, target, 1)).toBe(size + 1)
  expect(target.toString()).toBe(`.${'y'.repeat(size)}.`)
})

test('of a body of one point no room of its older versions is sent, however little it is', () => {
  const body = new Body<null>(256)
  const it = point()
  body.add(it, pieces('{"a":1}'))
  body.replace(it, pieces('{"a":2}'))
  expect(Buffer.from(body.finish()).toString()).toBe('[{"a":2}]')
})
