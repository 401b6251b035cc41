// A STATE line: what it covers, and where its counts go. Never validates or drops what it doesn't know.

import type { Scanner } from '../json/scanner.ts'
import { StateMessage } from './messages.ts'
import type { StatsPlace } from './messages.ts'
import { Members } from './members.ts'
import { DESTINATION_STATS, NAME, NAMESPACE, STREAM, STREAM_DESCRIPTOR, TYPE } from './names.ts'
import type { StreamLookup } from './find-stream.ts'

const NAME_AND_VALUE = '"destinationStats":'
const IN_STATE = [TYPE, STREAM, DESTINATION_STATS]
const IN_STREAM = [STREAM_DESCRIPTOR]
/** Of a stream_descriptor. */
export const IN_DESCRIPTOR = [NAME, NAMESPACE]

/** @param bytes the whole line, valid JSON, one LF behind it; kept by the message
 *  @param from,to its `state` object; an empty range: there is none
 *  A STREAM state covers the stream it names, or nothing if the catalog does not name that one; everything else, and what
 *  cannot be placed, covers all. */
export function readState<S>(
  bytes: Buffer,
  line: number,
  from: number,
  to: number,
  lookup: StreamLookup<S>,
  scanner: Scanner,
): StateMessage<S> {
  if (from === to) return new StateMessage<S>(line, 'all', bytes, { ranges: [], lead: '' })
  const state = new Members(scanner, bytes, from, to, IN_STATE)
  return new StateMessage(line, scopeOf(state, lookup), bytes, statsPlace(state))
}

function scopeOf<S>(state: Members, lookup: StreamLookup<S>): S | 'all' | 'none' {
  if (state.text(TYPE) !== 'STREAM') return 'all'
  const descriptor = state.object(STREAM, IN_STREAM)?.object(STREAM_DESCRIPTOR, IN_DESCRIPTOR)
  const named = descriptor && namedBy(descriptor)
  return named === undefined ? 'all' : (lookup(named.namespace, named.name) ?? 'none')
}

/** Which stream a stream_descriptor (with IN_DESCRIPTOR) names, of the catalog or not; undefined: it is malformed and names none. */
export function namedBy(descriptor: Members): { name: string; namespace: string | undefined } | undefined {
  const name = descriptor.text(NAME)
  const namespace = descriptor.text(NAMESPACE)
  // A namespace of another type names no stream; guessing could let a state out too early.
  if (name === undefined || (namespace === undefined && descriptor.has(NAMESPACE))) return undefined
  return { name, namespace: namespace || undefined }
}

function statsPlace(state: Members): StatsPlace {
  const ranges = state.ranges(DESTINATION_STATS)
  if (ranges.length > 0) return { ranges, lead: '' }
  return { ranges: [state.to - 1, state.to - 1], lead: `${state.isEmpty ? '' : ','}${NAME_AND_VALUE}` }
}
