import { describe, expect, it } from 'vitest'
import { Scanner } from '../json/scanner.ts'
import { IncomingChanges } from './incoming-changes.ts'
import { recordDataOf } from './testing/records.ts'

const changes = new IncomingChanges(new Scanner(1))
const listOf = (meta: string): string | undefined => {
  const record = recordDataOf('{}', '1', meta)
  return changes.find(record) ? record.bytes.toString('utf8', changes.from, changes.to) : undefined
}

describe('IncomingChanges', () => {
  it.each([
    ['{"changes":[]}', '[]'],
    [
      '{ "changes" : [ { "field":"a" , "change":"NULLED", "reason":"é😀" } ] , "x":1}',
      '[ { "field":"a" , "change":"NULLED", "reason":"é😀" } ]',
    ],
    [String.raw`{"ch\u0061nges":[1.0]}`, '[1.0]'],
    ['{"changes":[1],"changes":[2]}', '[2]'],
    ['{"changes":null,"changes":[2]}', '[2]'],
    ['{"changes":[2],"changes":null}', undefined],
    ['{"changes":null}', undefined],
    ['{"changes":{}}', undefined],
    ['{"changes":"[1]"}', undefined],
    ['{"x":{"changes":[1]}}', undefined],
    ['{}', undefined],
    ['', undefined],
  ])('of %s are %s', (meta, list) => expect(listOf(meta)).toBe(list))

  it('survive more members than were expected', () => {
    const many = Array.from({ length: 100 }, (_, index) => `"m${index}":{"changes":0}`).join(',')
    expect(listOf(`{${many},"changes":[7]}`)).toBe('[7]')
  })
})
