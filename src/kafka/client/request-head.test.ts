// Requests as kafkajs writes them, and bytes that are none.

import { describe, expect, it } from 'vitest'
import { API, requestHead } from './request-head.ts'

const string = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const int16 = (value: number): Buffer => int32(value).subarray(2)

function request(api: number, version: number, ...body: Buffer[]): Buffer {
  const rest = Buffer.concat([int16(api), int16(version), int32(7), string('client'), ...body])
  return Buffer.concat([int32(rest.length), rest])
}

describe('requestHead', () => {
  it('reads the member of a join, in each version', () => {
    const latest = request(API.joinGroup, 5, string('group'), int32(6000), int32(9000), string('member-1'), int16(-1))
    expect(requestHead(latest)).toEqual({ api: API.joinGroup, memberId: 'member-1' })
    const oldest = request(API.joinGroup, 0, string('group'), int32(6000), string('member-1'), string('consumer'))
    expect(requestHead(oldest)).toEqual({ api: API.joinGroup, memberId: 'member-1' })
    const stranger = request(API.joinGroup, 5, string('group'), int32(6000), int32(9000), string(''), int16(-1))
    expect(requestHead(stranger)).toEqual({ api: API.joinGroup, memberId: '' })
  })

  it('reads the generation of a sync', () => {
    const sync = request(API.syncGroup, 3, string('grüppe'), int32(42), string('member-1'))
    expect(requestHead(sync)).toEqual({ api: API.syncGroup, generation: 42, memberId: 'member-1' })
  })

  it('tells a fetch, and what its answer will name', () => {
    expect(requestHead(request(API.fetch, 11, int32(-1)))).toEqual({ api: API.fetch, version: 11, correlationId: 7 })
  })

  it('tells the kind of others', () => {
    expect(requestHead(request(API.heartbeat, 3, string('group')))).toEqual({ api: API.heartbeat })
  })

  it('takes a client without a name', () => {
    const head = [int16(API.syncGroup), int16(3), int32(7), int16(-1)]
    const rest = Buffer.concat([...head, string('group'), int32(3), string('member-1')])
    const read = { api: API.syncGroup, generation: 3, memberId: 'member-1' }
    expect(requestHead(Buffer.concat([int32(rest.length), rest]))).toEqual(read)
  })

  it('is undefined for authentication bytes and for every request that is cut short', () => {
    expect(requestHead(Buffer.from('\0user\0password that is long enough'))).toBeUndefined()
    const join = request(API.joinGroup, 5, string('group'), int32(6000), int32(9000), string('member-1'))
    for (let length = 0; length < join.length; length++) {
      const cut = Buffer.from(join.subarray(0, length))
      if (length >= 4) cut.writeInt32BE(length - 4)
      expect(requestHead(cut)).toBeUndefined()
    }
  })
})
