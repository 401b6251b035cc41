import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Envelope } from './envelope.ts'
import { withRejection } from './rejection.ts'
import type { Rejection } from '../mapping/rejected-points.ts'

const AT = '2026-11-21T10:00:00.000Z'
const REJECTION: Rejection = {
  stream: 'orders',
  namespace: undefined,
  table: 'orders',
  reason: 'it is bad',
  superseded: 0,
  supersededAt: [],
  line: 7,
  rejectedAt: AT,
}
const ADDED = `"rejection":{"stream":"orders","table":"orders","reason":"it is bad","superseded":0,"line":7,"rejected_at":"${AT}"}`
const added = (line: string, rejection = REJECTION): string =>
  Buffer.concat(withRejection(Buffer.from(line), rejection)).toString()

test.each([
  ['a plain line', '{"type":"RECORD","record":{}}', `{"type":"RECORD","record":{},${ADDED}}`],
  ['white space everywhere', ' { "a" : 1 ,\t"b" : [ ] } \r', ` { "a" : 1 ,\t"b" : [ ],${ADDED} } \r`],
  ['no member', '{}', `{${ADDED}}`],
  ['white space alone', '{ }', `{${ADDED} }`],
  ['a rejection at the end', '{"a":1,"rejection":{"x":[{}]}}', `{"a":1,${ADDED}}`],
  ['a rejection in front', '{ "rejection":null , "a":1 }', `{ "a":1,${ADDED} }`],
  ['a rejection in the middle', '{"a":1 , "rejection":"}," , "b":2}', `{"a":1 , "b":2,${ADDED}}`],
  ['nothing but rejections', '{ "rejection":1,"rejection":2 }', `{ ${ADDED} }`],
  [
    'a rejection with escapes in its name',
    String.raw`{"\u0072ejec\u0074ion":1,"a":"\""}`,
    String.raw`{"a":"\"",${ADDED}}`,
  ],
  ['members that only look like one', '{"rejections":1,"Rejection":2}', `{"rejections":1,"Rejection":2,${ADDED}}`],
  ['one inside the record', '{"record":{"rejection":1}}', `{"record":{"rejection":1},${ADDED}}`],
  ['a member twice', '{"a":1,"a":2}', `{"a":1,"a":2,${ADDED}}`],
])('is added to %s', (_name, line, expected) => {
  expect(added(line)).toBe(expected)
})

test('says everything it knows, on one line for every reader', () => {
  const reason = 'a "b" \\ \n\u0000 \u0085\u2028\u2029 \ud800 é😀'
  const rejection = {
    ...REJECTION,
    namespace: 'pub\nlic',
    table: undefined,
    reason,
    superseded: 3,
    supersededAt: [6, 2],
  }
  const line = added('{"type":"RECORD"}', rejection)
  expect(line).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
  expect(line.isWellFormed()).toBe(true)
  expect(JSON.parse(line)).toEqual({
    type: 'RECORD',
    rejection: {
      stream: 'orders',
      namespace: 'pub\nlic',
      reason,
      superseded: 3,
      superseded_at: [6, 2],
      line: 7,
      rejected_at: AT,
    },
  })
})

interface Member {
  readonly before: string
  readonly text: string
  readonly after: string
  readonly isRejection: boolean
}

const space = fc.stringMatching(/^[ \t\r]{0,3}$/)
const escaped = (text: string): string =>
  JSON.stringify(text).replace(/[a-z]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
const member: fc.Arbitrary<Member> = fc
  .record({
    before: space,
    name: fc.oneof(
      fc.constantFrom('rejection', 'type', 'record', 'reject', ''),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    spelt: fc.constantFrom(escaped, JSON.stringify),
    colon: fc.tuple(space, space).map((around) => around.join(':')),
    value: fc.json({ maxDepth: 2 }),
    after: space,
  })
  .map(({ before, name, spelt, colon, value, after }) => {
    return { before, text: `${spelt(name)}${colon}${value}`, after, isRejection: name === 'rejection' }
  })

test('leaves every other byte of any line as it was', () => {
  fc.assert(
    fc.property(space, fc.array(member, { maxLength: 6 }), space, space, (front, members, inside, end) => {
      const line = `${front}{${inside}${members.map(({ before, text, after }) => before + text + after).join(',')}}${end}`
      const kept = members.flatMap(({ before, text, isRejection }, index) =>
        isRejection ? [] : [{ text, gap: `${members[index - 1]?.after ?? ''},${before}` }],
      )
      const expected = [
        `${front}{${inside}${members[0]?.before ?? ''}`,
        ...kept.map(({ text, gap }, index) => (index === 0 ? '' : gap) + text),
        kept.length > 0 ? ',' : '',
        ADDED,
        `${members.at(-1)?.after ?? ''}}${end}`,
      ].join('')
      // white space alone stays behind what is added
      const made = added(line)
      expect(made).toBe(members.length > 0 ? expected : `${front}{${ADDED}${inside}}${end}`)
      expect((JSON.parse(made) as { rejection: object }).rejection).toMatchObject({ line: 7 })
      expect(added(made)).toBe(made)
    }),
    { numRuns: 3_000 },
  )
})

test('makes a line that is the same message again', () => {
  const line = '{"type":"RECORD","record":{"stream":"orders","data":{"id":1},"emitted_at":5}}'
  const envelope = new Envelope()
  const made = Buffer.concat(withRejection(Buffer.from(line), REJECTION))
  expect(envelope.read(made, 0, made.length, 0)).toBeUndefined()
  const { type, from, to, streamFrom, streamTo, emittedFrom, emittedTo } = envelope
  const told = [
    [streamFrom, streamTo],
    [from, to],
    [emittedFrom, emittedTo],
  ].map(([from, to]) => made.toString('utf8', from, to))
  expect([type, ...told]).toEqual(['RECORD', 'orders', '{"id":1}', '5'])
})

test('stands a line of any depth', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(added(deep)).toBe(`${deep.slice(0, -1)},${ADDED}}`)
})

test('takes nothing but an object', () => {
  for (const text of ['[]', '{"a"}', '{"a":1', '']) expect(() => added(text)).toThrow(TypeError)
})
