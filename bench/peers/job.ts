// The one job of all peers, in the words of each: orders, of which newer versions replace older ones, and events, of which each
// is a row. Deterministic. Knows no peer's command.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** @param changes how many @param isDamageable half of them are events, and orders come in several versions */
export function makeJob(changes: number, isDamageable: boolean): Job {
  const ids = isDamageable ? Math.ceil(changes / 6) : changes
  return {
    every: isDamageable ? 500 : 10_000,
    changes: Array.from({ length: changes }, (_, at) => {
      const n = at + 1
      const stream = isDamageable && n % 2 === 0 ? 'events' : 'orders'
      const id = stream === 'events' ? n : ((n * 7919) % ids) + 1
      return { stream, id, n, amount: `${10n ** 16n + BigInt(n)}.${(n % 9) + 1}` }
    }),
  }
}

/** The records behind a checkpoint as lines of JSON, with the checkpoints among them. */
export function linesOf({ changes, every }: Job, dialect: 'airbyte' | 'singer', after: number): string {
  const lines = dialect === 'singer' ? ['orders', 'events'].map(schemaLine) : []
  for (const change of changes.slice(after)) {
    lines.push(dialect === 'airbyte' ? airbyteLine(change) : singerLine(change))
    if (change.n % every === 0 || change.n === changes.length)
      lines.push(dialect === 'airbyte' ? airbyteState(change.n) : `{"type":"STATE","value":{"position":${change.n}}}`)
  }
  return `${lines.join('\n')}\n`
}

/** How far a line that a program printed says that everything is stored; `undefined` when it is no checkpoint. */
export function positionOf(line: string): number | undefined {
  const found = line.includes('LOG') ? null : /"position": ?(\d+)/.exec(line)
  return found === null ? undefined : Number(found[1])
}

export function writeCatalog(folder: string): string {
  const streams = ['orders', 'events'].map((name) => ({
    stream: {
      name,
      json_schema: { type: 'object', properties: {} },
      supported_sync_modes: ['full_refresh', 'incremental'],
    },
    sync_mode: 'incremental',
    destination_sync_mode: name === 'orders' ? 'append_dedup' : 'append',
    cursor_field: ['n'],
    primary_key: name === 'orders' ? [['id']] : [],
  }))
  const file = join(folder, 'catalog.json')
  writeFileSync(file, JSON.stringify({ streams }))
  return file
}

function dataOf({ id, n, amount }: Change): string {
  return `{"id":${id},"n":${n},"amount":${amount},"city":"Torino","note":"${'the same text in each row '.repeat(4)}"}`
}

function airbyteLine(change: Change): string {
  const { stream, n } = change
  return `{"type":"RECORD","record":{"stream":"${stream}","data":${dataOf(change)},"emitted_at":${1_767_225_600_000 + n}}}`
}

function airbyteState(n: number): string {
  const streams = ['orders', 'events'].map(
    (name) => `{"stream_descriptor":{"name":"${name}"},"stream_state":{"position":${n}}}`,
  )
  const global = `{"shared_state":{"position":${n}},"stream_states":[${streams.join()}]}`
  return `{"type":"STATE","state":{"type":"GLOBAL","global":${global}}}`
}

function singerLine(change: Change): string {
  return `{"type":"RECORD","stream":"${change.stream}","record":${dataOf(change)}}`
}

function schemaLine(stream: string): string {
  const properties = {
    id: { type: 'integer' },
    n: { type: 'integer' },
    amount: { type: 'number' },
    city: { type: 'string' },
    note: { type: 'string' },
  }
  const key_properties = stream === 'orders' ? ['id'] : []
  return JSON.stringify({ type: 'SCHEMA', stream, schema: { type: 'object', properties }, key_properties })
}
