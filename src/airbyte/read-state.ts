// Reads STATE and TRACE lines, which are rare, member by member: what a STATE covers and where its counts go, and the STREAM_STATUS
// of a stream. Unknown members are neither validated nor dropped.

import { BRACE, N, QUOTE } from '../json/bytes.ts'
import { isName, nameOf, type Name } from '../json/name.ts'
import { ABSENT } from '../json/record-data.ts'
import type { Scanner } from '../json/scanner.ts'
import { decodeString } from '../json/strings.ts'
import type { StreamLookup } from './find-stream.ts'
import { NAMESPACE, STREAM, TYPE } from './member-names.ts'
import { StateMessage, type StatsPlace, type StatusMessage } from './messages.ts'

const NAME = nameOf('name')
const STREAM_DESCRIPTOR = nameOf('stream_descriptor')
const STREAM_STATUS = nameOf('stream_status')
const STATUS = nameOf('status')
const DESTINATION_STATS = nameOf('destinationStats')
const NAME_AND_VALUE = '"destinationStats":'
/** The members that are asked for: of a state, of its `stream`, of a stream_descriptor; of a trace, of its stream_status. */
const IN_STATE = [TYPE, STREAM, DESTINATION_STATS]
const IN_STREAM = [STREAM_DESCRIPTOR]
const IN_DESCRIPTOR = [NAME, NAMESPACE]
const IN_TRACE = [TYPE, STREAM_STATUS]
const IN_REPORT = [STREAM_DESCRIPTOR, STATUS]

/** The `state` or `trace` object of a line: bytes[from, to), valid JSON; an empty range if there is none. */
interface LinePart<S> {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly line: number
  readonly lookup: StreamLookup<S>
  /** Used until the part is read. */
  readonly scanner: Scanner
}

/** Reads a STATE. A STREAM state covers the stream that it names. If that is not in the catalog, it waits for every record before it and
 *  counts none, because a runner may have renamed the stream. Everything else, and what is not understood, covers all streams.
 *  `bytes` must be the line alone, ended by one LF; the message keeps them. */
export function readState<S>({ bytes, from, to, line, lookup, scanner }: LinePart<S>): StateMessage<S> {
  if (from === to) return new StateMessage<S>(line, 'all', bytes, { ranges: [], lead: '' })
  const state = new Members(scanner, bytes, from, to, IN_STATE)
  const named = state.text(TYPE) === 'STREAM' ? describedIn(state.object(STREAM, IN_STREAM)) : undefined
  const scope = named === undefined ? 'all' : (lookup(named.namespace, named.name) ?? 'none')
  return new StateMessage(line, scope, bytes, statsPlace(state), scope === 'none' ? named!.name : undefined)
}

/** The stream that the stream_descriptor of an object names, in the catalog or not. `undefined` when that is missing or malformed. */
function describedIn(object: Members | undefined): { name: string; namespace: string | undefined } | undefined {
  const descriptor = object?.object(STREAM_DESCRIPTOR, IN_DESCRIPTOR)
  if (descriptor === undefined) return undefined
  const name = descriptor.text(NAME)
  const namespace = descriptor.text(NAMESPACE)
  // A namespace of another type names no stream; guessing could let a state out too early.
  if (name === undefined || (namespace === undefined && descriptor.has(NAMESPACE))) return undefined
  return { name, namespace: namespace || undefined }
}

/** The place for `destinationStats`: that of each there is, else at the end of the state object. */
function statsPlace(state: Members): StatsPlace {
  const ranges = state.ranges(DESTINATION_STATS)
  if (ranges.length > 0) return { ranges, lead: '' }
  return { ranges: [state.to - 1, state.to - 1], lead: `${state.isEmpty ? '' : ','}${NAME_AND_VALUE}` }
}

/** Most values kept of one name: a line may hold nothing but members of that name. */
const MOST_VALUES = 1024

/** Some members of the object at bytes[from, to), which must be valid JSON. Other members take no memory, though there may be
 *  millions. If a name occurs several times, its last value counts; null counts as absent. */
export class Members {
  readonly #bytes: Buffer
  readonly #scanner: Scanner
  readonly #names: readonly Name[]
  /** For each of `#names`, pairs of from and to: the values of its members, in order. */
  readonly #values: readonly number[][]
  readonly isEmpty: boolean
  /** Behind the object's closing brace. */
  readonly to: number

  /** @param names the members that will be asked for */
  constructor(scanner: Scanner, bytes: Buffer, from: number, to: number, names: readonly Name[]) {
    this.#bytes = bytes
    this.#scanner = scanner
    this.#names = names
    this.#values = names.map(() => [])
    scanner.start(bytes, from, to)
    let more = scanner.open()
    this.isEmpty = !more
    for (; more; more = scanner.next()) {
      const { at, nameFrom, nameTo } = scanner
      scanner.skip()
      for (let index = 0; index < names.length; index++)
        if (isName(bytes, nameFrom, nameTo, names[index]!)) note(this.#values[index]!, at, scanner.at)
    }
    this.to = scanner.at
  }

  /** Whether there is such a member that is not null. */
  has(name: Name): boolean {
    const [from] = this.#last(name)
    return from !== ABSENT && this.#bytes[from] !== N
  }

  /** The value of a member. `undefined` when it is no string. */
  text(name: Name): string | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === QUOTE ? decodeString(this.#bytes, from + 1, to - 1) : undefined
  }

  /** The value of a member, of which `names` will be asked for. `undefined` when it is no object. */
  object(name: Name, names: readonly Name[]): Members | undefined {
    const [from, to] = this.#last(name)
    return this.#bytes[from] === BRACE ? new Members(this.#scanner, this.#bytes, from, to, names) : undefined
  }

  /** The values of all members of that name, as pairs of from and to. If there are more than 1,024: the first ones and the last. */
  ranges(name: Name): readonly number[] {
    return this.#values[this.#names.findIndex(({ text }) => text === name.text)] ?? []
  }

  /** The place of the last value; ABSENT, where no byte is, for from and to when there is none. */
  #last(name: Name): readonly [number, number] {
    const values = this.ranges(name)
    return [values.at(-2) ?? ABSENT, values.at(-1) ?? ABSENT]
  }
}

function note(values: number[], from: number, to: number): void {
  if (values.length === 2 * MOST_VALUES) values.length -= 2
  values.push(from, to)
}

/** Reads a TRACE. Only the STREAM_STATUS of a known stream is a message; nothing is an error. */
export function readStatus<S>({ bytes, from, to, line, lookup, scanner }: LinePart<S>): StatusMessage<S> | undefined {
  if (from === to) return undefined
  const trace = new Members(scanner, bytes, from, to, IN_TRACE)
  if (trace.text(TYPE) !== 'STREAM_STATUS') return undefined
  const report = trace.object(STREAM_STATUS, IN_REPORT)
  const named = describedIn(report)
  const stream = named && lookup(named.namespace, named.name)
  const status = report?.text(STATUS)
  return stream === undefined || status === undefined ? undefined : { kind: 'status', line, stream, status }
}
