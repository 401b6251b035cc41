import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { MemberIdTracker, leaveGroup } from './leave-group.ts'
import { API, CORRELATION_AT } from './request-bytes.ts'
import { versionsBytes } from './testing/requests.ts'

it('is that of the last request, and none of a client that is nobody', () => {
  const place = new MemberIdTracker()
  expect(place.memberId).toBeUndefined()
  place.joinSent('a')
  expect(place.memberId).toBe('a')
  place.learnt('b')
  expect(place.memberId).toBe('b')
  place.learnt('')
  expect(place.memberId).toBeUndefined()
})

it.each([
  ['the next join shows it', (place: MemberIdTracker) => place.joinSent('a'), 'a'],
  ['a join that is not sent shows it', (place: MemberIdTracker) => place.learnt('a'), 'a'],
  ['no answer can come any more', (place: MemberIdTracker) => place.joinLost(), undefined],
])('is waited for while the answer to a join as nobody is on its way: until %s', async (_, then, memberId) => {
  const place = new MemberIdTracker()
  await place.settled()
  place.joinSent('')
  let isNamed = false
  const named = place.settled().then(() => (isNamed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect([place.memberId, isNamed]).toEqual([undefined, false])
  then(place)
  await named
  expect(place.memberId).toBe(memberId)
  await place.settled()
})

it('is waited for anew when the join as nobody is sent again', async () => {
  const place = new MemberIdTracker()
  place.joinSent('')
  const first = place.settled()
  place.joinSent('')
  await first
  let isNamed = false
  const second = place.settled().then(() => (isNamed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isNamed).toBe(false)
  place.learnt('a')
  await second
})

it('is left by asking again as long as it may, also a broker that is shutting down', async () => {
  let asked = 0
  const end = new AbortController()
  await using server = createServer((peer) =>
    peer
      .on('error', () => undefined)
      .on('data', (request) => {
        if (request.readInt16BE(4) !== API.apiVersions) {
          // one client asks five times at most
          if (++asked === 7) end.abort()
          peer.end()
          return
        }
        const answer = versionsBytes([API.fetch, 4, 11], [API.metadata, 0, 6], [API.describeGroups, 0, 3])
        request.copy(answer, 4, CORRELATION_AT, CORRELATION_AT + 4)
        peer.write(answer)
      }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const brokers = [`127.0.0.1:${(server.address() as AddressInfo).port}`]
  const connection = { brokers, clientId: 'c', tls: undefined, sasl: undefined, allowInsecureLogin: false }
  const left = await leaveGroup(connection, { group: 'g', memberId: 'm' }, end.signal)
  expect([left, end.signal.aborted]).toEqual([false, true])
})
