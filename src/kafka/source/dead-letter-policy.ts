// What becomes of records of Kafka that cannot be stored: the run ends, or they are kept as dead letters in a topic or a
// file; and what is said of them: never their data, their key only if that is wanted, nor where the service was asked.

import type { StreamRejectsConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Rejected, Rejects, SupersededPlace } from '../../core/types.ts'
import type { Say } from '../../process/io.ts'
import { DEAD_LETTER_FILE } from '../../rejects/reject-file-problem.ts'
import { openRejectFile } from '../../rejects/reject-file.ts'
import type { Telling } from '../../rejects/rejected-words.ts'
import { toLine } from '../dead-letters/dead-letter-line.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import type { TopicPartition } from '../types.ts'
import { offsetOf, placeOf, recordOf } from './kafka-origin.ts'
import type { KafkaOrigin, KafkaTrack } from './kafka-origin.ts'
import { shownKey } from '../../mapping/shown-key.ts'
import { reasonOf } from '../../rejects/rejected-words.ts'
import { KEY_PARAMETER } from '../../service/contract.ts'
import { shortened } from '../../text/printable.ts'

/** Where dead letters are kept. */
interface LetterSink extends AsyncDisposable {
  /** Durable when it resolves.
   *  @throws ConnectorError when it cannot be kept */
  send(letter: DeadLetter, signal: AbortSignal): Promise<void>
}

/** By whom: a rule of the connector, or the service. */
type DeadLetterReason = 'rejected' | 'refused'

export interface DeadLetterPolicy extends AsyncDisposable {
  readonly rejects: Rejects<KafkaOrigin>
  /** Whether origins must be whole records. */
  readonly keepsRecords: boolean
  /** Where they are, for people; undefined: nowhere. */
  readonly place: string | undefined
  /** Letters kept in this run, by the topic of their records. */
  readonly counts: ReadonlyMap<string, Readonly<Record<DeadLetterReason, number>>>
  /** Attempts to keep letters that failed, in this run. */
  readonly failures: number
}

interface DeadLetterPolicyParts {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly say: Say
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** @param failed told of every attempt that failed
   *  @throws ConnectorError when it will not do */
  openTopic(topic: string, failed: () => void): Promise<LetterSink>
}

/** Ready before data moves.
 *  @throws ConnectorError when the topic will not do, or the file cannot be appended to */
export async function deadLetterPolicy(
  config: StreamRejectsConfig,
  parts: DeadLetterPolicyParts,
): Promise<DeadLetterPolicy> {
  const failures = { count: 0 }
  const failed = (): void => void failures.count++
  const telling = { scrub: parts.scrub, logKeys: config.logKeys }
  if (config.onRejected === 'dead-letter' && config.topic !== undefined) {
    const place = `the topic "${config.topic}"`
    return kept(place, config.topic, await parts.openTopic(config.topic, failed), { ...parts, ...telling, failures })
  }
  if (config.onRejected === 'dead-letter' && config.file !== undefined) {
    const place = `the file ${JSON.stringify(config.file)}`
    return kept(place, undefined, await fileSink(config.file, parts.wallClock, failed), {
      ...parts,
      ...telling,
      failures,
    })
  }
  return stopped(telling)
}

function stopped(telling: Telling): DeadLetterPolicy {
  const put = (rejected: Rejected<KafkaOrigin>): Promise<never> => {
    const { superseded, track } = rejected
    const older = superseded > 0 ? ` It stood for ${versions(superseded)} of its row, not stored either.` : ''
    const message =
      `A record ${whichKafkaRecord(rejected, telling)} cannot be stored: ${errorOf(rejected, telling)}.${older} ` +
      'Nothing behind it is committed in its partition. Correct what is told, or set dead_letters to a topic or a file to keep such records aside, and run again: the next run goes on from the committed offsets.'
    return Promise.reject(new ConnectorError('config', message, { track: { name: track.name } }))
  }
  const counts = new Map<string, never>()
  const rejects = { overlaps: false, placeOf: () => undefined, put }
  return { rejects, keepsRecords: false, place: undefined, counts, failures: 0, ...disposable(nothing) }
}

