// Maps all streams of a catalog: each by itself (map-stream.ts), and without two in one table. What cannot be stored is said all at
// once: in one error (`mapStreams`), or stream by stream, for `plan` (`mapEachStream`, then `refusalsOf`).

import type { Code } from '../core/codes.ts'
import type { TablesConfig } from '../config/write/write-load.ts'
import { ConnectorError } from '../core/errors.ts'
import { mapStream } from './map-stream.ts'
import { label, type CatalogStream, type StreamMapping } from './stream-mapping.ts'
import { placeStreams } from './table-places.ts'

/** How a stream is stored, or everything that keeps it from that. */
interface Mapped {
  readonly facts: CatalogStream
  readonly table: string
  readonly mapping: StreamMapping | undefined
  /** Why it cannot be stored, every reason. `undefined` when it can, and there is a mapping. */
  readonly refused: string | undefined
  /** Sentences about it alone, each with what to do. */
  readonly problems: readonly string[]
  /** A sentence about all streams of its table, if that is a reason. */
  readonly clash: string | undefined
}

/** Changes that are to be made, said once. */
export interface Refusal {
  /** A whole sentence, or several. */
  readonly text: string
  readonly code: Extract<Code, 'catalog.stream-refused' | 'catalog.tables-meet' | 'stream.records-refused'>
  /** The streams that are refused for it. */
  readonly streams: readonly CatalogStream[]
}

/** Faults named in one message, because platforms may cut it; `plan` shows all. */
const NAMED = 20

/** Maps each stream by itself, then finds those that would share a table. Keeps the catalog's order. Never throws.
 *  See decisions.md#rows-tables-and-names. */
export function mapEachStream(streams: readonly CatalogStream[], options: TablesConfig): Mapped[] {
  const places = placeStreams(streams, options)
  return streams.map((facts, index) => {
    const { table, clash } = places[index]!
    const { mapping, problems } = mapStream(facts, options, places[index]!)
    const reasons = clash === undefined ? problems : [clash, ...problems]
    const stored = { facts, table, clash, problems, refused: undefined, mapping }
    return reasons.length === 0 ? stored : { ...stored, refused: together(reasons), mapping: undefined }
  })
}

function together(reasons: readonly string[]): string {
  return reasons.join(' And ')
}

/** Refusals in the catalog's order, each once. */
export function refusalsOf(mapped: readonly Mapped[]): Refusal[] {
  const refusals: Refusal[] = []
  const clashes = new Map<string, CatalogStream[]>()
  for (const { facts, problems, clash } of mapped) {
    const known = clash === undefined ? undefined : clashes.get(clash)
    if (clash !== undefined && known === undefined) {
      const streams = [facts]
      clashes.set(clash, streams)
      refusals.push({ text: clash, code: 'catalog.tables-meet', streams })
    }
    known?.push(facts)
    if (problems.length === 0) continue
    const text = `Stream ${label(facts)}: ${together(problems)}`
    refusals.push({ text, code: 'catalog.stream-refused', streams: [facts] })
  }
  return refusals
}

/** @returns one mapping per stream, in the catalog's order
 *  @throws ConnectorError config that names everything that keeps a stream from being stored */
export function mapStreams(streams: readonly CatalogStream[], options: TablesConfig): StreamMapping[] {
  const mapped = mapEachStream(streams, options)
  const refused = refusalsOf(mapped)
  if (refused.length > 0) throw refusal(refused)
  return mapped.map(({ mapping }) => mapping!)
}

function refusal(refused: readonly Refusal[]): ConnectorError {
  const problems = refused.slice(0, NAMED).map(({ text }) => text)
  const more = refused.length > NAMED ? ` And ${refused.length - NAMED} more: plan names them all.` : ''
  const [only, ...others] = new Set(refused.flatMap(({ streams }) => streams))
  const message = `The catalog cannot be written as it is. ${problems.join(' ')}${more}`
  const place = others.length === 0 ? { track: { name: only!.name, namespace: only!.namespace } } : {}
  return new ConnectorError('config', refused[0]!.code, message, place)
}
