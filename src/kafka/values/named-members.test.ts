import { expect, it } from 'vitest'
import { Scanner } from '../../json/scanner.ts'
import { Located } from './located.ts'
import { ABSENT, NamedMembers } from './named-members.ts'
import { readObject } from './read-object.ts'

function valuesOf(json: string, names: readonly string[]): { values: (string | undefined)[]; times: number[] } {
  const object = new Located()
  const bytes = Buffer.from(json)
  expect(readObject(new Scanner(1), bytes, object)).toBe(undefined)
  const members = new NamedMembers(names)
  members.find(object)
  const values = Array.from(members.slots, (slot) =>
    slot === ABSENT ? undefined : bytes.toString('utf8', object.members[slot + 2], object.members[slot + 3]),
  )
  return { values, times: [...members.times] }
}

it('finds the last of equal names, however they are spelt', () => {
  const json = String.raw`{"op":1,"opp":2,"o\u0070":3,"Op":4,"after":{"op":5},"aft\u0065r":6,"x":7}`
  expect(valuesOf(json, ['op', 'after', 'before'])).toEqual({ values: ['3', '6', undefined], times: [2, 2, 0] })
  expect(valuesOf('{}', ['op'])).toEqual({ values: [undefined], times: [0] })
})
