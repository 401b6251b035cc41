// `serve --data FILE` as a process: what it has acknowledged outlasts kill -9 under load, and nobody else's file is touched.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { run, start, workFolder } from '../connector.ts'
import { NODE_26, needNode26 } from '../tools/test-parts/need-node26.ts'

const ROUNDS = 6
const WORKERS = 12
/** Points that are always upserted together. */
const GROUP = 5

interface Serving extends AsyncDisposable {
  readonly url: string
  readonly greeting: string
  /** Answers what it said on standard error. */
  end(signal: NodeJS.Signals): Promise<string>
}

async function serving(args: readonly string[], node?: string): Promise<Serving> {
  const child: ChildProcess = start(['serve', '--port', '0', ...args], node === undefined ? {} : { node })
  let [greeting, stderr] = ['', '']
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const closed = once(child, 'close')
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      greeting += chunk.toString()
      if (greeting.includes('Ctrl+C')) resolve()
    })
    child.on('close', () => reject(new Error(`serve has ended: ${stderr}`)))
  })
  const end = async (signal: NodeJS.Signals): Promise<string> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await closed
    return stderr
  }
  const [, url] = /"import_url":"([^"]*)"/.exec(greeting)!
  return { url: url!, greeting, end, [Symbol.asyncDispose]: async () => void (await end('SIGKILL')) }
}

/** The answer's status; throws when there is none. */
async function upsert(url: string, body: string, table = 'orders'): Promise<number> {
  const answer = await fetch(`${url}/v2/client/7/table/${table}/data?apikey=demo-key`, { method: 'POST', body })
  await answer.arrayBuffer()
  return answer.status
}

async function rows(url: string, table = 'orders'): Promise<string[]> {
  const text = await (await fetch(`${url}/_local/tables/${table}?client_id=7`)).text()
  return text === '[]\n' ? [] : text.slice(1, -2).split(',\n')
}

function text(group: string, index: number, version: number): string {
  return `{"keys":["id"],"id":"${group}/${index}", "version":${version},"big":12345678901234567890,"p":1.10}`
}

function groupOf(group: string, version: number): string {
  return `[${Array.from({ length: GROUP }, (_, index) => text(group, index, version)).join()}]`
}

/** group → version */
interface Model {
  readonly acknowledged: Map<string, number>
  readonly underWay: Map<string, number>
}

/** Upserts new groups and replaces its own, those of earlier rounds too, until there is no answer any more. */
async function work(url: string, worker: string, model: Model, random: () => number): Promise<void> {
  const mine = [...model.acknowledged.keys()].filter((group) => group.startsWith(worker))
  for (;;) {
    const old = mine.length > 0 && random() < 0.5 ? mine[Math.floor(random() * mine.length)] : undefined
    const group = old ?? `${worker}${mine.length}`
    const version = (model.acknowledged.get(group) ?? 0) + 1
    model.underWay.set(group, version)
    const status = await upsert(url, groupOf(group, version)).catch(() => undefined)
    if (status === undefined) return
    expect(status).toBe(old === undefined ? 201 : 200)
    model.acknowledged.set(group, version)
    model.underWay.delete(group)
    if (old === undefined) mine.push(group)
  }
}

function seeded(seed: number): () => number {
  let state = Math.imul(seed, 2654435761)
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

it(`has all it acknowledged after each of ${ROUNDS} kills under load`, async () => {
  await using folder = await workFolder()
  const data = `${folder.path}/x.db`
  const model: Model = { acknowledged: new Map(), underWay: new Map() }
  const rounds: object[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    await using service = await serving(['--data', data])
    const random = seeded(round)
    const workers = Array.from({ length: WORKERS }, (_, worker) =>
      work(service.url, `worker ${worker}, group `, model, seeded(round * 100 + worker)),
    )
    const goal = model.acknowledged.size + 20 + random() * 400
    while (model.acknowledged.size < goal) await new Promise((resolve) => setTimeout(resolve, random() * 20))
    expect(await service.end('SIGKILL')).toBe('')
    await Promise.all(workers)
    rounds.push({ round, acknowledged: model.acknowledged.size, underWay: model.underWay.size })
    expect(model.underWay.size).toBeGreaterThan(0)
    await check(data, model)
  }
  console.table(rounds)
}, 360_000)

/** A service of its own looks at what is there; what was under way is there whole or not at all. */
async function check(data: string, model: Model): Promise<void> {
  await using service = await serving(['--data', data])
  const found = await rows(service.url)
  const byId = new Map(found.map((row) => [(JSON.parse(row) as { id: string }).id, row]))
  expect(byId.size).toBe(found.length)
  for (const [group, version] of model.underWay) {
    if (byId.get(`${group}/0`) === text(group, 0, version)) model.acknowledged.set(group, version)
  }
  model.underWay.clear()
  const expected = [...model.acknowledged].flatMap(([group, version]) =>
    Array.from({ length: GROUP }, (_, index) => text(group, index, version)),
  )
  expect(found.toSorted()).toEqual(expected.toSorted())
  const [known] = model.acknowledged.keys()
  expect(await upsert(service.url, groupOf(known!, model.acknowledged.get(known!)!))).toBe(200)
  expect(await upsert(service.url, `{"keys":["id"],"id":"new ${model.acknowledged.size}"}`, 'others')).toBe(201)
  expect(await rows(service.url)).toEqual(found)
  expect(await service.end('SIGKILL')).toBe('')
}

it('leaves one file that other programs read, and Node 26 serves', async (context) => {
  needNode26(context)
  await using folder = await workFolder()
  const data = `${folder.path}/x.db`
  const points = ['{"keys":["id"],"id":1,"item":"lämp"}', '{"keys":["id"],"id":2,"item":"desk","price":1.10}']
  for (const [index, node] of [process.execPath, NODE_26].entries()) {
    await using service = await serving(['--data', data], node)
    expect(service.greeting).toContain(`Rows are kept in ${data}.`)
    expect(await upsert(service.url, points[index]!)).toBe(201)
    expect(await rows(service.url)).toEqual(points.slice(0, index + 1))
    using reader = new DatabaseSync(data, { readOnly: true })
    expect(reader.prepare('SELECT id, item FROM orders ORDER BY id DESC').get()).toMatchObject({ id: index + 1 })
    reader.close()
    expect(await service.end('SIGTERM')).toBe('')
    expect(await readdir(folder.path)).toEqual(['x.db'])
  }
})

it('refuses a file that is in use, not its own, or not to be written, in one line', async () => {
  await using folder = await workFolder()
  const data = `${folder.path}/x.db`
  await using service = await serving(['--data', data])
  const text = await folder.file('notes.txt', 'not a database')
  const other = `${folder.path}/other.db`
  new DatabaseSync(other).exec('CREATE TABLE t (a)')
  const before = await Promise.all([text, other].map((file) => readFile(file)))
  for (const [file, message] of [
    [data, 'another serve is using it'],
    [text, 'not a data file of the local service'],
    [other, 'not a data file of the local service'],
    [folder.path, 'it is a folder'],
    ['/proc/version', ''],
    [`${folder.path}/none/x.db`, 'there is no such folder'],
  ] as const) {
    const refused = await run(['serve', '--port', '0', '--data', file])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^serve: The data file .* cannot be used: .*\.\n$/)
    expect(refused.stderr).toContain(message)
  }
  expect(await Promise.all([text, other].map((file) => readFile(file)))).toEqual(before)
  expect(await upsert(service.url, '{"keys":["id"],"id":1}')).toBe(201)
})
