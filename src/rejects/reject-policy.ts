// The policies for records that cannot be stored, for `write` and `stream` alike: the run ends at the first one (`stopAtRejected`), or
// each is kept in a sink and the run goes on (`keepRejected`; decisions.md#one-policy-for-every-rejected-record). The engine calls `put`
// for each rejected record; the source says what it knows of the record (`RejectOrigins`). A record's data are never shown, its key only
// if the user wants that. O: where a record was read, as its source notes it.

import { ConnectorError } from '../core/errors.ts'
import type { RecordItem, Rejected, Rejects, SupersededPlace } from '../core/types.ts'
import { shownKey } from '../mapping/key-atom.ts'
import type { Log } from '../process/io.ts'
import { counted, thousands } from '../text/figures.ts'
import { shortened } from '../text/printable.ts'
import type { Exceeded } from './reject-budget.ts'
import { RejectCounts, type RejectCount, type RejectPlace } from './reject-counts.ts'

/** Most characters of a reason and of a key that are shown. */
const MOST_OF_REASON = 500
const MOST_OF_KEY = 100

export interface RejectPolicy<O> extends AsyncDisposable {
  readonly rejects: Rejects<O>
  /** The place where rejected records are kept, for people. `undefined` when none are; then origins need not hold whole records. */
  readonly place: string | undefined
  readonly counts: RejectCounts
}

/** Knowledge that a source has of its rejected records, and words for them. */
export interface RejectOrigins<O> {
  readonly noun: 'stream' | 'topic'
  /** Advice when one record ends the run, and when too many do: the beginning of a sentence, which `again` ends by how to run again. */
  readonly remedy: string
  readonly remedyOfMany: string
  readonly again: string
  /** The stream or topic that a record was first read from. */
  nameOf(place: SupersededPlace<O>): string
  /** The place where a record was first read, for people, and its stream if the words for the place do not name it. */
  whereOf(rejected: Rejected<O>): { readonly place: string; readonly stream?: string }
  /** The record's place in the input, rising (`RejectPlace.order`). Absent when places have no such order. */
  orderOf?(origin: O): number
  /** What to keep of a superseded record's origin (`Rejects.placeOf`). `undefined` when nothing is to be kept. */
  placeOf(origin: O): O | undefined
  /** Takes out of a reason or a hint what must not be shown. */
  clean(reason: string): string
  /** Counts a record against the budgets (`RejectBudgets.take`). `undefined` when no limit is exceeded. */
  take(rejected: Rejected<O>): Exceeded | undefined
}

/** Keeps rejected records. */
export interface RejectSink<O> extends Partial<AsyncDisposable> {
  /** The place where they are kept, for people. */
  readonly place: string
  /** Keeps a rejected record; resolves to points to deliver in its place, if there are any, as `Rejects.put` does.
   *  @throws ConnectorError when it cannot be kept */
  keep(rejected: Rejected<O>, words: RejectWords, signal: AbortSignal): Promise<readonly RecordItem<O>[] | undefined>
}

/** Words for one record. Its reason has no full stop, and is cut if it is long. */
interface RejectWords extends RejectPlace {
  /** The record in a message: `of stream "orders", table "orders", input line 7, with the key 5,`. */
  readonly which: string
  /** The sentences behind the reason, with a space in front; '' when there are none. */
  readonly hint: string
}

interface RejectOptions {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  /** Whether messages may show keys of records. */
  readonly logKeys: boolean
}

