// What a summary says of rejected records, whatever becomes of the run: the list of reasons and the counts of the rows agree with the
// total, and where a reason was met first is the first line of it. Random runs, the whole of `write` in this process.

import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import type { ScriptedAnswer } from '../../src/local-service/types.ts'
import type { Summary } from '../../src/telemetry/summary/summary-schema.ts'
import { workFolder } from '../connector.ts'
import { written } from '../in-process.ts'
import { readSummary } from '../summaries.ts'
import { record, state, stream } from './driver.ts'

const RUNS = 150
const STREAMS = ['orders', 'users']

/** good: stored. keyless: rejected by a rule. refused: by the service. */
const row = fc.record({
  name: fc.constantFrom(...STREAMS),
  kind: fc.oneof({ weight: 6, arbitrary: fc.constant('good') }, fc.constantFrom('keyless', 'refused'), {
    weight: 1,
    arbitrary: fc.constant('state'),
  }),
  id: fc.nat(200),
})
const setup = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 300 }),
  policy: fc.constantFrom({ policy: 'stop' }, { policy: 'table' }, { policy: 'file', path: 'rejects.jsonl' }),
  most: fc.constantFrom(undefined, 0, 3, 10),
  /** The request from which on the service answers with this. */
  end: fc.option(fc.record({ from: fc.nat(12), status: fc.constantFrom(403, 401, 400) }), { nil: undefined }),
  /** Tables that fail; all. */
  table: fc.constantFrom(undefined, 'rejected_records'),
  points: fc.constantFrom(1, 5, 50),
  delay: fc.constantFrom(0, 3),
})
type Setup = typeof setup extends fc.Arbitrary<infer T> ? T : never

function lineOf({ name, kind, id }: Setup['rows'][number]): string {
  if (kind === 'state') return state(`${id}`, name)
  return record(kind === 'keyless' ? '{"id":null}' : `{"id":${id},"bad":${kind === 'refused'}}`, name)
}

async function summaryOf({ rows, policy, most, end, table, points, delay }: Setup): Promise<Summary> {
  await using work = await workFolder()
  await using service = await startLocalService()
  let requests = 0
  const ends = (): ScriptedAnswer | undefined =>
    end && requests++ >= end.from ? { status: end.status, body: { message: 'no' } } : undefined
  // an upsert takes the first that is for its table
  if (table !== undefined) service.fault({ table, every: 1, delay_ms: delay, answer: ends })
  const isBad = ({ body }: { readonly body: Uint8Array }) => Buffer.from(body).includes('"bad":true')
  service.fault({
    every: 1,
    delay_ms: delay,
    answer: (upsert) =>
      (table === undefined ? ends() : undefined) ??
      (isBad(upsert) ? { status: 400, body: { message: 'the service refuses it' } } : undefined),
  })
  const rejected = 'path' in policy ? { ...policy, path: join(work.path, policy.path) } : policy
  const config = {
    import_url: service.url,
    client_id: 7,
    api_key: 'demo-key',
    retry_for_seconds: 1,
    rejected_records: rejected,
    max_points: points,
    ...(most === undefined ? {} : { max_rejected: most }),
  }
  const summary = join(work.path, 'summary.json')
  const files = { summary }
  await written(
    await work.file('catalog.json', { streams: STREAMS.map((name) => stream(name)) }),
    await work.file('config.json', config),
    rows.map((one) => `${lineOf(one)}\n`).join(''),
    files,
  )
  return await readSummary(summary, [])
}
const sum = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((all, one) => all + (one ?? 0), 0)

it(`in ${RUNS} random runs`, async () => {
  const ended = { done: 0, failed: 0, rejected: 0 }
  await fc.assert(
    fc.asyncProperty(setup, async (given) => {
      const told = await summaryOf(given)
      const { total, rows, rejected } = told
      const listed = sum(rejected.map(({ records }) => records))
      expect({ listed, rows: sum(rows.map(({ counts }) => counts.rejected)) }).toEqual({
        listed: total.rejected,
        rows: total.rejected,
      })
      expect(total.records).toBe(total.written! + total.rejected! + total.unsettled!)
      if (told.result === 'done') {
        ended.done++
        for (const { name, reason, first } of rejected) {
          if (!reason.includes('id')) continue
          const line = given.rows.findIndex((one) => one.name === name && one.kind === 'keyless') + 1
          expect(first).toBe(`input line ${line}`)
        }
      } else ended.failed++
      if (listed > 0) ended.rejected++
    }),
    { numRuns: RUNS },
  )
  for (const count of Object.values(ended)) expect(count).toBeGreaterThan(RUNS / 10)
}, 300_000)
