import { expect, test } from 'vitest'
import { Envelope } from './envelope.ts'

const envelope = new Envelope()

function read(text: string) {
  const bytes = Buffer.from(`  ${text}\n`)
  const fault = envelope.read(bytes, 2, bytes.length - 1, 5)
  const at = (from: number, to: number): string => bytes.toString('utf8', from, to)
  return { fault, at }
}

test('locates the parts of a record, its members behind those already in the table', () => {
  const { fault, at } = read(
    '{"record":{"namespace":"n","data":{"a":1,"b":[]},"emitted_at":3,"stream":"s"},"type":"RECORD"}',
  )
  expect([fault, envelope.type, envelope.first, envelope.count, envelope.scanner.count]).toEqual([
    undefined,
    'RECORD',
    5,
    2,
    7,
  ])
  expect([
    at(envelope.streamFrom, envelope.streamTo),
    at(envelope.namespaceFrom, envelope.namespaceTo),
    at(envelope.from, envelope.to),
    at(envelope.emittedFrom, envelope.emittedTo),
  ]).toEqual(['s', 'n', '{"a":1,"b":[]}', '3'])
})

test('locates a trace when it is an object', () => {
  const { at } = read('{"type":"STATE","state":{"a":1},"trace":null}')
  expect([envelope.type, at(envelope.traceFrom, envelope.traceTo)]).toEqual(['STATE', ''])
  const later = read('{"type":"TRACE","state":[1],"trace":{}}')
  expect([envelope.type, later.at(envelope.traceFrom, envelope.traceTo)]).toEqual(['TRACE', '{}'])
})
