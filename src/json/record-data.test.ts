import { expect, it, test } from 'vitest'
import { nameOf } from './name.ts'
import { NamedMembers } from './named-members.ts'
import { ABSENT, lastMember } from './record-data.ts'
import { Scanner } from './scanner.ts'

const bytes = Buffer.from('{"other":0} {"a":1,"b":2,"\\u0061":3,"":4}')
const scanner = new Scanner(1)
scanner.start(bytes, 0, 11)
scanner.table()
scanner.start(bytes, 12, bytes.length)
scanner.count = 1
scanner.table()

test.each([
  ['a', 3],
  ['b', 2],
  ['', 4],
  ['c', ABSENT],
  ['other', ABSENT],
])('%j among the members of its own object', (text, last) => {
  expect(lastMember(bytes, scanner.members, 1, 4, nameOf(text))).toBe(last)
})

function valuesOf(json: string, names: readonly string[]): { values: (string | undefined)[]; times: number[] } {
  const bytes = Buffer.from(json)
  const scanner = new Scanner(1)
  scanner.start(bytes, 0, bytes.length)
  scanner.table()
  const members = new NamedMembers(names)
  members.find({ bytes, members: scanner.members, first: 0, count: scanner.count })
  const values = Array.from(members.slots, (slot) =>
    slot === ABSENT ? undefined : bytes.toString('utf8', scanner.members[slot + 2], scanner.members[slot + 3]),
  )
  return { values, times: [...members.times] }
}

it('finds the last of equal names, however they are spelt', () => {
  const json = String.raw`{"op":1,"opp":2,"o\u0070":3,"Op":4,"after":{"op":5},"aft\u0065r":6,"x":7}`
  expect(valuesOf(json, ['op', 'after', 'before'])).toEqual({ values: ['3', '6', undefined], times: [2, 2, 0] })
  expect(valuesOf('{}', ['op'])).toEqual({ values: [undefined], times: [0] })
})
