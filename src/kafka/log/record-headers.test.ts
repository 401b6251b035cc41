// Headers behind a record's value, as kafkajs cuts records out of a fetch. What real brokers send is in the integration
// tests.

import { array, assert, constantFrom, oneof, option, property, string, tuple, uint8Array } from 'fast-check'
import type { IHeaders, KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { KafkajsRecord } from '../client/kafkajs-record.ts'
import { recordHeaders } from './record-headers.ts'
import type { KafkaHeader } from '../types.ts'

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}
const field = (bytes: Buffer | null): number[] => (bytes ? [...varint(bytes.length), ...bytes] : varint(-1))

/** As it lies in a fetch, between others, and as kafkajs shows it. */
function messageOf(key: Buffer | null, value: Buffer | null, headers: readonly KafkaHeader[]): KafkaMessage {
  const lengths = [...field(key), ...field(value)]
  const wire = [
    ...varint(headers.length),
    ...headers.flatMap(([name, one]) => [...field(Buffer.from(name)), ...field(one)]),
  ]
  const bytes = Buffer.from(new Uint8Array([9, 9, 9, ...lengths, ...wire, 7, 7]).buffer)
  const keyAt = 3 + varint(key?.length ?? -1).length
  const valueAt = 3 + field(key).length + varint(value?.length ?? -1).length
  return {
    key: key && bytes.subarray(keyAt, keyAt + key.length),
    value: value && bytes.subarray(valueAt, valueAt + value.length),
    headers: shown(headers) as IHeaders,
    offset: '9007199254740993',
    timestamp: '-1',
    attributes: 0,
  }
}

/** What kafkajs makes of headers, word by word. */
function shown(headers: readonly KafkaHeader[]): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const [name, value] of headers) {
    const old = all[name]
    const merged = old === undefined ? value : Array.isArray(old) ? [...(old as unknown[]), value] : [old, value]
    // a property of its own, whatever its name
    Object.defineProperty(all, name, { value: merged, enumerable: true, configurable: true, writable: true })
  }
  return all
}

const bytes = uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some))
const header = tuple(
  oneof(constantFrom('a', 'b', '1', '0', '__proto__', 'constructor', 'toString', ''), string()),
  option(bytes),
)

describe('recordHeaders', () => {
  it('are those of the record, in its order, repeated or strangely named', () => {
    assert(
      property(option(bytes), bytes, array(header, { maxLength: 20 }), (key, value, headers) => {
        expect(recordHeaders(messageOf(key, value, headers))).toEqual(headers)
      }),
    )
  })

  it('are found behind the key of a record without value', () => {
    assert(
      property(bytes, array(header, { maxLength: 20 }), (key, headers) => {
        expect(recordHeaders(messageOf(key, null, headers))).toEqual(headers)
      }),
    )
  })

  it('are what kafkajs shows, without its strangers, where there is neither key nor value to go by', () => {
    const headers: KafkaHeader[] = [
      ['b', Buffer.from('1')],
      ['a', null],
      ['b', Buffer.from('2')],
      ['constructor', Buffer.from('3')],
    ]
    expect(recordHeaders(messageOf(null, null, headers))).toEqual([headers[0], headers[2], headers[1], headers[3]])
  })

  it('are what kafkajs shows where something else lies behind the value', () => {
    assert(
      property(array(header, { minLength: 1, maxLength: 5 }), bytes, (headers, noise) => {
        const alone = Buffer.concat([Buffer.from('v'), noise])
        const message = { ...messageOf(null, Buffer.from('v'), headers), value: alone.subarray(0, 1) }
        const names = new Set(headers.map(([name]) => name))
        for (const [name] of recordHeaders(message)) expect(names).toContain(name)
        expect(recordHeaders(message)).toHaveLength(headers.length)
      }),
    )
  })

  it('are none in the old message format', () => {
    const message = { key: null, value: Buffer.from('v'), offset: '1', timestamp: '1', attributes: 0, size: 1 }
    expect(recordHeaders(message)).toEqual([])
  })
})

describe('KafkajsRecord', () => {
  it('shows what kafkajs read, numbers exactly', () => {
    const record = new KafkajsRecord(messageOf(Buffer.from('k'), null, []))
    expect(record.offset).toBe(9_007_199_254_740_993n)
    expect(record.timestamp).toBe(-1n)
    expect([record.key, record.value, record.headers]).toEqual([Buffer.from('k'), null, []])
  })
})
