import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Envelope } from './envelope.ts'
import { KnownStarts } from './known-starts.ts'

const starts = [
  '{"type":"RECORD","record":{"stream":"a","data":',
  '{"type":"RECORD","record":{"stream":"b","data":',
  '{"type":"RECORD","record":{"namespace":"n","stream":"a","data":',
  '{"type":"RECORD","record":{"namespace":null,"stream":"a","data":',
  '{"type":"STATE","record":{"stream":"a","data":',
  '{"record":{"stream":"a","data":',
  '{"type":"RECORD","state":{"x":1},"record":{"stream":"a","data":',
  '{"type":"RECORD","record":{"stream":"a","emitted_at":5,"data":',
  '{"type":"RECORD","record":{"file_reference":{"f":1},"stream":"a","data":',
  '{"type":"RECORD","record":{"file_reference":null,"stream":"a","data":',
  '{"type":"RECORD","record":{"stream":7,"data":',
  '{"type":"RECORD","record":{"stream":"a","data":{"old":1}},"record":{"stream":"b","data":',
]
const data = ['{}', '{"id":1}', '{"id":[{"deep":1}],"x":"y"}', 'null', '"text"', '{"broken":', '{"a":1}}']
const ends = [
  '}}',
  ',"emitted_at":17}}',
  ',"stream":"b"}}',
  ',"file_reference":{"f":1}}}',
  ',"stream":"a","file_reference":null}}',
  ',"namespace":"m","emitted_at":null}}',
  ',"data":{"second":2}}}',
  ',"data":null}}',
  '},"type":"STATE"}',
  '},"record":null}',
  '},"record":{"stream":"b","data":{"other":1}}}',
  '',
  '}} x',
]

/** Everything an envelope says of a line. */
function told(envelope: Envelope, line: string): unknown {
  const bytes = Buffer.from(`${line}\n`)
  const fault = envelope.read(bytes, 0, bytes.length - 1, 2)
  if (fault !== undefined) return fault
  const part = (from: number, to: number): string => bytes.toString('utf8', from, to)
  const { streamFrom, streamTo, namespaceFrom, namespaceTo, from, to, emittedFrom, emittedTo, type, hasFile } = envelope
  if (type !== 'RECORD') return [type, envelope.stateTo - envelope.stateFrom]
  const members = [...envelope.scanner.members.subarray(8, 8 + 4 * envelope.count)]
  return [
    part(streamFrom, streamTo),
    part(namespaceFrom, namespaceTo),
    part(from, to),
    part(emittedFrom, emittedTo),
    envelope.count,
    envelope.tooDeep,
    // nothing is looked for where the start is known
    hasFile && envelope.known === undefined,
    hasFile,
    members,
  ]
}

it('a line reads the same whatever was learnt from others', () => {
  const line = fc
    .tuple(fc.constantFrom(...starts), fc.constantFrom(...data), fc.constantFrom(...ends))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 40 }), (lines) => {
      const learning = new Envelope()
      for (const each of lines) expect(told(learning, each)).toEqual(told(new Envelope(), each))
    }),
    { numRuns: 300 },
  )
})

it('learns no more once lines begin in too many ways, and reads them all the same', () => {
  const starts = new KnownStarts<string>()
  const startOf = (stream: number): Uint8Array => Buffer.from(`{"type":"RECORD","record":{"stream":"${stream}","data":`)
  const place = { streamFrom: 0, streamTo: 1, namespaceFrom: 0, namespaceTo: 0 }
  const isKnown = (stream: number): boolean =>
    starts.find(Buffer.concat([startOf(stream), Buffer.from('{')]), 0) !== undefined
  for (let line = 0; line < 1000; line++) starts.learn({ bytes: startOf(line), ...place })
  expect([isKnown(999), isKnown(984), isKnown(983)]).toEqual([true, true, false])
  for (let line = 1000; line < 1100; line++) starts.learn({ bytes: startOf(line), ...place })
  expect([isKnown(999), isKnown(1000), isKnown(1099)]).toEqual([false, false, false])
})
