// A short round of `npm run fuzz`: verdicts are those of JSON.parse, and a bad line spoils nothing of those beside it.

import { expect, it } from 'vitest'
import { fuzzParallel } from './fuzz-parallel.ts'

it('reads 20,000 changed lines as JSON.parse does, and what comes before a bad one', async () => {
  const cases = { seed: 20_260_101, from: 0, to: 20_000 }
  const { fates, failure } = await fuzzParallel(cases, 2)
  expect(failure).toBeUndefined()
  // both verdicts, and many of each kind
  const rejected = ['record, rejected', 'record, not UTF-8']
  for (const fate of ['record', ...rejected, 'state', 'status', 'ignored', 'not JSON', 'not UTF-8', 'no type'])
    expect(fates[fate], fate).toBeGreaterThan(50)
})
