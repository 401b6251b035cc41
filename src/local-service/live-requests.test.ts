import { expect, it } from 'vitest'
import { Clients } from './clients.ts'
import { LiveRequests, type LiveRequest } from './live-requests.ts'

function request(at: number, more: Partial<LiveRequest> = {}): Omit<LiveRequest, 'n'> {
  return { at, method: 'POST', path: '/p', status: 201, ms: 1, points: 3, bytes: 10, ...more }
}

it('numbers requests and gives those behind a number, oldest first, the last of too many', () => {
  const live = new LiveRequests()
  for (let at = 0; at < 5; at++) live.add(request(at), false)
  expect(live.total).toBe(5)
  expect(live.points).toBe(15)
  expect(live.recent(3)).toEqual([
    { n: 4, ...request(3) },
    { n: 5, ...request(4) },
  ])
  expect(live.recent(5)).toEqual([])
  expect(live.recent().map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
  expect(live.recent(-7).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
})

it('remembers the last 200, with short paths and reasons', () => {
  const live = new LiveRequests()
  for (let n = 1; n <= 2500; n++)
    live.add(request(n, { path: `/${n}/${'x'.repeat(5000)}`, reason: 'y'.repeat(5000) }), false)
  const all = live.recent(0)
  expect(all.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, index) => 2301 + index))
  expect(all[0]!.path).toMatch(/^\/2301\/x+…$/)
  expect(all.every(({ path, reason }) => path.length === 201 && reason?.length === 301)).toBe(true)
})

it('counts the last 120 whole seconds, whatever the clock says', () => {
  for (const start of [0, 1_700_000_000_500, -5_000_700]) {
    const live = new LiveRequests()
    for (const after of [0, 100, 1000, 60_000]) live.add(request(start + after), false)
    const seconds = live.seconds(start + 61_000)
    expect(seconds).toHaveLength(120)
    expect(seconds.at(-1)).toEqual([1, 3, 0])
    expect(seconds.at(-61)).toEqual([2, 6, 0])
    expect(seconds.at(-60)).toEqual([1, 3, 0])
    expect(seconds.reduce((sum, [requests]) => sum + requests, 0)).toBe(4)
    // the second under way is not shown, and what is older than two minutes is forgotten
    expect(live.seconds(start + 60_000).at(-1)).toEqual([0, 0, 0])
    expect(live.seconds(start + 300_000).flat()).toEqual(Array.from({ length: 360 }, () => 0))
    live.add(request(start + 121_000), false)
    expect(live.seconds(start + 122_000).at(-1)).toEqual([1, 3, 0])
  }
})

it('counts the sandbox apart', () => {
  const live = new LiveRequests()
  live.add(request(0), true)
  live.add(request(0), false)
  expect(live.sandbox).toEqual({ requests: 1, points: 3 })
})

it('counts apart what failed: refused, answered by an error, or not answered', () => {
  const live = new LiveRequests()
  for (const status of [200, 201, 400, 503, 'reset', 'aborted'] as const) live.add(request(0, { status }), false)
  expect(live.seconds(1000).at(-1)).toEqual([6, 18, 4])
})

it.each([
  ['/v2/client/8/table/t/data&apikey=own key', '/v2/client/8/table/t/data&apikey=******'],
  ['/data;apikey=a/b', '/data;apikey=******'],
  ['/data#API_KEY=a', '/data#API_KEY=******'],
  ['/caf%C3%A9/data&apikey%3Da', '/caf******'],
  ['/data%3F%2561pi%6bey=a', '/data******'],
  ['/data&token=a', '/data&token=******'],
  ['/v2/client/8/table/caf%C3%A9/data', '/v2/client/8/table/caf%C3%A9/data'],
  ['/v2/client/canary/table/keys=1/data', '/v2/client/******/table/keys=1/data'],
])('shows no key in the path %s', (path, shown) => {
  const live = new LiveRequests((text) => text.replaceAll('canary', '******'))
  live.add(request(0, { path }), false)
  expect(live.recent()[0]!.path).toBe(shown)
})

it('shows no key that a long path is cut in', () => {
  const live = new LiveRequests(new Clients([{ id: 7, key: 'canary-key' }]).mask)
  for (let length = 185; length < 205; length++)
    live.add(request(0, { path: `/${'x'.repeat(length)}/canary-key/` }), false)
  live.add(request(0, { path: '/canary-key'.repeat(50) }), false)
  for (const { path } of live.recent()) expect(path).toMatch(/^\/(?:x+(?:\/(?:\*{6}\/?)?)?|(?:\*{6}\/?)+)…?$/)
})
