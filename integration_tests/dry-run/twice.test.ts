// A dry run whose partitions are assigned again has counted some records twice, and says so.

import { expect, it } from 'vitest'
import { dryRun } from '../../src/commands/dry-run.ts'
import { defaultConfig } from '../../src/config/write/write-load.ts'
import type { InputGroup, OpenInput } from '../../src/run/open-input.ts'
import { facts } from '../../src/run/testing/facts.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'

/** Without records, of a group that was joined so often. */
function inputOf(rebalances: number): OpenInput<never, never> {
  const group: InputGroup = {
    run: (leave) => new Promise((resolve) => leave.addEventListener('abort', () => resolve())),
    mayBegin: () => true,
    facts: () => facts({ group: { rebalances } }).group,
    halt() {},
    finish: () => Promise.resolve(),
    commit: () => Promise.resolve(),
  }
  return {
    source: { async *read() {}, settled: () => Promise.resolve() },
    rejects: { overlaps: false, placeOf: () => undefined, put: () => Promise.resolve(undefined) },
    rejectCounts: { all: [], stop: undefined, recordsOf: () => 0 },
    rejectsPlace: undefined,
    rows: { noun: 'topic', all: [], takeChanged: () => [] },
    reserved: [],
    scopeOf: () => undefined,
    endWords: () => [],
    group,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

it.each([
  [1, 0, /^Nothing is sent, .*\n\nEmpty: no record came, so stream would store nothing\./s],
  [2, 1, /Failed: The brokers assigned its partitions twice, .* Run the dry run again/s],
])('assigned %d times, it ends with %d', async (rebalances, code, words) => {
  const said = new Said()
  const load = () =>
    Promise.resolve({ limits: defaultConfig().limits, open: () => Promise.resolve(inputOf(rebalances)) })
  const options = { name: 'stream', noun: 'topic', json: false, load } as const
  expect(await dryRun(options, ioOf(NO_INPUT, said, said))).toBe(code)
  expect(await said.text()).toMatch(words)
})
