import { expect, it } from 'vitest'
import { RequestLog } from './request-log.ts'
import type { LoggedRequest } from './request-log.ts'

function request(path: string, status: LoggedRequest['status'] = 200, points = 0): LoggedRequest {
  return { method: 'GET', path, status, points }
}

it('counts everything and remembers the last', () => {
  const log = new RequestLog(2)
  expect(log.recent()).toEqual([])
  log.add(request('/a', 201, 3))
  expect(log.recent()).toEqual([request('/a', 201, 3)])
  log.add(request('/b', 'reset', 0))
  log.add(request('/c', 201, 4))
  log.add(request('/d'))
  log.add(request('/e', 'aborted'))
  expect(log.recent().map(({ path }) => path)).toEqual(['/d', '/e'])
  expect(log.total).toBe(5)
  expect(log.points).toBe(7)
  expect([201, 200, 'reset', 'aborted', 404].map((it) => log.byStatus(it as number))).toEqual([2, 1, 1, 1, 0])
})

it('remembers nothing when it has no room', () => {
  const log = new RequestLog(0)
  log.add(request('/a'))
  expect(log.recent()).toEqual([])
  expect(log.total).toBe(1)
})
