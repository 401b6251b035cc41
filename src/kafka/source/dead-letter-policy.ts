// What `stream` does with records that cannot be stored, by its config: the run ends at the first, or they become dead letters in a topic or a
// file, up to a limit, with reasons that show no address. What `write` and `stream` share is in rejects/reject-policy.ts.

import type { StreamConfig, StreamRejectsConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Rejected, SupersededPlace, Table } from '../../core/types.ts'
import { toLine } from '../dead-letters/letter-line.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { placePath } from '../dead-letters/dead-letter-replay.ts'
import { openDeadLetterTopic, type DeadLetterTopic } from '../dead-letters/dead-letter-topic.ts'
import { offsetOf, placeOf, recordOf, type KafkaOrigin, type KafkaTrack } from './kafka-origin.ts'
import type { TopicPartition } from '../types.ts'
import type { Log } from '../../process/io.ts'
import { RejectBudgets, type Exceeded } from '../../rejects/reject-budget.ts'
import { DEAD_LETTER_FILE, openRejectFile, tryRejectFile } from '../../rejects/reject-file.ts'
import { rejectedBy } from '../../rejects/reject-counts.ts'
import { keepRejected, stopAtRejected, trackOf } from '../../rejects/reject-policy.ts'
import type { RejectOrigins, RejectPolicy, RejectSink } from '../../rejects/reject-policy.ts'
import type { ReservedPath, RunContext } from '../../run/open-input.ts'
import { KEY_PARAMETER } from '../../service/contract.ts'
import type { WatchedConfig } from './stream-group.ts'
import type { StreamTopics } from './stream-topics.ts'

export interface DeadLetterPolicy extends RejectPolicy<KafkaOrigin> {
  /** How many attempts to keep a letter failed in this run. */
  readonly failures: number
}

export interface DeadLetterPolicyParts {
  readonly scrub: (text: string) => string
  readonly log: Log
  /** Counts a rejected record against the limits of its topic, or of its table where the topic has several.
   *  @returns the limit that is exceeded, as `RejectBudgets.take` does */
  take(topic: string, table: Table | undefined): Exceeded | undefined
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Whether it is a dry run: nothing is kept, and no topic or file opened. */
  readonly isDry?: boolean
  /** Opens the topic of dead letters.
   *  @param failed called with every attempt to send letters that failed
   *  @throws ConnectorError when it will not do */
  openTopic(topic: string, failed: () => void): Promise<OpenLetters>
}

type OpenLetters = Pick<DeadLetterTopic, 'send'> & AsyncDisposable

/** Makes the policy. Opens the topic or the file, so that a fault shows before data moves.
 *  @throws ConnectorError when the topic will not do, or the file cannot be appended to */
export async function deadLetterPolicy(
  config: StreamRejectsConfig,
  parts: DeadLetterPolicyParts,
): Promise<DeadLetterPolicy> {
  const { scrub, log } = parts
  let failures = 0
  const sink = await sinkOf(config, parts, () => failures++)
  // each remedy is the beginning of a sentence, which `again` ends
  const origins: RejectOrigins<KafkaOrigin> = {
    noun: 'topic',
    remedy:
      'Nothing after it is committed in its partition. Correct the options of the topic or its producer, or set dead_letters to a topic or a file to keep such records aside,',
    remedyOfMany:
      'Correct the cause, or raise that limit (a max_rejected_share of 1 is none; an entry of topics has its own),',
    again: ' and run again: the next run continues from the committed offsets.',
    nameOf: (place) => whereFrom(place).topic,
    whereOf(rejected) {
      const { topic, partition } = whereFrom(rejected)
      return { place: `topic "${topic}", partition ${partition}, offset ${offsetOf(rejected.origin)}` }
    },
    placeOf,
    clean: (reason) => withoutAddresses(scrub(reason)),
    take: (rejected) => parts.take(whereFrom(rejected).topic, rejected.table),
  }
  // the log would say where a record goes, which is not so in a dry run
  const options = { scrub, log: parts.isDry === true ? () => Promise.resolve() : log, logKeys: config.logKeys }
  const policy = sink ? keepRejected(sink, origins, options) : stopAtRejected(origins, options)
  return {
    ...policy,
    get failures() {
      return failures
    },
  }
}

