// Ports that want something else, by what they say.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { checkVersions, watchPort } from './port-watch.ts'
import type { PortMemory } from './port-watch.ts'
import { API } from './request-bytes.ts'
import { versionsBytes } from './testing/requests.ts'

const METADATA = 3
const ALERT = Buffer.from('15030300020250', 'hex')

/** @param ask what goes out, and what the port does then: bytes, or closes @returns what the socket ended with */
async function askPort(
  steps: readonly (readonly [api: number, does: Buffer | 'closes'])[],
  isEncrypted = false,
  port: PortMemory = { sentVersions: false, hasAnswered: false },
): Promise<unknown> {
  await using server = createServer({ allowHalfOpen: true })
  const accepted = once(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const asked = watchPort(socket, isEncrypted, port)
  const errors: unknown[] = []
  socket.on('error', (error) => errors.push((error as { code?: unknown }).code))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const [peer] = (await accepted) as [typeof socket]
  peer.on('error', () => undefined)
  for (const [api, does] of steps) {
    asked(api)
    socket.write('asked')
    await once(peer, 'data')
    const heard = new Promise((resolve) => socket.once('data', resolve))
    if (does === 'closes') peer.end()
    else peer.write(does)
    await (does === 'closes' ? closed : heard)
  }
  if (!socket.destroyed) socket.destroy()
  peer.destroy()
  return errors
}

describe('watchPort', () => {
  it('knows a port that answers with TLS', async () => {
    expect(await askPort([[API.apiVersions, ALERT]])).toEqual(['WANTS_TLS'])
  })

  it('takes the same bytes for what they are later, and where all is encrypted', async () => {
    const later = [
      [API.apiVersions, Buffer.from('versions')],
      [METADATA, ALERT],
    ] as const
    expect(await askPort(later)).toEqual([])
    expect(await askPort([[API.apiVersions, ALERT]], true)).toEqual([])
  })

  it('knows a port that tells its versions, and nothing else without a login', async () => {
    const steps = [
      [API.apiVersions, Buffer.from('versions')],
      [METADATA, 'closes'],
    ] as const
    expect(await askPort(steps)).toEqual(['WANTS_LOGIN'])
    expect(await askPort(steps, true)).toEqual(['WANTS_LOGIN'])
  })

  it('knows it by a connection that does not ask for versions again, unless it ever answered', async () => {
    const port = { sentVersions: false, hasAnswered: false }
    await askPort([[API.apiVersions, Buffer.from('versions')]], false, port)
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual(['WANTS_LOGIN'])
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual(['WANTS_LOGIN'])
    await askPort([[METADATA, Buffer.from('m')]], false, port)
    expect(await askPort([[METADATA, 'closes']], false, port)).toEqual([])
  })

  it.each([
    ['at once', [[API.apiVersions, 'closes']]],
    ['without having been asked for its versions', [[METADATA, 'closes']]],
    [
      'in the middle of a login',
      [
        [API.apiVersions, Buffer.from('v')],
        [API.saslHandshake, 'closes'],
      ],
    ],
    [
      'later',
      [
        [API.apiVersions, Buffer.from('v')],
        [METADATA, Buffer.from('m')],
        [METADATA, 'closes'],
      ],
    ],
  ] as const)('leaves a connection alone that closes %s', async (_, steps) => {
    expect(await askPort(steps)).toEqual([])
  })
})

describe('checkVersions', () => {
  it.each([
    ['has just the version that is needed', [1, 11, 11]],
    ['has newer ones too', [1, 4, 17]],
    ['says nothing of fetches', [3, 0, 5]],
  ] as const)('takes a broker that %s', (_, range) => {
    expect(() => checkVersions(versionsBytes([0, 0, 9], range, [18, 0, 3]))).not.toThrow()
  })

  it.each([
    ['older', [1, 0, 10], 'OLD_BROKER'],
    ['newer', [1, 12, 17], 'NEW_BROKER'],
  ] as const)('tells one that is %s', (_, range, code) => {
    const check = (): void => checkVersions(versionsBytes([0, 0, 9], range))
    expect(check).toThrow(expect.objectContaining({ code }))
  })

  it('looks into no answer that is an error, or cut', () => {
    const answer = versionsBytes([1, 0, 10])
    for (let length = 0; length < answer.length; length++)
      expect(() => checkVersions(answer.subarray(0, length))).not.toThrow()
    answer.writeInt16BE(35, 8)
    expect(() => checkVersions(answer)).not.toThrow()
  })
})
