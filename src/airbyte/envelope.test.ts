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

test('locates state and trace when they are objects', () => {
  const { at } = read('{"type":"STATE","state":{"a":1},"trace":null}')
  expect([envelope.type, at(envelope.stateFrom, envelope.stateTo), at(envelope.traceFrom, envelope.traceTo)]).toEqual([
    'STATE',
    '{"a":1}',
    '',
  ])
  const later = read('{"type":"TRACE","state":[1],"trace":{}}')
  expect([
    envelope.type,
    later.at(envelope.stateFrom, envelope.stateTo),
    later.at(envelope.traceFrom, envelope.traceTo),
  ]).toEqual(['TRACE', '', '{}'])
})

test.each([
  ['', 'blank'],
  [' \t\r', 'blank'],
  ['{', 'not JSON'],
  ['{}x', 'not JSON'],
  ['[', 'not JSON'],
  ['"a"', 'no object'],
  ['{}', 'no type'],
  ['{"type":"RECORD"}', 'no record'],
  ['{"type":"RECORD","record":{"data":{}}}', 'no stream'],
  ['{"type":"RECORD","record":{"stream":"s"}}', 'no data'],
  ['{"type":"RECORD","record":{"stream":"s","data":{},"namespace":1}}', 'namespace'],
  ['{"type":"LOG","record":7}', undefined],
])('%j: %s', (text, fault) => {
  expect(read(text).fault).toBe(fault)
})
