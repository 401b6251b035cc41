import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPoints } from './read-points.ts'
import { withTrueNames } from './true-names.ts'

const pieces = fc.array(fc.constantFrom('\\', 'a', '\r', '"', 'u0041', 'é', '__proto__'), { maxLength: 3 })
const name = pieces.map((parts) => parts.join(''))
const point = fc.dictionary(name, fc.oneof(fc.integer(), name, fc.array(fc.integer(), { maxLength: 2 })), {
  maxKeys: 4,
})

it('takes points that JSON.parse misreads after others', () => {
  // the first teaches it a name, the second is then read as having that one
  expect(readPoints(Buffer.from(String.raw`{"keys":["\\"],"\\":1}`))).toHaveProperty('points')
  expect(readPoints(Buffer.from(String.raw`{"keys":["\r"],"\r":1}`))).toHaveProperty('points')
  expect(readPoints(Buffer.from(String.raw`[{"keys":["w"],"w":1,"\\u0041":1}]`))).toHaveProperty('points')
  const second = String.raw`[{"keys":["Abc"],"w":1,"\u0041bc":1}]`
  expect(readPoints(Buffer.from(second))).toHaveProperty('points')
})

it('has the members that are written, whatever stands between', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(point, fc.constant(7), fc.constant([1])), { maxLength: 4 }), (points) => {
      const body = Buffer.from(JSON.stringify(points, undefined, 1))
      const read = withTrueNames(body, points, true)
      expect(read.map((one) => JSON.stringify(one))).toEqual(points.map((one) => JSON.stringify(one)))
    }),
  )
})

it('leaves points alone that have no such name', () => {
  const points = [{ a: 'b\\' }]
  expect(withTrueNames(Buffer.from(JSON.stringify(points)), points, true)).toBe(points)
})

it('takes the last of equal names, as JSON.parse does', () => {
  const body = Buffer.from(String.raw` {"\n":1,"\n":2} `)
  expect(withTrueNames(body, [{}], false)).toEqual([{ '\n': 2 }])
})