/** @param own the topic they go to, whose records must not go there again */
function kept(
  place: string,
  own: string | undefined,
  sink: LetterSink,
  parts: DeadLetterPolicyParts & Telling & { readonly failures: { readonly count: number } },
): DeadLetterPolicy {
  const counts = new Map<string, Record<DeadLetterReason, number>>()
  const put = async (rejected: Rejected<KafkaOrigin>, signal: AbortSignal): Promise<void> => {
    const letter = letterOf(rejected, parts)
    if (letter.topic === own) throw goesRound(place, rejected, parts)
    await sink.send(letter, signal)
    const known = counts.get(letter.topic)
    const ofTopic = known ?? { rejected: 0, refused: 0 }
    ofTopic[letter.reason]++
    if (known) return
    counts.set(letter.topic, ofTopic)
    const what = `A record ${whichKafkaRecord(rejected, parts)} cannot be stored: ${letter.error}.`
    parts.say('WARN', `${what} It goes to ${place}, as do further ones of its topic.`).catch(() => {})
  }
  return {
    rejects: { overlaps: true, placeOf, put },
    keepsRecords: true,
    place,
    counts,
    get failures() {
      return parts.failures.count
    },
    ...disposable(async () => sink[Symbol.asyncDispose]()),
  }
}

async function fileSink(path: string, wallClock: () => number, failed: () => void): Promise<LetterSink> {
  const file = await openRejectFile(path, DEAD_LETTER_FILE)
  return {
    async send(letter) {
      try {
        await file.append(toLine(letter, new Date(wallClock()).toISOString()))
      } catch (error) {
        failed()
        throw error
      }
    },
    ...disposable(async () => file[Symbol.asyncDispose]()),
  }
}

function letterOf(rejected: Rejected<KafkaOrigin>, telling: Pick<Telling, 'scrub'>): LetterOf {
  const { origin, superseded } = rejected
  const supersededAt = rejected.supersededAt.map((place) => {
    const { topic, partition } = whereFrom(place)
    return { topic, partition, offset: offsetOf(place.origin) }
  })
  if (typeof origin === 'bigint') throw new TypeError('a dead letter needs the whole record')
  const { topic, partition } = whereFrom(rejected)
  // only what was sent has a key to tell
  const reason = 'key' in rejected ? 'refused' : 'rejected'
  const error = errorOf(rejected, telling)
  return { topic, partition, record: recordOf(origin), reason, error, superseded, supersededAt }
}

interface LetterOf extends DeadLetter, TopicPartition {
  readonly reason: DeadLetterReason
}

function goesRound(place: string, rejected: Rejected<KafkaOrigin>, telling: Telling): ConnectorError {
  const message =
    `A record ${whichKafkaRecord(rejected, telling)} cannot be stored: ${errorOf(rejected, telling)}. ` +
    `It was read from ${place} of dead letters, and would be read from there again, and again: leave that topic out of topics. --from-dead-letters reads it.`
  return new ConnectorError('config', message, { track: { name: rejected.track.name } })
}

function versions(count: number): string {
  return count === 1 ? 'one older version' : `${count} older versions`
}

function disposable(dispose: () => Promise<void>): AsyncDisposable {
  return { [Symbol.asyncDispose]: dispose }
}

const nothing = (): Promise<void> => Promise.resolve()

/** Characters of a key that are told. */
const KEY = 100
const WORD = /[^\s"'<>(){}[\],]+/g
const COLON = String.raw`(?::|%(?:25)*3a|&#(?:58|x3a);|\\u003a)`
const SLASH = String.raw`(?:\\*/|%(?:25)*2f|&#(?:47|x2f);|\\u002f)`
const EQUALS = String.raw`(?:=|%(?:25)*3d|&#(?:61|x3d);|\\u003d)`
/** What only an address has, however it is escaped: its beginning, the path of requests, the name of the key's parameter. */
const ADDRESS = new RegExp(`${COLON}${SLASH}${SLASH}|${SLASH}v2${SLASH}client${SLASH}|${KEY_PARAMETER}${EQUALS}`, 'i')

/** Without a full stop and without addresses, at most 500 characters. */
function errorOf(rejected: { readonly reason: string }, { scrub }: Pick<Telling, 'scrub'>): string {
  return reasonOf({ reason: withoutAddresses(scrub(rejected.reason)) }, { scrub })
}

function withoutAddresses(text: string): string {
  return text.replace(WORD, (word) => (ADDRESS.test(word) ? '[address]' : word))
}

/** Where it was first read. */
export function whereFrom({ origin, track }: SupersededPlace<KafkaOrigin>): TopicPartition {
  // the source makes no other tracks
  return (typeof origin === 'bigint' ? undefined : origin.from) ?? (track as KafkaTrack)
}

/** `of topic "orders", partition 0, offset 12, table "orders", with the key 5,`. */
function whichKafkaRecord(rejected: Rejected<KafkaOrigin>, { scrub, logKeys }: Telling): string {
  const { topic, partition } = whereFrom(rejected)
  const table = rejected.table ? `, table "${rejected.table.name}"` : ''
  const key = logKeys ? shownKey(rejected.key) : undefined
  const shown = key === undefined ? '' : `, with the key ${shortened(scrub(key), KEY)}`
  return `of topic "${topic}", partition ${partition}, offset ${offsetOf(rejected.origin)}${table}${shown},`
}
