// The peers: how each is started on its part of the job, as its own docs say, and what its authors would object to.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Part } from '../../integration_tests/tools/test-parts/part.ts'
import { findPart } from '../../integration_tests/tools/test-parts/part.ts'
import { peerCdk, peerDrt, peerSinger } from '../../integration_tests/tools/test-parts/peers.ts'
import { linesOf, writeCatalog } from './job.ts'
import type { Job } from './job.ts'

export interface Start {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What goes into its standard input. */
  readonly input: string
}

export interface Peer {
  readonly name: string
  readonly settings: string
  readonly objection: string
  /** Whether it sends the rows as they are in the end, and says no checkpoints. */
  readonly isSnapshot?: true
  /** @param after the last checkpoint of the run before @param folder for its files */
  start(job: Job, url: string, folder: string, after: number): Start
}

const CLIENT = { client_id: 7, api_key: 'demo-key' }

/** @param root of the test parts @returns the peers that can be run here, and the names of those that cannot */
export async function findPeers(
  root: string,
  program: string,
): Promise<{ there: readonly Peer[]; absent: readonly string[] }> {
  const python = async (part: Part): Promise<string | undefined> => {
    const folder = await findPart(root, part)
    return folder === undefined ? undefined : join(folder, 'bin', 'python')
  }
  const [cdk, singer, drt] = [await python(peerCdk), await python(peerSinger), await python(peerDrt)]
  const all = [
    airbyte(
      'ordinary',
      [process.execPath, here('../ordinary.mjs'), 'write'],
      'readline, JSON.parse, one fetch at a time',
      'no library, no retries',
    ),
    cdk &&
      airbyte(
        'Airbyte CDK',
        [cdk, here('cdk_destination.py'), 'write'],
        'airbyte-cdk 7.39.1: write() flushes at 100 records and each STATE',
        'a careful author adds retries and threads; neither comes with it',
      ),
    singer && target(singer),
    drt && drtPeer(drt),
    airbyte('this connector', [process.execPath, program, 'write'], 'defaults', ''),
  ]
  const names = ['ordinary', 'Airbyte CDK', 'Meltano SDK', 'drt', 'this connector']
  return {
    there: all.filter((it) => typeof it === 'object'),
    absent: names.filter((_, at) => typeof all[at] !== 'object'),
  }
}

function airbyte(name: string, command: readonly string[], settings: string, objection: string): Peer {
  return {
    name,
    settings,
    objection,
    start(job, url, folder, after) {
      const config = join(folder, 'config.json')
      writeFileSync(config, JSON.stringify({ import_url: url, ...CLIENT }))
      const files = ['--config', config, '--catalog', writeCatalog(folder)]
      return { command: [...command, ...files], input: linesOf(job, 'airbyte', after) }
    },
  }
}

function target(python: string): Peer {
  return {
    name: 'Meltano SDK',
    settings: 'singer-sdk 0.54.9: BatchSink, max_size 100, one request at a time',
    objection: 'its sinks may set max_parallelism, which works per stream',
    start(job, url, folder, after) {
      const config = join(folder, 'config.json')
      writeFileSync(config, JSON.stringify({ import_url: url, ...CLIENT }))
      return { command: [python, here('singer_target.py'), '--config', config], input: linesOf(job, 'singer', after) }
    },
  }
}

function drtPeer(python: string): Peer {
  return {
    name: 'drt',
    settings:
      'drt-core 1.2.1: SQLite to rest_api, body_mode batch, 100 a request, mode full, on_error skip, no pacing, threads 2',
    objection: 'it reads a table and not a stream, so it sends each row once; on_error skip is that of its template',
    isSnapshot: true,
    start(job, url, folder) {
      const project = join(folder, 'project')
      mkdirSync(join(project, 'syncs'), { recursive: true })
      mkdirSync(join(folder, '.drt'), { recursive: true })
      const database = join(folder, 'rows.sqlite')
      writeTables(database, job)
      writeFileSync(join(project, 'drt_project.yml'), 'name: peers\nversion: "0.1"\nprofile: local\n')
      writeFileSync(join(folder, '.drt', 'profiles.yml'), `local:\n  type: sqlite\n  database: ${database}\n`)
      for (const [table, key] of [
        ['orders', 'id'],
        ['events', 'n'],
      ] as const)
        writeFileSync(join(project, 'syncs', `${table}.yml`), syncOf(table, key, url))
      const command = ['sh', '-c', `cd '${project}' && exec '${join(dirname(python), 'drt')}' run --threads 2 --quiet`]
      return { command, env: { HOME: folder, DRT_NO_TELEMETRY: '1', DO_NOT_TRACK: '1' }, input: '' }
    },
  }
}

function writeTables(file: string, job: Job): void {
  using database = new DatabaseSync(file)
  for (const table of ['orders', 'events']) {
    const key = table === 'orders' ? 'id' : 'n'
    // as a text: SQLite has no decimals, and what it would do to them is no fault of the peer's
    database.exec(
      `DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id INTEGER, n INTEGER, amount TEXT, city TEXT, note TEXT, PRIMARY KEY (${key}))`,
    )
    const insert = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, 'Torino', ?)`)
    database.exec('BEGIN')
    for (const { stream, id, n, amount } of job.changes)
      if (stream === table) insert.run(id, n, amount, 'the same text in each row '.repeat(4))
    database.exec('COMMIT')
  }
}

function syncOf(table: string, key: string, url: string): string {
  const row = `{"keys":["${key}"],"id":{{ row.id }},"n":{{ row.n }},"amount":{{ row.amount }},"city":{{ row.city | tojson_safe }},"note":{{ row.note | tojson_safe }}}`
  return `name: ${table}
model: SELECT * FROM ${table}
destination:
  type: rest_api
  url: "${url}/v2/client/7/table/${table}/data?apikey=demo-key"
  method: POST
  headers: { Content-Type: application/json }
  body_mode: batch
  max_records_per_request: 100
  batch_template: '[{% for row in rows %}${row}{% if not loop.last %},{% endif %}{% endfor %}]'
sync:
  mode: full
  batch_size: 100
  rate_limit: { requests_per_second: 0 }
  on_error: skip
`
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