/** Opens the place where rejected records are kept; nothing is sent in their stead. `undefined` when the first one ends the run. */
async function sinkOf(
  { onRejected, topic, file }: StreamRejectsConfig,
  parts: DeadLetterPolicyParts,
  failed: () => void,
): Promise<RejectSink<KafkaOrigin> | undefined> {
  if (onRejected === 'stop') return undefined
  if (parts.isDry === true) return drySink(topic, file)
  if (topic !== undefined) return topicSink(topic, await parts.openTopic(topic, failed))
  return file === undefined ? undefined : fileSink(file, parts.wallClock, failed)
}

/** Names the place as that of a run would be, and keeps nothing there.
 *  @throws ConnectorError when the file could not be opened */
async function drySink(topic: string | undefined, file: string | undefined): Promise<RejectSink<KafkaOrigin>> {
  if (file !== undefined) await tryRejectFile(file, DEAD_LETTER_FILE)
  return {
    place: topic === undefined ? `the file ${JSON.stringify(file)}` : `the topic "${topic}"`,
    keep: () => Promise.resolve(undefined),
  }
}

function topicSink(letterTopic: string, letters: OpenLetters): RejectSink<KafkaOrigin> {
  const place = `the topic "${letterTopic}"`
  return {
    place,
    async keep(rejected, { which, reason }, signal) {
      const letter = letterOf(rejected, reason)
      if (letter.topic === letterTopic) {
        const message =
          `A record ${which} cannot be stored: ${reason}. ` +
          `It was read from ${place} of dead letters, and would be read from there again and again: leave that topic out of topics. --from-dead-letters reads it.`
        throw new ConnectorError('config', 'dead-letters.topic-read', message, { track: trackOf(rejected.track) })
      }
      await letters.send(letter, signal)
      return undefined
    },
    [Symbol.asyncDispose]: async () => letters[Symbol.asyncDispose](),
  }
}

async function fileSink(path: string, wallClock: () => number, failed: () => void): Promise<RejectSink<KafkaOrigin>> {
  const file = await openRejectFile(path, DEAD_LETTER_FILE)
  return {
    place: `the file ${JSON.stringify(path)}`,
    async keep(rejected, { reason }) {
      try {
        await file.append(toLine(letterOf(rejected, reason), new Date(wallClock()).toISOString()))
        return undefined
      } catch (error) {
        failed()
        throw error
      }
    },
    [Symbol.asyncDispose]: async () => file[Symbol.asyncDispose](),
  }
}

/** @param error why it was rejected, as a sentence; a letter's `reason` is only one word */
function letterOf(rejected: Rejected<KafkaOrigin>, error: string): DeadLetter {
  const { origin, superseded } = rejected
  if (typeof origin === 'bigint') throw new TypeError('a dead letter needs the whole record')
  const supersededAt = rejected.supersededAt.map((place) => ({ ...whereFrom(place), offset: offsetOf(place.origin) }))
  const { topic, partition } = whereFrom(rejected)
  const { route } = origin
  const routed = route === undefined ? {} : { route, table: rejected.table?.name }
  const reason = rejectedBy(rejected)
  return { topic, partition, record: recordOf(origin), reason, error, superseded, supersededAt, ...routed }
}

/** The partition where a record was first read; of a replayed dead letter, the one that its record was read from. */
export function whereFrom({ origin, track }: SupersededPlace<KafkaOrigin>): TopicPartition {
  // a Kafka source makes no other tracks
  const { topic, partition } = (typeof origin === 'bigint' ? undefined : origin.from) ?? (track as KafkaTrack)
  return { topic, partition }
}

