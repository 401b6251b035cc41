import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWire, type Side, type Wire } from './wire-format.ts'

type Headers = Parameters<typeof readWire>[1]

const GUID = '00112233-4455-6677-8899-aabbccddeeff'
const guidBytes = (guid = GUID): Buffer => Buffer.from(`01${guid.replaceAll('-', '')}`, 'hex')

function idBytes(id: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(id, 1)
  return bytes
}

function read(bytes: Buffer | string, headers: Headers = [], side: Side = 'value'): Wire | { problem: string } {
  return readWire(Buffer.from(bytes), headers, side)
}

const problem = (bytes: Buffer | string, headers: Headers = [], side: Side = 'value'): string => {
  const wire = read(bytes, headers, side)
  return 'problem' in wire ? wire.problem : 'none'
}

describe('before the payload', () => {
  it('stands an id', () => {
    expect(read(Buffer.from('0000000011cafe', 'hex'))).toEqual({ id: 17, from: 5, indexes: undefined })
    expect(read(idBytes(0x7f_ff_ff_ff))).toEqual({ id: 2_147_483_647, from: 5, indexes: undefined })
  })

  it('stands a GUID', () => {
    const bytes = Buffer.concat([guidBytes(), Buffer.from('x')])
    expect(read(bytes)).toEqual({ id: GUID, from: 17, indexes: undefined })
  })

  it.each<readonly [bytes: Buffer | string, expected: string]>([
    ['', 'is empty, without the id of a schema before it or in the header __value_schema_id'],
    ...[idBytes(0).subarray(0, 1), idBytes(1).subarray(0, 4), guidBytes().subarray(0, 16)].map((cut) => {
      const found = cut.length === 1 ? '1 byte' : `${cut.length} bytes`
      const words = `is too short to begin with the id of a schema: ${found}, it takes 5 with an id or 17 with a GUID`
      return [cut, words] as const
    }),
    [idBytes(0x80_00_00_00), 'begins with the schema id 2147483648, which is higher than any registry gives'],
    [idBytes(0xff_ff_ff_ff), 'begins with the schema id 4294967295, which is higher than any registry gives'],
  ])('is nothing that can be used: %j', (bytes, expected) => {
    expect(problem(bytes)).toBe(expected)
  })

  it.each([
    ['{"a":1}', '0x7b', 'it looks like JSON that no serialiser of a registry wrote; set value_encoding: text'],
    [' [1]', '0x20', 'it looks like JSON that no serialiser of a registry wrote; set value_encoding: text'],
    ['\uFEFF{}', '0xef', 'it looks like JSON that no serialiser of a registry wrote; set value_encoding: text'],
    ['"id"', '0x22', 'it looks like JSON that no serialiser of a registry wrote; set value_encoding: text'],
    ['42', '0x34', 'it looks like text that no serialiser of a registry wrote; set value_encoding: text if it is JSON'],
    ['Obj\u0001\u0004', '0x4f', 'it is an Avro container file, which is not read'],
    [Buffer.from([0xc3, 1, 2]), '0xc3', "it is in Avro's single-object encoding, which names no schema of a registry"],
    [
      Buffer.from([3, 0, ...Buffer.alloc(16)]),
      '0x03',
      'it looks like the form of AWS Glue, whose registry is not supported',
    ],
    [Buffer.from([3, 0, 1]), '0x03', 'no serialiser of a registry with the interface of Confluent wrote it'],
    [Buffer.from([0xff]), '0xff', 'no serialiser of a registry with the interface of Confluent wrote it'],
  ])('is something else: %j', (bytes, first, expected) => {
    expect(problem(bytes)).toBe(`begins with ${first} instead of the id of a schema: ${expected}`)
  })

  it('a key has an option of its own', () => {
    expect(problem('{"id":1}', [], 'key')).toContain('set key_encoding: text')
    expect(problem('', [], 'key')).toContain('__key_schema_id')
  })
})

