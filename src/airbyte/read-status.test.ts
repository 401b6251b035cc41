import { expect, test } from 'vitest'
import { Scanner } from '../json/scanner.ts'
import { readStatus } from './read-status.ts'

function status(trace: string): object | undefined {
  const bytes = Buffer.from(`xx${trace}yy`)
  return readStatus(
    bytes,
    3,
    2,
    bytes.length - 2,
    (namespace, name) => (name === 'users' ? `${namespace ?? ''}/users` : undefined),
    new Scanner(),
  )
}

const report = (members: string): string =>
  `{"type":"STREAM_STATUS","error":null,"emitted_at":1.5,"stream_status":{${members}}}`

test.each([
  [
    report('"stream_descriptor":{"name":"users","namespace":null},"status":"COMPLETE","reasons":null'),
    '/users',
    'COMPLETE',
  ],
  [report('"status":"INCOMPLETE","stream_descriptor":{"namespace":"p","name":"users"}'), 'p/users', 'INCOMPLETE'],
  [report('"status":"later","stream_descriptor":{"name":"users"}'), '/users', 'later'],
])('%s', (trace, stream, text) => {
  expect(status(trace)).toEqual({ kind: 'status', line: 3, stream, status: text })
})

test.each([
  report('"stream_descriptor":{"name":"orders"},"status":"COMPLETE"'),
  report('"stream_descriptor":{"name":"users"},"status":null'),
  report('"stream_descriptor":null,"status":"COMPLETE"'),
  report('"status":"COMPLETE"'),
  report('"stream_descriptor":{"name":"users","namespace":{}},"status":"COMPLETE"'),
  report('"stream_descriptor":{"name":"users"},"status":"COMPLETE"').replace('STREAM_STATUS', 'ESTIMATE'),
  '{"type":"STREAM_STATUS","stream_status":null}',
  '{"type":null}',
  '{}',
])('no message: %s', (trace) => {
  expect(status(trace)).toBeUndefined()
})

test('a line without a trace is none', () => {
  expect(readStatus(Buffer.from('{}'), 1, 0, 0, () => 'x', new Scanner())).toBeUndefined()
})
