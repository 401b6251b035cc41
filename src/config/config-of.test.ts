import { expect, test } from 'vitest'
import { changedOptions } from './config-of.ts'
import { limits } from './write/write-options.ts'
import { streamSchema } from './stream/stream-options.ts'
import { readWriteConfig } from './write/write-load.ts'

test('limits that are not at their default, in words of their schema', () => {
  const changed = (more: object, shape = limits): unknown => {
    const least = { import_url: 'https://import.example.com', client_id: 7, api_key: 'import-key' }
    return changedOptions(readWriteConfig(JSON.stringify({ ...least, ...more })).config!.limits, shape)
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
