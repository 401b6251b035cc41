import { expect, test } from 'vitest'
import { LineSplitter } from '../json/split-lines.ts'
import type { StateMessage } from './messages.ts'
import { MessageReader } from './reader.ts'

function states(input: string): StateMessage<string>[] {
  const splitter = new LineSplitter()
  const bytes = Buffer.from(input)
  const reader = new MessageReader((namespace, name) => (name === 'users' ? `${namespace ?? ''}/users` : undefined))
  const all = [...splitter.push(bytes), ...splitter.end()].flatMap((lines) => [...reader.read([lines])].flat())
  bytes.fill(0)
  return all.filter((message) => message.kind === 'state')
}

function state(line: string): StateMessage<string> {
  return states(line)[0]!
}

const STATS = '"destinationStats":{"recordCount":100.0,"rejectedRecordCount":3.0}'

test.each([
  ['absent', '{"type":"STREAM","id":7}', `{"type":"STREAM","id":7,${STATS}}`],
  ['null', '{"destinationStats":null,"id":7}', `{${STATS},"id":7}`],
  ['present', '{"id":7,"destinationStats":{"recordCount":1},"x":{}}', `{"id":7,${STATS},"x":{}}`],
  ['white space kept', '{ "id" : 7 , "destinationStats" : [ 1 ] }', `{ "id" : 7 , ${STATS.replace(':', ' : ')} }`],
  ['several times', '{"destinationStats":1,"a":2,"destinationStats":{}}', `{${STATS},"a":2,${STATS}}`],
  ['spelt with escapes', '{"destination\\u0053tats":null}', `{${STATS.replace('nS', 'n\\u0053')}}`],
  ['an empty state', '{}', `{${STATS}}`],
  ['an empty state with a space', '{ }', `{ ${STATS}}`],
  [
    'numbers and unknown members as sent',
    '{"big":12345678901234567890.10,"b":1e400,"\\u0061":"\\u00e9é\u2028"}',
    `{"big":12345678901234567890.10,"b":1e400,"\\u0061":"\\u00e9é\u2028",${STATS}}`,
  ],
  ['not the one inside', '{"data":{"destinationStats":5}}', `{"data":{"destinationStats":5},${STATS}}`],
])('puts the counts in: %s', (_, before, after) => {
  const line = (text: string): string =>
    `{"x":{"destinationStats":0},"state":${text},"destinationStats":null,"type":"STATE","log":null}`
  expect(Buffer.concat(state(line(before)).withStats({ written: 100, rejected: 3, superseded: 0 })).toString()).toBe(
    `${line(after)}\n`,
  )
})

test('in the last of several states, and nowhere when the last is null or none is there', () => {
  expect(
    Buffer.concat(
      state('{"type":"STATE","state":{"a":1},"state":{"b":2}}').withStats({ written: 100, rejected: 3, superseded: 0 }),
    ).toString(),
  ).toBe(`{"type":"STATE","state":{"a":1},"state":{"b":2,${STATS}}}\n`)
  for (const line of [
    '{"type":"STATE"}',
    '{"type":"STATE","state":null}',
    '{"type":"STATE","state":{},"state":null}',
    '{"type":"STATE","state":"x"}',
  ]) {
    const message = state(line)
    expect(Buffer.concat(message.withStats({ written: 1, rejected: 0, superseded: 0 })).toString()).toBe(`${line}\n`)
    expect(message.scope).toBe('all')
  }
})

test('the line is its own, without byte order mark and line end, whatever else stands around it', () => {
  const line = ' {"type":"STATE","state":{}}\t'
  const [first, second] = states(`\ufeff${line}\r\n${line}\n`)
  expect([first?.bytes.toString(), second?.bytes.toString(), first?.line, second?.line]).toEqual([line, line, 1, 2])
  expect(Buffer.concat(first!.withStats({ written: 0, rejected: 0, superseded: 0 })).toString()).toBe(
    ' {"type":"STATE","state":{"destinationStats":{"recordCount":0.0,"rejectedRecordCount":0.0}}}\t\n',
  )
  expect(Buffer.concat(second!.withStats({ written: 0, rejected: 0, superseded: 0 }))).toEqual(
    Buffer.concat(first!.withStats({ written: 0, rejected: 0, superseded: 0 })),
  )
})

const stream = (descriptor: string): string =>
  `{"type":"STREAM","stream":{"stream_state":{"name":"users"},"stream_descriptor":${descriptor}}}`

test.each([
  [stream('{"name":"users"}'), '/users'],
  [stream('{"name":"users","namespace":null}'), '/users'],
  [stream('{"name":"users","namespace":""}'), '/users'],
  [stream('{"namespace":"public","name":"x","name":"users"}'), 'public/users'],
  [
    stream('{"n\\u0061me":"us\\u0065rs"}')
      .replace('STREAM', 'STRE\\u0041M')
      .replace('stream_descriptor', 'stream\\u005fdescriptor'),
    '/users',
  ],
  [stream('{"name":"users"}').replace('{"type"', '{"type":"GLOBAL","global_":null,"data":null,"type"'), '/users'],
  [stream('{"name":"orders"}'), 'none'],
  [stream('{"name":"orders","namespace":"public"}'), 'none'],
  [stream('{"name":""}'), 'none'],
  [stream('{"name":"orders","namespace":5}'), 'all'],
  [stream('{"name":null}'), 'all'],
  [stream('{}'), 'all'],
  [stream('{"name":"users","namespace":5}'), 'all'],
  [stream('{"name":["users"]}'), 'all'],
  [stream('null'), 'all'],
  ['{"type":"STREAM"}', 'all'],
  ['{"type":"STREAM","stream":null}', 'all'],
  ['{"type":"STREAM","stream":"users"}', 'all'],
  [stream('{"name":"users"}').replace('"STREAM"', 'null'), 'all'],
  [stream('{"name":"users"}').replace('"STREAM"', '"LEGACY"'), 'all'],
  [stream('{"name":"users"}').replace('"STREAM"', '"LATER"'), 'all'],
  [stream('{"name":"users"}').replace('"type":"STREAM",', ''), 'all'],
  ['{"type":"GLOBAL","global":{"shared_state":null,"stream_states":[{"stream_descriptor":{"name":"nobody"}}]}}', 'all'],
  ['{"type":"GLOBAL","global_":{"stream_states":"odd"}}', 'all'],
  ['{"data":{}}', 'all'],
])('%s covers %s', (text, scope) => {
  expect(state(`{"type":"STATE","state":${text}}`).scope).toBe(scope)
})

test('a state of megabytes', () => {
  const blob = 'x'.repeat(5_000_000)
  const message = state(`{"type":"STATE","state":${stream('{"name":"users"}').replace('"users"}', `"${blob}"}`)}}`)
  expect([message.scope, message.bytes.length > 5_000_000]).toEqual(['/users', true])
})
