// STATE and TRACE lines, which are rare beside records and read member by member: what a STATE covers and where its counts go,
// and the STREAM_STATUS of a stream. What it does not know is neither validated nor dropped.

import { isName } from '../json/name.ts'
import type { Name } from '../json/name.ts'
import type { Scanner } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import {
  DESTINATION_STATS,
  NAME,
  NAMESPACE,
  STREAM,
  STREAM_DESCRIPTOR,
  TYPE,
  STATUS,
  STREAM_STATUS,
} from './envelope.ts'
import type { StreamLookup } from './find-stream.ts'
import { StateMessage } from './messages.ts'
import type { StatsPlace, StatusMessage } from './messages.ts'

const NAME_AND_VALUE = '"destinationStats":'
const IN_STATE = [TYPE, STREAM, DESTINATION_STATS]
const IN_STREAM = [STREAM_DESCRIPTOR]
/** Of a stream_descriptor. */
const IN_DESCRIPTOR = [NAME, NAMESPACE]

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
  const named = namedIn(state.object(STREAM, IN_STREAM))
  return named === undefined ? 'all' : (lookup(named.namespace, named.name) ?? 'none')
}

/** Which stream the stream_descriptor of an object names, of the catalog or not; undefined: there is none, or it is malformed and
 *  names none. */
function namedIn(object: Members | undefined): { name: string; namespace: string | undefined } | undefined {
  const descriptor = object?.object(STREAM_DESCRIPTOR, IN_DESCRIPTOR)
  if (descriptor === undefined) return undefined
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

const QUOTE = 0x22
const BRACE = 0x7b
/** The first byte of null. */
const N = 0x6e
/** Values kept of equal members, the last one among them: a line may consist of nothing else. */
const MOST_EQUAL = 1024

/** The object at bytes[from, to), which is valid JSON already, and what it has of some names: its other members, of which
 *  there may be millions, take no memory. The last of several members of one name counts; null is absent. */
export class Members {
  readonly #bytes: Buffer
  readonly #scanner: Scanner
  readonly #names: readonly Name[]
  /** Of each name's values: from, to pairs. */
  readonly #found: readonly number[][]
  readonly isEmpty: boolean
  /** Behind the object's closing brace. */
  readonly to: number

  /** @param names that will be asked for */
  constructor(scanner: Scanner, bytes: Buffer, from: number, to: number, names: readonly Name[]) {
    this.#bytes = bytes
    this.#scanner = scanner
    this.#names = names
    this.#found = names.map(() => [])
    scanner.start(bytes, from, to)
    let more = scanner.open()
    this.isEmpty = !more
    for (; more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      for (let index = 0; index < names.length; index++)
        if (isName(bytes, nameFrom, nameTo, names[index]!)) note(this.#found[index]!, at, scanner.at)
    }
    this.to = scanner.at
  }

  /** Is there such a member, and it is not null? */
  has(name: Name): boolean {
    const [from] = this.#last(name)
    return from >= 0 && this.#bytes[from] !== N
  }

  /** The text of a member that is a string. */
  text(name: Name): string | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === QUOTE ? decodeString(this.#bytes, from + 1, to - 1) : undefined
  }

  /** A member that is an object, and what it has of `names`. */
  object(name: Name, names: readonly Name[]): Members | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === BRACE ? new Members(this.#scanner, this.#bytes, from, to, names) : undefined
  }

  /** The values of every member of that name: from, to pairs. Of more than 1,024 the first ones, and the last. */
  ranges(name: Name): readonly number[] {
    return this.#found[this.#names.findIndex(({ text }) => text === name.text)] ?? []
  }

  #last(name: Name): readonly [number, number] {
    const found = this.ranges(name)
    return [found.at(-2) ?? -1, found.at(-1) ?? -1]
  }
}

function note(found: number[], from: number, to: number): void {
  if (found.length === 2 * MOST_EQUAL) found.length -= 2
  found.push(from, to)
}

const IN_TRACE = [TYPE, STREAM_STATUS]
const IN_REPORT = [STREAM_DESCRIPTOR, STATUS]

/** A TRACE: the STREAM_STATUS of a known stream is a message, everything else none. Never an error.
 *  The `trace` object at bytes[from, to), valid JSON already; an empty range: there is none. */
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
  const named = namedIn(report)
  const stream = named && lookup(named.namespace, named.name)
  const status = report?.text(STATUS)
  return stream === undefined || status === undefined ? undefined : { kind: 'status', line, stream, status }
}
