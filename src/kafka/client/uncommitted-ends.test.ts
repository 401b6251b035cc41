// Requests for offsets as kafkajs writes them: header, replica, isolation level, and what follows.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { int32 } from '../log/testing/log.ts'
import { requestOf } from './testing/requests.ts'
import { askUncommitted } from './uncommitted-ends.ts'

function asked(api: number, version: number, client: string | null, isolation: number, rest: Uint8Array): Buffer {
  return requestOf(api, version, client, int32(-1), Buffer.of(isolation), rest)
}

const clients = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }))

it('changes the isolation level, and nothing else', () => {
  fc.assert(
    fc.property(clients, fc.integer({ min: 2, max: 3 }), fc.uint8Array(), (client, version, rest) => {
      const request = asked(2, version, client, 1, rest)
      askUncommitted(request)
      expect(request.equals(asked(2, version, client, 0, rest))).toBe(true)
    }),
  )
})

it('leaves other requests alone, those of versions without it, and those that end before', () => {
  for (const [api, version] of [
    [1, 11],
    [3, 2],
    [2, 0],
    [2, 1],
  ] as const) {
    const request = asked(api, version, 'client', 1, new Uint8Array(30))
    askUncommitted(request)
    expect(request.equals(asked(api, version, 'client', 1, new Uint8Array(30)))).toBe(true)
  }
  const whole = asked(2, 3, 'client', 1, new Uint8Array())
  for (let length = 0; length < whole.length; length++) {
    const cut = Buffer.from(whole.subarray(0, length))
    askUncommitted(cut)
    expect(cut.equals(whole.subarray(0, length))).toBe(true)
  }
})
