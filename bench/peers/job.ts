// The one job of all peers, in the words of each: orders, of which newer versions replace older ones, and events, of which each
// is a row. Deterministic. Knows no peer's command.

export interface Change {
  readonly stream: 'orders' | 'events'
  readonly id: number
  /** Its place in the job, from 1: a later change of an id is a newer version. */
  readonly n: number
  /** As it is to be stored: 17 digits and a fraction, which no double holds. */
  readonly amount: string
}

export interface Job {
  readonly changes: readonly Change[]
  /** A checkpoint follows each so many changes. */
  readonly every: number
}

export const NOTE = 'the same text in each row '.repeat(4)
const STREAMS = ['orders', 'events'] as const

/** @param orders `unique` for speed; in several versions each for damage, `half` with as many events or `all` */
export function makeJob(changes: number, orders: 'unique' | 'half' | 'all'): Job {
  const ids = orders === 'unique' ? changes : Math.ceil(changes / 6)
  const change = (n: number): Change => {
    const stream = orders === 'half' && n % 2 === 0 ? 'events' : 'orders'
    const id = stream === 'events' ? n : ((n * 7919) % ids) + 1
    return { stream, id, n, amount: `${10n ** 16n + BigInt(n)}.${(n % 9) + 1}` }
  }
  const every = orders === 'unique' ? 10_000 : 500
  return { every, changes: Array.from({ length: changes }, (_, at) => change(at + 1)) }
}

/** The records behind a checkpoint as lines of JSON, with the checkpoints among them. */
export function linesOf({ changes, every }: Job, dialect: 'airbyte' | 'singer', after: number): string {
  const lines = dialect === 'singer' ? STREAMS.map(schemaLine) : []
  for (const change of changes.slice(after)) {
    const { stream, n } = change
    const rest = dialect === 'singer' ? `"stream":"${stream}","record":` : `"record":{"stream":"${stream}","data":`
    const end = dialect === 'singer' ? '}' : `,"emitted_at":${1_767_225_600_000 + n}}}`
    lines.push(`{"type":"RECORD",${rest}${dataOf(change)}${end}`)
    if (n % every !== 0 && n !== changes.length) continue
    lines.push(dialect === 'singer' ? `{"type":"STATE","value":{"position":${n}}}` : airbyteState(n))
  }
  return `${lines.join('\n')}\n`
}

/** How far a line that a program printed says that everything is stored; `undefined` when it is no checkpoint. */
export function positionOf(line: string): number | undefined {
  const found = line.includes('LOG') ? null : /"position": ?(\d+)/.exec(line)
  return found === null ? undefined : Number(found[1])
}

export const CATALOG = {
  streams: STREAMS.map((name) => ({
    stream: { name, json_schema: { type: 'object', properties: {} }, supported_sync_modes: ['incremental'] },
    sync_mode: 'incremental',
    destination_sync_mode: name === 'orders' ? 'append_dedup' : 'append',
    cursor_field: ['n'],
    primary_key: name === 'orders' ? [['id']] : [],
  })),
}

export function dataOf({ id, n, amount }: Change): string {
  return `{"id":${id},"n":${n},"amount":${amount},"city":"Torino","note":"${NOTE}"}`
}

function airbyteState(n: number): string {
  const streams = STREAMS.map((name) => `{"stream_descriptor":{"name":"${name}"},"stream_state":{"position":${n}}}`)
  const global = `{"shared_state":{"position":${n}},"stream_states":[${streams.join()}]}`
  return `{"type":"STATE","state":{"type":"GLOBAL","global":${global}}}`
}

function schemaLine(stream: string): string {
  const types = { id: 'integer', n: 'integer', amount: 'number', city: 'string', note: 'string' }
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]))
  const key_properties = stream === 'orders' ? ['id'] : []
  return JSON.stringify({ type: 'SCHEMA', stream, schema: { type: 'object', properties }, key_properties })
}
