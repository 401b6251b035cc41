import { expect, test } from 'vitest'

import { nearestName } from './nearest-name.ts'

const NAMES = ['import_url', 'sandbox_import_url', 'client_id', 'client_key', 'api_key', 'max_points']

test.each([
  ['max_point', 'max_points'],
  ['maxPoints', 'max_points'],
  ['MAX-POINTS', 'max_points'],
  ['apikey', 'api_key'],
  ['api_kye', 'api_key'],
  ['cleint_id', 'client_id'],
  ['import_uri', 'import_url'],
  ['max_po', 'max_points'],
  ['points', 'max_points'],
  ['max_p', undefined],
  ['sandbox_url', undefined],
  ['password', undefined],
  ['', undefined],
  ['数据', undefined],
  ['x'.repeat(100_000), undefined],
])('%j is near %s', (given, expected) => {
  expect(nearestName(given, NAMES)).toBe(expected)
})
