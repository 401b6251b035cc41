// A STATE line: what it covers, and where its counts go. Never validates or drops what it doesn't know.

import { StateMessage } from './messages.ts'
import type { StatsPlace } from './messages.ts'
import { Members } from './members.ts'
import { DESTINATION_STATS, NAME, NAMESPACE, STATE, STREAM, STREAM_DESCRIPTOR, TYPE } from './names.ts'
import type { StreamLookup } from './stream-memo.ts'

const NAME_AND_VALUE = '"destinationStats":'

/** @param bytes the whole line, valid JSON, nothing around it; kept by the message
 *  A STREAM state of a known stream covers that stream; everything else covers all (assumptions 29). */
export function readState<S>(bytes: Buffer, line: number, lookup: StreamLookup<S>): StateMessage<S> {
  const state = new Members(bytes, 0, bytes.length).object(STATE)
  if (!state) return new StateMessage<S>(line, 'all', bytes, { ranges: [], lead: '' })
  return new StateMessage(line, scopeOf(state, lookup), bytes, statsPlace(state))
}

function scopeOf<S>(state: Members, lookup: StreamLookup<S>): S | 'all' {
  if (state.text(TYPE) !== 'STREAM') return 'all'
  const descriptor = state.object(STREAM)?.object(STREAM_DESCRIPTOR)
  return (descriptor && streamOf(descriptor, lookup)) ?? 'all'
}

/** The stream a stream_descriptor names. */
export function streamOf<S>(descriptor: Members, lookup: StreamLookup<S>): S | undefined {
  const name = descriptor.text(NAME)
  return name === undefined ? undefined : lookup(descriptor.text(NAMESPACE) || undefined, name)
}

function statsPlace(state: Members): StatsPlace {
  const ranges = state.ranges(DESTINATION_STATS)
  if (ranges.length > 0) return { ranges, lead: '' }
  return { ranges: [state.to - 1, state.to - 1], lead: `${state.count === 0 ? '' : ','}${NAME_AND_VALUE}` }
}
