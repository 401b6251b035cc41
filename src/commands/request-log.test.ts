import { expect, test } from 'vitest'
import { requestLog, requestWords } from './request-log.ts'

const told = {
  method: 'POST',
  path: '/v2/client/7/table/orders/data',
  status: 201,
  failure: undefined,
  ms: 1234,
  points: 100,
  bytes: 12_345,
}

test('a request in words', () => {
  expect(requestWords(told)).toBe('POST /v2/client/7/table/orders/data: 201 after 1,234 ms, 100 points, 12,345 bytes')
  expect(requestWords({ ...told, method: 'GET', points: undefined, bytes: 0 })).toBe(
    'GET /v2/client/7/table/orders/data: 201 after 1,234 ms',
  )
  expect(requestWords({ ...told, status: undefined, failure: 'ECONNRESET', points: 1, bytes: 1 })).toBe(
    'POST /v2/client/7/table/orders/data: no answer (ECONNRESET) after 1,234 ms, 1 point, 1 byte',
  )
})

test('a reader that does not read costs no memory without bound, and is told what it missed', async () => {
  const said: string[] = []
  let read = Promise.withResolvers<void>()
  const tell = requestLog((_level, message, fields = {}) => {
    said.push(message)
    expect(Object.keys(fields)).toEqual(['method', 'path', 'status', 'ms', 'points', 'bytes'])
    return read.promise
  })
  for (let count = 0; count < 5000; count++) tell(told)
  expect(said).toHaveLength(1000)
  read.reject(new Error('gone'))
  read = Promise.withResolvers()
  await new Promise((resolve) => setImmediate(resolve))
  tell(told)
  tell(told)
  expect(said.slice(1000)).toEqual([
    `${requestWords(told)}; 4,000 requests before it not logged, because the log was not read fast enough`,
    requestWords(told),
  ])
})
