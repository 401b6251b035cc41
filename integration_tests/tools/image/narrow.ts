// A long sync in a small container. The input comes through the named pipe as fast as it is read.

import assert from 'node:assert/strict'
import { record, state, statesOf, stream } from './messages.ts'
import type { Scene } from './scene.ts'
import { CONFIG } from './stage.ts'

const RECORDS = 1_000_000
/** Bytes of a record's data. */
const DATA = 200
const MEMORY = 256 * 2 ** 20
/** Well below the limit: what it needs does not depend on how much there is to have. */
const ENOUGH = 192 * 2 ** 20

/** Runs on the stage, where nothing of ours is. */
const FEEDER = `
import { once } from 'node:events'
const [records, record, state] = process.argv.slice(2)
let text = ''
for (let id = 1; id <= Number(records); id++) {
  // nine digits, so that all are of one length
  text += record.replace('ID', String(id + 100000000))
  if (text.length < 1 << 18) continue
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  text = ''
}
process.stdout.end(text + state)
`

export async function writesInLittleRoom({ stage }: Scene): Promise<void> {
  const table = 'many'
  const pad = 'x'.repeat(DATA - '{"id":100000000,"pad":""}'.length)
  const one = record(table, `{"id":ID,"pad":"${pad}"}`)
  const last = state(table, '"cursor":1', RECORDS)
  await stage.provide(CONFIG, { streams: [stream(table, 'append_dedup')] })
  await stage.shell('cat >feeder.mjs', FEEDER)
  const done = await stage.asPlatform('write', {
    feeder: `node feeder.mjs ${RECORDS} '${one}\n' '${last}\n'`,
    options: ['--memory', `${MEMORY}`, '--memory-swap', `${MEMORY}`, '--cpus', '0.5'],
    limitSeconds: 170,
  })
  assert.equal(done.code, 0, done.stdout + done.stderr)
  assert.deepEqual(statesOf(done, table), [[RECORDS, '"cursor":1']])
  const tables = JSON.parse(await stage.ask('/_local/tables')) as { table: string; rows: number }[]
  assert.deepEqual(
    tables.filter((it) => it.table === table),
    [{ client_id: CONFIG.client_id, table, rows: RECORDS }],
  )
  const { peakBytes, timesAtLimit } = done
  assert.ok(peakBytes! > 2 ** 24 && peakBytes! < ENOUGH, `${peakBytes} bytes at the most, of ${MEMORY}`)
  assert.equal(timesAtLimit, 0)
}
