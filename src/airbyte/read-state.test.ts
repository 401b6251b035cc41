import { expect, test } from 'vitest'
import { nameOf } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import { LineSplitter } from '../json/split-lines.ts'
import type { StateMessage } from './messages.ts'
import { Members, readStatus } from './read-state.ts'
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

const bytes = Buffer.from(' {"a":1,"t":"x\\n","o":{"t":"in"},"t":"last","z":"s","z":null} ')
const names = ['t', 'a', 'z', 'no', 'o'].map(nameOf)
const members = new Members(new Scanner(1), bytes, 1, bytes.length - 1, names)

test('the last member counts, null and other types are absent', () => {
  expect(members.text(nameOf('t'))).toBe('last')
  expect(members.text(nameOf('a'))).toBeUndefined()
  expect(members.text(nameOf('z'))).toBeUndefined()
  expect(members.text(nameOf('no'))).toBeUndefined()
  expect(members.object(nameOf('o'), names)?.text(nameOf('t'))).toBe('in')
  expect(members.object(nameOf('t'), names)).toBeUndefined()
  expect(['a', 't', 'z', 'no'].map((name) => members.has(nameOf(name)))).toEqual([true, true, false, false])
})

test('gives every range of a name and its own end', () => {
  const ranges = members.ranges(nameOf('t'))
  expect([
    bytes.toString('utf8', ranges[0], ranges[1]),
    bytes.toString('utf8', ranges[2], ranges[3]),
    ranges.length,
  ]).toEqual(['"x\\n"', '"last"', 4])
  expect([members.isEmpty, members.to]).toEqual([false, bytes.length - 1])
  expect(new Members(new Scanner(1), Buffer.from('{ }'), 0, 3, names).isEmpty).toBe(true)
})

test('of very many equal members the first ones and the last are noted', () => {
  const text = Buffer.from(`{${'"a":1,'.repeat(5000)}"a":22}`)
  const { length } = text
  const ranges = new Members(new Scanner(1), text, 0, length, names).ranges(nameOf('a'))
  expect(ranges.length).toBe(2048)
  expect([ranges[0], ranges.at(-2), ranges.at(-1)]).toEqual([5, length - 3, length - 1])
})

test('objects in it, read one after another, do not disturb each other', () => {
  const text = Buffer.from('{"a":{"x":"1","y":{"z":"2"}},"b":{"x":"3"},"c":"4"}')
  const wanted = ['a', 'b', 'c', 'x', 'y', 'z'].map(nameOf)
  const all = new Members(new Scanner(1), text, 0, text.length, wanted)
  const [a, b] = [all.object(nameOf('a'), wanted), all.object(nameOf('b'), wanted)]
  const y = a?.object(nameOf('y'), wanted)
  expect([a?.text(nameOf('x')), b?.text(nameOf('x')), y?.text(nameOf('z')), all.text(nameOf('c'))]).toEqual([
    '1',
    '3',
    '2',
    '4',
  ])
})

function status(trace: string): object | undefined {
  const bytes = Buffer.from(`xx${trace}yy`)
  const lookup = (namespace: string | undefined, name: string): string | undefined =>
    name === 'users' ? `${namespace ?? ''}/users` : undefined
  return readStatus({ bytes, from: 2, to: bytes.length - 2, line: 3, lookup, scanner: new Scanner() })
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
  const nothing = { bytes: Buffer.from('{}'), from: 0, to: 0, line: 1 }
  expect(readStatus({ ...nothing, lookup: () => 'x', scanner: new Scanner() })).toBeUndefined()
})
