import { expect, test } from 'vitest'
import { limits } from '../../config/write/write-options.ts'
import { streamSchema } from '../../config/stream/stream-options.ts'
import { readWriteConfig } from '../../config/write/write-load.ts'
import { figure, reportLimits, roundedSpan } from './report-figures.ts'

test.each([
  [0, '0 s'],
  [0.4, '0.4 ms'],
  [12.4, '12.4 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [12_345, '12.3 s'],
  [60_000, '1 min'],
  [245_000, '4 min 5 s'],
  [12_000_000, '3 h 20 min'],
  [187_200_000, '2 d 4 h'],
])('%d ms is %s', (ms, words) => {
  expect(roundedSpan(ms)).toBe(words)
})

test.each([
  [0, 'count', '0'],
  [0.0052, 'count', '0.0052'],
  [950, 'count', '950'],
  [999.9, 'count', '1 k'],
  [3300, 'count', '3.3 k'],
  [1_250_000, 'count', '1.25 M'],
  [9e18, 'count', '9,000 P'],
  [0, 'bytes', '0 B'],
  [1023, 'bytes', '1,023 B'],
  [1024, 'bytes', '1 KiB'],
  [150 * 1024, 'bytes', '150 KiB'],
  [3.5 * 1024 * 1024, 'bytes', '3.5 MiB'],
  [1500, 'time', '1.5 s'],
] as const)('%d of %s is %s', (value, unit, words) => {
  expect(figure(value, unit)).toBe(words)
})

test('limits that are not at their default, in words of their schema', () => {
  const changed = (more: object, shape = limits): unknown => {
    const least = { import_url: 'https://import.example.com', client_id: 7, api_key: 'import-key' }
    return reportLimits(readWriteConfig(JSON.stringify({ ...least, ...more })).config!.limits, shape).changed
  }
  expect(changed({ max_points: 100, retry_for_seconds: 900 })).toEqual([])
  expect(
    changed({ max_request_bytes: 4096, request_timeout_seconds: 2.5, concurrency: 16, max_wait_ms: 2000 }),
  ).toEqual([
    ['max_request_bytes', 'Max request size', '4,096 bytes'],
    ['max_wait_ms', 'Max wait for a full request', '2,000 milliseconds'],
    ['request_timeout_seconds', 'Request timeout', '2.5 seconds'],
    ['concurrency', 'Max parallel requests', '16'],
  ])
  // `stream` has another default
  const { request_timeout_seconds } = streamSchema.shape
  expect(changed({ request_timeout_seconds: 20 }, { ...limits, request_timeout_seconds })).toEqual([])
})
