// What is right: what becomes of a line, by JSON.parse of its bytes (decisions.md#reading-airbyte-messages). Uses
// nothing of the connector.

import { afterSpace, membersOf, type Member, type Range } from './locate.ts'
import { streamOf, type WorldStream } from './world.ts'

/** Why a line stops the run, with what an error has to say of it. */
export const FAULTS = {
  'not UTF-8': 'is not valid UTF-8',
  'not JSON': 'is not JSON',
  'no object': 'it is not a JSON object',
  'no type': 'has no string "type"',
  'no record': 'without a "record"',
  'no stream': 'without a string "stream"',
  'no data': 'without a "data"',
  'odd namespace': '"namespace"',
  'unknown stream': 'which the catalog does not name',
}

export type Fault = keyof typeof FAULTS

/** Ranges are places in `text`, the line in latin1. */
export interface RightRecord {
  readonly kind: 'record'
  readonly stream: WorldStream
  readonly text: string
  readonly data: Range
  /** Empty: null or none. */
  readonly emitted: Range
  /** Empty: no object. */
  readonly meta: Range
  /** Its data is not UTF-8. */
  readonly isBroken: boolean
}

export interface RightState {
  readonly kind: 'state'
  /** none: of a stream that the catalog does not name. */
  readonly scope: WorldStream | 'all' | 'none'
  /** The line it is printed as, line feed included. */
  withStats(written: number, rejected: number): Buffer
}

export type Verdict =
  | RightRecord
  | RightState
  | { readonly kind: 'status'; readonly stream: WorldStream; readonly status: string }
  | { readonly kind: 'ignored' | 'blank' }
  | { readonly kind: 'fault'; readonly fault: Fault }

type Members = Readonly<Record<string, unknown>>

const NONE: Range = { from: 0, to: 0 }

/** @param line without line feed and byte order mark */
export function verdictOf(line: Buffer): Verdict {
  const text = line.toString()
  if (!isText(line)) return brokenOf(text, line.toString('latin1'))
  if (/^[ \t\r]*$/.test(text)) return { kind: 'blank' }
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { kind: 'fault', fault: 'not JSON' }
  }
  if (!isObject(message)) return { kind: 'fault', fault: 'no object' }
  if (typeof message['type'] !== 'string') return { kind: 'fault', fault: 'no type' }
  if (message['type'] === 'RECORD') return recordOf(message['record'], line.toString('latin1'))
  if (message['type'] === 'STATE') return stateOf(message['state'], line.toString('latin1'))
  if (message['type'] === 'TRACE') return statusOf(message['trace'])
  return { kind: 'ignored' }
}

/** A record is rejected where nothing but its data is broken, like any record that has no row; all else stops the run.
 *  @param shown its text, with U+FFFD for what is none */
function brokenOf(shown: string, text: string): Verdict {
  try {
    const message: unknown = JSON.parse(shown)
    if (isObject(message) && message['type'] === 'RECORD' && isObject(message['record'])) {
      const verdict = recordOf(message['record'], text)
      const { from, to } = last(recordMembers(text), 'data')
      const around = [text.slice(0, from), text.slice(to)].map((part) => Buffer.from(part, 'latin1'))
      const isOne = verdict.kind === 'record' || (verdict.kind === 'fault' && verdict.fault === 'unknown stream')
      if (isOne && around.every((part) => isText(part)))
        return 'stream' in verdict ? { ...verdict, isBroken: true } : verdict
    }
  } catch {}
  return { kind: 'fault', fault: 'not UTF-8' }
}

function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes)
}

function recordMembers(text: string): readonly Member[] {
  return membersOf(text, last(membersOf(text, afterSpace(text, 0)), 'record').from)
}

function recordOf(record: unknown, text: string): Verdict {
  if (!isObject(record)) return { kind: 'fault', fault: 'no record' }
  const { stream: name, namespace, data, meta, emitted_at: emitted } = record
  if (typeof name !== 'string') return { kind: 'fault', fault: 'no stream' }
  if (!isObject(data)) return { kind: 'fault', fault: 'no data' }
  if (!isOptionalText(namespace)) return { kind: 'fault', fault: 'odd namespace' }
  const stream = streamOf(namespace || undefined, name)
  if (stream === undefined) return { kind: 'fault', fault: 'unknown stream' }
  const members = recordMembers(text)
  return {
    kind: 'record',
    isBroken: false,
    stream,
    text,
    data: last(members, 'data'),
    emitted: emitted === undefined || emitted === null ? NONE : last(members, 'emitted_at'),
    meta: isObject(meta) ? last(members, 'meta') : NONE,
  }
}

function stateOf(state: unknown, text: string): RightState {
  const line = Buffer.from(`${text.replace(/\r+$/, '')}\n`, 'latin1')
  if (!isObject(state)) return { kind: 'state', scope: 'all', withStats: () => line }
  const place = last(membersOf(text, afterSpace(text, 0)), 'state')
  const members = membersOf(text, place.from)
  const old = members.filter(({ name }) => name === 'destinationStats')
  return {
    kind: 'state',
    scope: scopeOf(state),
    withStats(written, rejected) {
      const stats = `{"recordCount":${written}.0,"rejectedRecordCount":${rejected}.0}`
      const inserted = `${members.length === 0 ? '' : ','}"destinationStats":${stats}`
      if (old.length === 0) return spliced(line, [{ from: place.to - 1, to: place.to - 1 }], inserted)
      return spliced(line, old, stats)
    },
  }
}

function scopeOf(state: Members): WorldStream | 'all' | 'none' {
  const stream = state['type'] === 'STREAM' && isObject(state['stream']) ? state['stream'] : {}
  const named = described(stream['stream_descriptor'])
  return named ? (streamOf(named.namespace, named.name) ?? 'none') : 'all'
}

function statusOf(trace: unknown): Verdict {
  const report = isObject(trace) && trace['type'] === 'STREAM_STATUS' ? trace['stream_status'] : undefined
  if (!isObject(report) || typeof report['status'] !== 'string') return { kind: 'ignored' }
  const named = described(report['stream_descriptor'])
  const stream = named && streamOf(named.namespace, named.name)
  return stream ? { kind: 'status', stream, status: report['status'] } : { kind: 'ignored' }
}

/** The stream a descriptor names, of the catalog or not; undefined: none, for it is malformed. */
function described(descriptor: unknown): { name: string; namespace: string | undefined } | undefined {
  if (!isObject(descriptor)) return undefined
  const { name, namespace } = descriptor
  return typeof name === 'string' && isOptionalText(namespace) ? { name, namespace: namespace || undefined } : undefined
}

function last(members: readonly Member[], name: string): Member {
  return members.findLast((member) => member.name === name)!
}

function spliced(line: Buffer, ranges: readonly Range[], text: string): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const { from, to } of ranges) {
    parts.push(line.subarray(at, from), Buffer.from(text))
    at = to
  }
  return Buffer.concat([...parts, line.subarray(at)])
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string'
}