describe('in a header', () => {
  it('stands a GUID or an id, and all of the value is the payload', () => {
    expect(read('payload', [['__value_schema_id', guidBytes()]])).toEqual({
      id: GUID,
      from: 0,
      indexes: Buffer.alloc(0),
    })
    expect(read('', [['__value_schema_id', idBytes(5)]])).toEqual({ id: 5, from: 0, indexes: Buffer.alloc(0) })
  })

  it('stand the indexes of a message of Protobuf behind it', () => {
    const indexes = Buffer.from([4, 2, 6])
    expect(read('p', [['__value_schema_id', Buffer.concat([guidBytes(), indexes])]])).toMatchObject({ indexes })
    expect(read('p', [['__value_schema_id', Buffer.concat([idBytes(5), indexes])]])).toMatchObject({ indexes })
  })

  it('the value’s is not the key’s', () => {
    const headers = [
      ['__key_schema_id', idBytes(1)],
      ['__value_schema_id', idBytes(2)],
    ] as const
    expect(read('p', headers, 'key')).toMatchObject({ id: 1, from: 0 })
    expect(read('p', headers, 'value')).toMatchObject({ id: 2, from: 0 })
    expect(read(idBytes(3), headers.slice(0, 1), 'value')).toMatchObject({ id: 3, from: 5 })
  })

  it('of several the last counts', () => {
    const [one, two] = [idBytes(1), idBytes(2)]
    expect(
      read('p', [
        ['__value_schema_id', one],
        ['x', null],
        ['__value_schema_id', two],
      ]),
    ).toMatchObject({ id: 2 })
    expect(
      read(idBytes(3), [
        ['__value_schema_id', one],
        ['__value_schema_id', null],
      ]),
    ).toMatchObject({ id: 3, from: 5 })
  })

  it.each([
    [Buffer.alloc(0), 'is empty'],
    [
      guidBytes().subarray(0, 5),
      'is too short for the id of a schema: 5 bytes instead of 5 with an id or 17 with a GUID',
    ],
    [Buffer.from('17'), 'begins with 0x31 instead of 0x00 or 0x01: it is not the id of a schema'],
    [idBytes(0xff_ff_ff_ff), 'names the schema id 4294967295, which is higher than any registry gives'],
  ])('what cannot be used is a problem, whatever the value begins with: %j', (header, expected) => {
    const found = problem(idBytes(7), [['__value_schema_id', header]])
    expect(found).toBe(`has the header __value_schema_id, and that ${expected}`)
  })
})

describe('whatever comes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .tuple(fc.constantFrom(0, 1), fc.uint8Array({ maxLength: 40 }))
      .map(([magic, rest]) => Uint8Array.of(magic, ...rest)),
  )
  const buffer = bytes.map((given) => Buffer.from(given))
  const name = fc.constantFrom('__value_schema_id', '__key_schema_id', 'x', '')
  const headers = fc.array(fc.tuple(name, fc.option(buffer)), { maxLength: 4 })

  it('there is an id within bounds, or words', () => {
    fc.assert(
      fc.property(buffer, headers, fc.constantFrom<Side>('value', 'key'), (value, headers, side) => {
        const wire = readWire(value, headers, side)
        if ('problem' in wire) {
          expect(wire.problem).toMatch(/^[a-z][\x20-\x7e]+[^.]$/)
          return
        }
        expect(wire.from).toBeLessThanOrEqual(value.length)
        expect(wire.from === 0).toBe(wire.indexes !== undefined)
        expect(String(wire.id)).toMatch(/^(\d{1,10}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
      }),
      { numRuns: 500 },
    )
  })

  it('what was written is read', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(0x7f_ff_ff_ff), fc.uuid()), buffer, fc.boolean(), (id, rest, inHeader) => {
        const written = Buffer.concat([typeof id === 'number' ? idBytes(id) : guidBytes(id), rest])
        const from = written.length - rest.length
        if (inHeader) {
          expect(readWire(rest, [['__value_schema_id', written]], 'value')).toEqual({ id, from: 0, indexes: rest })
        } else {
          expect(readWire(written, [], 'value')).toEqual({ id, from, indexes: undefined })
        }
      }),
    )
  })
})