/** A policy that ends the run: `put` rejects with a ConnectorError (config) that names the record's place and the reason. */
export function stopAtRejected<O>(origins: RejectOrigins<O>, options: RejectOptions): RejectPolicy<O> {
  const counts = new RejectCounts()
  const put = (rejected: Rejected<O>): Promise<never> => {
    const { superseded, track } = rejected
    const words = wordsOf(rejected, origins, options)
    const versions = superseded === 1 ? 'one older version' : `${superseded} older versions`
    const older = superseded > 0 ? ` It replaced ${versions} of its row, not stored either.` : ''
    const message = `A record ${words.which} cannot be stored: ${words.reason}.${words.hint}${older} ${origins.remedy}${origins.again}`
    const error = new ConnectorError('config', 'record.rejected', message, { track: trackOf(track) })
    counts.stopped(rejected, words, error)
    return Promise.reject(error)
  }
  return {
    rejects: { overlaps: false, placeOf: () => undefined, put },
    place: undefined,
    counts,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** A policy that keeps each record in `sink`, and logs the first of each stream or topic. `put` rejects with a ConnectorError (config) when
 *  too many are rejected, or with what the sink threw. Disposing of the policy closes the sink. */
export function keepRejected<O>(
  sink: RejectSink<O>,
  origins: RejectOrigins<O>,
  options: RejectOptions & { readonly log: Log },
): RejectPolicy<O> {
  const counts = new RejectCounts()
  /** The error for each limit that was exceeded; all later records that the limit is for get the same one. */
  const overBudget = new Map<Exceeded, ConnectorError>()
  /** Streams and topics whose first rejected record was logged. */
  const loggedNames = new Set<string>()
  const put: Rejects<O>['put'] = async (rejected, signal) => {
    // counted before anything is awaited, as many calls may be under way, and together exceed the limit
    const exceeded = origins.take(rejected)
    const known = exceeded && overBudget.get(exceeded)
    if (known) throw known
    const words = wordsOf(rejected, origins, options)
    counts.add(rejected, words)
    let items: Awaited<ReturnType<typeof sink.keep>>
    try {
      if (exceeded) {
        const error = tooMany(exceeded, counts.commonestOf(words.name, exceeded.table), rejected, words, origins)
        overBudget.set(exceeded, error)
        throw error
      }
      items = await sink.keep(rejected, words, signal)
    } catch (error) {
      counts.takeBack(rejected, words)
      throw error
    }
    counts.kept(rejected, words)
    if (!loggedNames.has(words.name)) {
      loggedNames.add(words.name)
      const what = `A record ${words.which} cannot be stored: ${words.reason}.${words.hint}`
      options
        .log('warn', `${what} It goes to ${sink.place}, as do further ones of its ${origins.noun}.`, {
          event: 'reject.first',
        })
        .catch(() => {})
    }
    return items
  }
  return {
    rejects: { overlaps: true, placeOf: (origin) => origins.placeOf(origin), put },
    place: sink.place,
    counts,
    [Symbol.asyncDispose]: async () => sink[Symbol.asyncDispose]?.(),
  }
}

function tooMany<O>(
  { option, limit, rejected, received, table }: Exceeded,
  { times, first, reason }: RejectCount,
  { track }: Rejected<O>,
  { name }: RejectPlace,
  { noun, remedyOfMany, again }: RejectOrigins<O>,
): ConnectorError {
  const figures = `${thousands(rejected)} of ${thousands(received)} received, and ${option} is ${limit}`
  const commonest = `The most frequent reason (${counted(times, 'record')}; one of them: ${first}): ${reason}.`
  const which = `${noun} "${name}"${table === undefined ? '' : `, table "${table}",`}`
  const message = `Too many records of ${which} are rejected: ${figures}. ${commonest} No more of them are kept. ${remedyOfMany}${again}`
  return new ConnectorError('config', 'rejects.over-budget', message, { track: trackOf(track) })
}

/** Copies only the names of a track, so that an error holds nothing else of it. */
export function trackOf({ name, namespace }: Rejected<unknown>['track']): Rejected<unknown>['track'] {
  return namespace === undefined ? { name } : { name, namespace }
}

function wordsOf<O>(rejected: Rejected<O>, origins: RejectOrigins<O>, { scrub, logKeys }: RejectOptions): RejectWords {
  const { place, stream } = origins.whereOf(rejected)
  const table = rejected.table && `table "${rejected.table.name}"`
  const key = logKeys ? shownKey(rejected.key) : undefined
  const keyWords = key === undefined ? undefined : `with the key ${shortened(scrub(key), MOST_OF_KEY)}`
  // from the wide to the narrow: a place without `stream` begins with the topic
  const parts = stream === undefined ? [place, table, keyWords] : [stream, table, place, keyWords]
  const which = `of ${parts.filter((part) => part !== undefined).join(', ')},`
  const reason = shortened(origins.clean(rejected.reason).replace(/\.\s*$/, ''), MOST_OF_REASON)
  const order = origins.orderOf?.(rejected.origin) ?? Infinity
  const hint = rejected.hint === undefined ? '' : ` ${origins.clean(rejected.hint)}`
  return { name: origins.nameOf(rejected), place, which, reason, hint, order }
}
