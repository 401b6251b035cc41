import { describe, expect, it } from 'vitest'
import { ABSENT } from '../json/record-data.ts'
import { MemberFinder } from './member-finder.ts'
import { recordDataOf } from './testing/records.ts'

const finder = new MemberFinder({
  reserved: ['keys', '_airbyte_raw_id'],
  roots: ['id', 'größe', '\ud800', ''],
  hoisted: ['a_b', '😀'],
  cursor: 'at',
})

/** The text of the value that was found for each root, and for the cursor. */
function found(data: string): unknown {
  const record = recordDataOf(data)
  const rejected = finder.find(record)
  if (rejected !== undefined) return rejected
  const text = (slot: number): string | null =>
    slot === ABSENT ? null : record.bytes.toString('utf8', record.members[slot + 2], record.members[slot + 3])
  return { roots: Array.from(finder.slots, text), cursor: text(finder.cursorSlot), hasReserved: finder.hasReserved }
}

const nothing = { roots: [null, null, null, null], cursor: null, hasReserved: false }

describe('MemberFinder', () => {
  it.each([
    ['{}', nothing],
    ['{"ID":1,"i":1,"idd":1,"di":1,"kexs":1,"a-b":1}', nothing],
    ['{"x":{"id":1,"keys":2,"a_b":3,"at":4}}', nothing],
    ['{"id":1,"größe":2}', { ...nothing, roots: ['1', '2', null, null] }],
    [String.raw`{"\u0069d":1,"gr\u00f6\u00dfe":[ ]}`, { ...nothing, roots: ['1', '[ ]', null, null] }],
    [String.raw`{"\ud800":1}`, { ...nothing, roots: [null, null, '1', null] }],
    [String.raw`{"\udc00":1,"\ud800\udc00":2}`, nothing],
    ['{"":1,"x":{"":2}}', { ...nothing, roots: [null, null, null, '1'] }],
    ['{"at":1,"at":2}', { ...nothing, cursor: '2' }],
    ['{"keys":1}', { ...nothing, hasReserved: true }],
    [String.raw`{"_airbyte_raw\u005fid":1}`, { ...nothing, hasReserved: true }],
    ['{"id":1,"id":2}', 'its key field "id" occurs twice'],
    [String.raw`{"\ud800":1,"\uD800":2}`, expect.stringContaining('occurs twice')],
    ['{"a_b":1}', expect.stringContaining('"a_b"')],
    [String.raw`{"\ud83d\ude00":1}`, expect.stringContaining('"😀"')],
    ['{"😀":1}', expect.stringContaining('"😀"')],
  ])('in %s', (data, what) => expect(found(data)).toEqual(what))

  it('forgets the record before', () => {
    found('{"id":1,"keys":2,"at":3}')
    expect(found('{}')).toEqual(nothing)
  })

  it('looks at its part of a table only', () => {
    const record = recordDataOf('{"id":1,"x":2,"at":3}')
    expect(finder.find(Object.assign(record, { first: 1, count: 1 }))).toBeUndefined()
    expect([finder.slots[0], finder.cursorSlot]).toEqual([ABSENT, ABSENT])
  })

  it('has nothing to look for', () => {
    const idle = new MemberFinder({ reserved: [], roots: [], hoisted: [], cursor: undefined })
    expect([idle.find(recordDataOf('{"":1,"a":2}')), idle.hasReserved, idle.slots.length]).toEqual([
      undefined,
      false,
      0,
    ])
  })

  it('finds names that are empty, a cursor that is a key', () => {
    const empty = new MemberFinder({ reserved: [''], roots: ['k'], hoisted: [], cursor: 'k' })
    expect(empty.find(recordDataOf('{"":1,"k":2}'))).toBeUndefined()
    expect([empty.hasReserved, empty.cursorSlot === empty.slots[0], empty.cursorSlot]).toEqual([true, true, 4])
  })
})
