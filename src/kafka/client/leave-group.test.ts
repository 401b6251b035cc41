import { expect, it } from 'vitest'
import { GroupPlace } from './leave-group.ts'

it('is that of the last request, and none of a client that is nobody', () => {
  const place = new GroupPlace()
  expect(place.memberId).toBeUndefined()
  place.joining('a')
  expect(place.memberId).toBe('a')
  place.known('b')
  expect(place.memberId).toBe('b')
  place.known('')
  expect(place.memberId).toBeUndefined()
})

it.each([
  ['the next join shows it', (place: GroupPlace) => place.joining('a'), 'a'],
  ['a join that is not sent shows it', (place: GroupPlace) => place.known('a'), 'a'],
  ['no answer can come any more', (place: GroupPlace) => place.unanswered(), undefined],
])('is waited for while the answer to a join as nobody is on its way: until %s', async (_, then, memberId) => {
  const place = new GroupPlace()
  await place.named()
  place.joining('')
  let isNamed = false
  const named = place.named().then(() => (isNamed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect([place.memberId, isNamed]).toEqual([undefined, false])
  then(place)
  await named
  expect(place.memberId).toBe(memberId)
  await place.named()
})

it('is waited for anew when the join as nobody is sent again', async () => {
  const place = new GroupPlace()
  place.joining('')
  const first = place.named()
  place.joining('')
  await first
  let isNamed = false
  const second = place.named().then(() => (isNamed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isNamed).toBe(false)
  place.known('a')
  await second
})
