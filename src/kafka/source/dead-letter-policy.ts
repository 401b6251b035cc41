// What `stream` does with records that cannot be stored: the run ends, or they are kept as dead letters in a topic or a file.

import type { StreamRejectsConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Rejected, SupersededPlace, Table } from '../../core/types.ts'
import { toLine } from '../dead-letters/letter-line.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import type { DeadLetterTopic } from '../dead-letters/dead-letter-topic.ts'
import { offsetOf, placeOf, recordOf, type KafkaOrigin, type KafkaTrack } from './kafka-origin.ts'
import type { TopicPartition } from '../types.ts'
import type { Log } from '../../process/io.ts'
import type { Exceeded } from '../../rejects/reject-budget.ts'
import { DEAD_LETTER_FILE, openRejectFile, tryRejectFile } from '../../rejects/reject-file.ts'
import { rejectedBy } from '../../rejects/reject-counts.ts'
import { keepRejected, stopAtRejected, trackOf } from '../../rejects/reject-policy.ts'
import type { RejectOrigins, RejectPolicy, RejectSink } from '../../rejects/reject-policy.ts'
import { KEY_PARAMETER } from '../../service/contract.ts'

export interface DeadLetterPolicy extends RejectPolicy<KafkaOrigin> {
  /** How many attempts to keep a letter failed in this run. */
  readonly failures: number
}

export interface DeadLetterPolicyParts {
  readonly scrub: (text: string) => string
  readonly log: Log
  /** Counts a record that is to be kept, against the limits of its topic, or of its table where the topic has several.
   *  @returns the limit that is exceeded, as `RejectBudgets.take` does */
  take(topic: string, table: Table | undefined): Exceeded | undefined
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Nothing is kept, and no topic or file opened. */
  readonly isDry?: boolean
  /** @param failed called with every attempt that failed
   *  @throws ConnectorError when it will not do */
  openTopic(topic: string, failed: () => void): Promise<OpenLetters>
}

type OpenLetters = Pick<DeadLetterTopic, 'send'> & AsyncDisposable

/** Opens the topic or the file, so that a fault shows before data moves.
 *  @throws ConnectorError when the topic will not do, or the file cannot be appended to */
export async function deadLetterPolicy(
  config: StreamRejectsConfig,
  parts: DeadLetterPolicyParts,
): Promise<DeadLetterPolicy> {
  const { scrub, log } = parts
  let failures = 0
  const sink = await sinkOf(config, parts, () => failures++)
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
  const options = { scrub, log: parts.isDry === true ? () => Promise.resolve() : log, logKeys: config.logKeys }
  const policy = sink ? keepRejected(sink, origins, options) : stopAtRejected(origins, options)
  return {
    ...policy,
    get failures() {
      return failures
    },
  }
}

/** @returns where rejected records are kept; `undefined` when they are kept nowhere */
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

/** @throws ConnectorError when the file could not be opened */
async function drySink(topic: string | undefined, file: string | undefined): Promise<RejectSink<KafkaOrigin>> {
  if (file !== undefined) await tryRejectFile(file, DEAD_LETTER_FILE)
  return {
    place: topic === undefined ? `the file ${JSON.stringify(file)}` : `the topic "${topic}"`,
    keep: () => Promise.resolve(undefined),
  }
}

function topicSink(own: string, letters: OpenLetters): RejectSink<KafkaOrigin> {
  const place = `the topic "${own}"`
  return {
    place,
    async keep(rejected, { which, reason }, signal) {
      const letter = letterOf(rejected, reason)
      if (letter.topic === own) {
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

/** The partition where a record was first read: of a dead letter, the one of its record. */
export function whereFrom({ origin, track }: SupersededPlace<KafkaOrigin>): TopicPartition {
  // the source makes no other tracks
  const { topic, partition } = (typeof origin === 'bigint' ? undefined : origin.from) ?? (track as KafkaTrack)
  return { topic, partition }
}

const WORD = /[^\s"'<>(){}[\],]+/g
const COLON = String.raw`(?::|%(?:25)*3a|&#(?:58|x3a);|\\u003a)`
const SLASH = String.raw`(?:\\*/|%(?:25)*2f|&#(?:47|x2f);|\\u002f)`
const EQUALS = String.raw`(?:=|%(?:25)*3d|&#(?:61|x3d);|\\u003d)`
/** Matches what only an address has, however it is escaped: its beginning, the path of requests, the name of the
 *  key's parameter. */
const ADDRESS = new RegExp(`${COLON}${SLASH}${SLASH}|${SLASH}v2${SLASH}client${SLASH}|${KEY_PARAMETER}${EQUALS}`, 'i')

/** Masks addresses: a service's words may echo the one it was asked at, and the key in it. */
function withoutAddresses(text: string): string {
  return text.replace(WORD, (word) => (ADDRESS.test(word) ? '[address]' : word))
}
