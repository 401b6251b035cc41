// The peers: how each is started on its part of the job, as its own docs say, and what its authors would object to.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { findPart } from '../../integration_tests/tools/test-parts/part.ts'
import { peerCdk, peerDrt, peerSinger } from '../../integration_tests/tools/test-parts/python-parts.ts'
import { CATALOG, linesOf, NOTE, type Change, type Job } from './job.ts'

export interface Start {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What goes into its standard input. */
  readonly input: string
  /** Of a topic: the changes in front of the offsets that are committed now. */
  readonly committed?: () => Promise<readonly Change[]>
}

export interface About {
  readonly name: string
  readonly settings: string
  readonly objection: string
}

export interface Peer extends About {
  /** Whether it sends the rows as they are in the end, and says no checkpoints. */
  readonly isSnapshot?: true
  /** How many for speed where an answer takes so many milliseconds: what takes some seconds. */
  readonly records: Readonly<Record<number, number>>
  /** Whether it reads a topic, and ends only when it is killed. */
  readonly isTopic?: true
  /** @param after the last checkpoint of the run before @param folder an empty one, for its files */
  start(job: Job, url: string, folder: string, after: number): Start | Promise<Start>
}

const [MANY, FEW] = [200_000, 20_000]
/** Of one that sends a request at a time, and of ours. */
export const SERIAL = { 0: MANY, 50: FEW }
export const PARALLEL = { 0: MANY, 50: MANY, 200: MANY }
const CLIENT = { client_id: 7, api_key: 'demo-key' }

/** @param root of the test parts. Throws when one of them is not there. */
export async function findPeers(root: string, program: string): Promise<Peer[]> {
  const found = await Promise.all([peerCdk, peerSinger, peerDrt].map((part) => findPart(root, part)))
  if (found.includes(undefined)) throw new Error('a peer is not there: npm run fetch:test-parts -- peer')
  const [cdk, singer, drt] = found.map((folder) => join(folder!, 'bin', 'python')) as [string, string, string]
  return [
    {
      name: 'ordinary',
      settings: 'bench/ordinary.mjs: readline, JSON.parse, one fetch of 100 at a time',
      objection: 'a careful author adds retries, and a parser that keeps digits',
      records: SERIAL,
      start: (...job) => piped('airbyte', [process.execPath, here('../ordinary.mjs'), 'write'], ...job),
    },
    {
      name: 'Airbyte CDK',
      settings: `${pinned('cdk', 'airbyte-cdk')}: write() flushes at 100 records and before each STATE`,
      objection: 'a careful author adds retries and threads; neither comes with it',
      records: SERIAL,
      start: (...job) => piped('airbyte', [cdk, here('cdk_destination.py'), 'write'], ...job),
    },
    {
      name: 'Meltano SDK',
      settings: `${pinned('singer', 'singer-sdk')}: BatchSink, max_size 100, one request at a time`,
      objection: 'its sinks may set max_parallelism, which works per stream',
      records: SERIAL,
      start: (...job) => piped('singer', [singer, here('singer_target.py')], ...job),
    },
    {
      name: 'drt',
      settings: `${pinned('drt', 'drt-core')}: SQLite to rest_api, body_mode batch, 100 a request, on_error skip, threads 2`,
      objection: 'it reads tables and no stream, so it sends each row once; on_error skip is that of its template',
      records: { 0: FEW, 50: FEW },
      isSnapshot: true,
      start: (job, url, folder) => runDrt(join(dirname(drt), 'drt'), job, url, folder),
    },
    {
      name: 'this connector',
      settings: 'defaults',
      objection: 'its authors chose the job, the harm and the service',
      records: PARALLEL,
      start: (...job) => piped('airbyte', [process.execPath, program, 'write'], ...job),
    },
  ]
}

/** @returns a package and its version, as it is fetched */
function pinned(part: string, name: string): string {
  const [found] = new RegExp(`^${name}==\\S+`, 'm').exec(readFileSync(here(`requirements-${part}.txt`), 'utf8'))!
  return found.replace('==', ' ')
}

function piped(
  dialect: 'airbyte' | 'singer',
  command: readonly string[],
  ...[job, url, folder, after]: Parameters<Peer['start']>
): Start {
  const [config, catalog] = [join(folder, 'config.json'), join(folder, 'catalog.json')]
  writeFileSync(config, JSON.stringify({ import_url: url, ...CLIENT }))
  writeFileSync(catalog, JSON.stringify(CATALOG))
  const files = ['--config', config, ...(dialect === 'airbyte' ? ['--catalog', catalog] : [])]
  return { command: [...command, ...files], input: linesOf(job, dialect, after) }
}

function runDrt(drt: string, job: Job, url: string, folder: string): Start {
  const [project, database] = [join(folder, 'project'), join(folder, 'rows.sqlite')]
  mkdirSync(join(project, 'syncs'), { recursive: true })
  mkdirSync(join(folder, '.drt'))
  writeFileSync(join(project, 'drt_project.yml'), 'name: peers\nversion: "0.1"\nprofile: local\n')
  writeFileSync(join(folder, '.drt', 'profiles.yml'), `local:\n  type: sqlite\n  database: ${database}\n`)
  for (const [table, key] of Object.entries({ orders: 'id', events: 'n' })) {
    writeTable(database, job, table, key)
    writeFileSync(join(project, 'syncs', `${table}.yml`), syncOf(table, key, url))
  }
  const command = ['sh', '-c', `cd '${project}' && exec '${drt}' run --threads 2 --quiet`]
  return { command, env: { HOME: folder, DRT_NO_TELEMETRY: '1', DO_NOT_TRACK: '1' }, input: '' }
}

function writeTable(file: string, job: Job, table: string, key: string): void {
  using database = new DatabaseSync(file)
  // amount as a text: SQLite has no decimals, and what it would do to them is no fault of the peer's
  database.exec(`CREATE TABLE ${table} (id INTEGER, n INTEGER, amount TEXT, note TEXT, PRIMARY KEY (${key})); BEGIN`)
  const insert = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, '${NOTE}')`)
  for (const { stream, id, n, amount } of job.changes) if (stream === table) insert.run(id, n, amount)
  database.exec('COMMIT')
}

function syncOf(table: string, key: string, url: string): string {
  const row = `{"keys":["${key}"],"id":{{ row.id }},"n":{{ row.n }},"amount":{{ row.amount }},"city":"Torino","note":{{ row.note | tojson_safe }}}`
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
