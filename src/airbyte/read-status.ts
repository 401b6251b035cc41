// A TRACE: the STREAM_STATUS of a known stream is a message, everything else none. Never an error.

import type { Scanner } from '../json/scanner.ts'
import { Members } from './members.ts'
import type { StatusMessage } from './messages.ts'
import { STATUS, STREAM_DESCRIPTOR, STREAM_STATUS, TYPE } from './names.ts'
import { IN_DESCRIPTOR, namedBy } from './read-state.ts'
import type { StreamLookup } from './find-stream.ts'

const IN_TRACE = [TYPE, STREAM_STATUS]
const IN_REPORT = [STREAM_DESCRIPTOR, STATUS]

/** The `trace` object at bytes[from, to), valid JSON already; an empty range: there is none. */
export function readStatus<S>(
  bytes: Buffer,
  line: number,
  from: number,
  to: number,
  lookup: StreamLookup<S>,
  scanner: Scanner,
): StatusMessage<S> | undefined {
  if (from === to) return undefined
  const trace = new Members(scanner, bytes, from, to, IN_TRACE)
  if (trace.text(TYPE) !== 'STREAM_STATUS') return undefined
  const report = trace.object(STREAM_STATUS, IN_REPORT)
  const descriptor = report?.object(STREAM_DESCRIPTOR, IN_DESCRIPTOR)
  const named = descriptor && namedBy(descriptor)
  const stream = named && lookup(named.namespace, named.name)
  const status = report?.text(STATUS)
  return stream === undefined || status === undefined ? undefined : { kind: 'status', line, stream, status }
}