/** Makes the policy of a run, with what the run's context has. Waits for brokers that cannot be asked yet, and says so.
 *  @param replays whether dead letters are read instead of topics
 *  @throws ConnectorError when the topic will not do, or the file cannot be appended to */
export function openRejects(
  config: WatchedConfig,
  topics: StreamTopics,
  replays: boolean,
  { scrub, log, clock, signal, dry }: RunContext,
): Promise<DeadLetterPolicy> {
  const { rejects, kafka } = config
  const waiting = (why: string): void => {
    const message = scrub(`The brokers cannot be asked for the topic of dead letters yet: ${why}.`)
    void log(kafka.watch.isFailing ? 'info' : 'warn', message)
  }
  const options = { connection: kafka, brokerDeadlineMs: kafka.brokerDeadlineMs, clock, waiting }
  return deadLetterPolicy(rejects, {
    scrub,
    log,
    take: budgetsOf(config, topics, replays),
    wallClock: Date.now,
    isDry: dry !== undefined,
    openTopic: (topic, failed) => openDeadLetterTopic({ ...options, topic, failed }, signal),
  })
}

/** Counts of a topic, or of one of its tables where it has several. Each of these has one object for the whole run, whose counts go up in
 *  place. So the object stands for its topic or table, and is the key of the maps below. */
type LiveCounts = { readonly records: number }

/** Makes what counts rejected records against the limits of their topic or table. A replay has no limit of its share by default: all that it
 *  reads was rejected before. */
function budgetsOf(
  { rejectLimits: { maxRejected, maxRejectedShare, isShareGiven } }: StreamConfig,
  topics: StreamTopics,
  replays: boolean,
): DeadLetterPolicyParts['take'] {
  const limitsOf = new Map<LiveCounts, TopicConfig>()
  const limits = { maxRejected, maxRejectedShare: replays && !isShareGiven ? 1 : maxRejectedShare }
  const receivedOf = ({ records }: LiveCounts): number => records
  const budgets = new RejectBudgets<LiveCounts>(limits, (counts) => limitsOf.get(counts), receivedOf)
  return (name, table) => {
    const topic = topics.find(name)
    const tableCounts = table && topic.mapper.route?.counts.get(table)
    const counts = tableCounts ?? topic.counts
    limitsOf.set(counts, topic.entry)
    return budgets.take(counts, tableCounts && table.name)
  }
}

/** Files that a run reads or writes, so that nothing else is written there. */
export function reservedPaths({ rejects: { file: letters }, files }: StreamConfig): readonly ReservedPath[] {
  const referred = files.map((file) => ({ file, what: 'one that the config refers to' }))
  if (letters === undefined) return referred
  return [
    { file: letters, what: 'that of dead_letters.file' },
    { file: placePath(letters), what: 'where it is kept how far dead letters are replayed' },
    ...referred,
  ]
}

/** Matches a word that may be or hold an address: no space, quote or bracket is in it. */
const WORD = /[^\s"'<>(){}[\],]+/g
/** A colon, a slash and an equals sign, each as it is or escaped: for addresses (once or more often), for HTML, for JSON. */
const COLON = String.raw`(?::|%(?:25)*3a|&#(?:58|x3a);|\\u003a)`
const SLASH = String.raw`(?:\\*/|%(?:25)*2f|&#(?:47|x2f);|\\u002f)`
const EQUALS = String.raw`(?:=|%(?:25)*3d|&#(?:61|x3d);|\\u003d)`
/** Matches what only an address has, however it is escaped: `://`, the path of requests, or the name of the parameter with the key. */
const ADDRESS = new RegExp(`${COLON}${SLASH}${SLASH}|${SLASH}v2${SLASH}client${SLASH}|${KEY_PARAMETER}${EQUALS}`, 'i')

/** Masks addresses: the words of a service may repeat the one it was asked at, and the key in it. */
function withoutAddresses(text: string): string {
  return text.replace(WORD, (word) => (ADDRESS.test(word) ? '[address]' : word))
}
