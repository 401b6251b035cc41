// Fetches as kafkajs writes them: header, replica, wait, and what follows.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { setFetchWait } from './fetch-wait.ts'

function fetch(client: string | null, waitMs: number, rest: Uint8Array): Buffer {
  const name = Buffer.from(client ?? '')
  const request = Buffer.alloc(22 + name.length)
  request.writeInt16BE(1, 4)
  request.writeInt16BE(11, 6)
  request.writeInt16BE(client === null ? -1 : name.length, 12)
  name.copy(request, 14)
  request.writeInt32BE(-1, 14 + name.length)
  request.writeInt32BE(waitMs, 18 + name.length)
  const whole = Buffer.concat([request, rest])
  whole.writeInt32BE(whole.length - 4)
  return whole
}

const clients = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }))

it('changes the wait, and nothing else', () => {
  fc.assert(
    fc.property(clients, fc.nat(), fc.nat(), fc.uint8Array(), (client, from, to, rest) => {
      const request = fetch(client, from, rest)
      setFetchWait(request, to)
      expect(request.equals(fetch(client, to, rest))).toBe(true)
    }),
  )
})

it('leaves one alone that ends before', () => {
  const whole = fetch('client', 20, new Uint8Array())
  for (let length = 0; length < whole.length; length++) {
    const cut = Buffer.from(whole.subarray(0, length))
    setFetchWait(cut, 100)
    expect(cut.equals(whole.subarray(0, length))).toBe(true)
  }
})
