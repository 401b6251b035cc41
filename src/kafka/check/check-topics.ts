// The part of `stream --check` on topics: which a run would read, by names and patterns, and into which tables (`checkTopics`, which asks
// nothing); and where it would begin in each, which the cluster is asked for (`askTopics`). The user sees a table and findings.

import { problemCode } from '../client/kafka-problem.ts'
import { didYouMean } from '../../text/nearest-name.ts'
import { sharedTables, tablesOf } from '../../config/stream/shared-tables.ts'
import { entryFor } from '../../config/stream/topic-choice.ts'
import type { StreamConfig, TopicConfig } from '../../config/stream/stream-config.ts'
import type { Coded } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { counted } from '../../text/figures.ts'
import { fail, ok, warn, type CheckFinding } from './check-report.ts'
import { ownTopics, topicsToRead } from '../source/find-topics.ts'
import type { MappedTopic, StreamTopics } from '../source/stream-topics.ts'
import { foldedTable } from '../../text/text-table.ts'
import { askCluster } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { outOfRange, outOfRangeWarning } from '../client/out-of-range.ts'
import { askPositions, type FoundPosition } from '../client/positions.ts'

/** A topic that would be read. */
export interface CheckedTopic {
  readonly name: string
  readonly entry: TopicConfig
  /** `undefined` when its rows cannot be stored as its entry says. */
  readonly mapper: MappedTopic['mapper'] | undefined
}

/** The positions, by topic, where a run would begin in its partitions, or why they are not known. Topics without an answer are left out. */
export type AskedTopics = ReadonlyMap<string, readonly FoundPosition[] | Coded>

/** Tells which topics would be read, in the order of their names, and what is wrong with that.
 *  @param visible names of all topics that this user may see
 *  @param mapped the run's topics, which find out how each is stored */
export function checkTopics(
  config: StreamConfig,
  visible: readonly string[],
  mapped: StreamTopics,
): { readonly topics: readonly CheckedTopic[]; readonly findings: readonly CheckFinding[] } {
  const readNames = topicsToRead(visible, config.topics)
  const mappingFaults: CheckFinding[] = []
  const topics = readNames.map((name): CheckedTopic => {
    const entry = entryFor(name, config.topics)!
    try {
      return { name, entry, mapper: mapped.find(name).mapper }
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error
      mappingFaults.push(fail(error.code!, error.message))
      return { name, entry, mapper: undefined }
    }
  })
  return {
    topics,
    findings: [
      ...missingTopics(config, visible),
      ...patternFindings(config, visible, readNames),
      ...sharedTableFindings(config, topics),
      ...mappingFaults,
    ],
  }
}

function missingTopics({ topics }: StreamConfig, visible: readonly string[]): CheckFinding[] {
  return topics.flatMap(({ topic }) => {
    if (!('name' in topic) || visible.includes(topic.name)) return []
    const found = `There is no topic ${JSON.stringify(topic.name)}, or this user may not see it.`
    const remedy = 'Create it, allow this user to describe and read it, or correct topics.'
    return [fail('topic.missing', `${found}${didYouMean(topic.name, ownTopics(visible))} ${remedy}`)]
  })
}

function patternFindings(
  { topics, kafka }: StreamConfig,
  visible: readonly string[],
  readNames: readonly string[],
): CheckFinding[] {
  return topics.flatMap((entry) => {
    const { topic } = entry
    if (!('pattern' in topic)) return []
    const shown = `Pattern "${topic.text}"`
    const taken = readNames.filter((name) => entryFor(name, topics) === entry)
    if (taken.length > 0) return [ok(`${shown} matches ${counted(taken.length, 'topic')} now.`)]
    const matchesAny = ownTopics(visible).some((name) => topic.pattern.test(name) === 'matches')
    const found = matchesAny ? 'those it matches are taken by other entries' : 'none matches'
    const advice = `A run looks again every ${kafka.topicRefreshMs / 1000} s. Correct it if there should be one.`
    return [warn('topic.none-matches', `${shown} has no topic now: ${found}. ${advice}`)]
  })
}

function sharedTableFindings({ tablePrefix }: StreamConfig, topics: readonly CheckedTopic[]): CheckFinding[] {
  const all = topics.flatMap(({ name, entry }) => tablesOf(name, entry, tablePrefix))
  return sharedTables(all).map(({ problem }) =>
    fail('topic.tables-meet', `${problem[0]!.toUpperCase()}${problem.slice(1)}.`),
  )
}

const GONE = 'topic.offset-gone'
/** Most partitions of a topic that have a finding each. */
const MOST_SHOWN = 3

/** Findings on a topic's partitions whose committed offset is gone: one for each of the first, and one for all further ones. */
export function goneOffsets(topic: string, partitions: readonly FoundPosition[]): CheckFinding[] {
  const gone = partitions.flatMap(({ found, ...more }) => (found.from === 'out of range' ? { ...more, ...found } : []))
  const findings = gone.slice(0, MOST_SHOWN).map(({ partition, range, committed, side, offset }) => {
    const place = { topic, partition }
    // only a committed offset can be out of range; without an `offset` to go on at, the option `out_of_range` says stop
    if (offset === undefined) return fail(GONE, outOfRange(place, committed!, range, side).message)
    return warn(GONE, outOfRangeWarning(place, committed!, range, { side, offset }))
  })
  if (gone.length <= MOST_SHOWN) return findings
  const more = `Topic ${topic}: in ${gone.length - MOST_SHOWN} further partitions too the offset to continue at is gone.`
  const last = findings[0]!.level === 'FAIL' ? fail(GONE, `${more} The same remedy applies.`) : warn(GONE, more)
  return [...findings, last]
}

/** The cell of the table that says where a topic begins: where its group committed, or by its option `start` in partitions where it did not. */
export function beginsAt({ entry }: CheckedTopic, partitions: readonly FoundPosition[]): string {
  const { start } = entry
  const startWords = typeof start === 'object' ? new Date(Number(start.timestamp)).toISOString() : start
  const fresh = partitions.filter(({ found }) => found.from === 'start').length
  if (fresh === partitions.length) return startWords
  if (partitions.some(({ found }) => found.from === 'out of range')) return 'out of range'
  return fresh === 0 ? 'committed' : `committed, ${fresh} ${startWords}`
}

/** Counts the offsets of a topic that are still to be read: those of records, markers and gaps. */
export function toRead(partitions: readonly FoundPosition[]): bigint {
  return partitions.reduce((sum, { range: { low, high }, found }) => {
    // where a run would stop, all that is there is still to be read
    const from = found.offset ?? low
    // a committed offset lies above the end where a consumer has read records of open transactions
    return from < high ? sum + high - from : sum
  }, 0n)
}

const HEADINGS = ['topic', 'partitions', 'table', 'what identifies a row', 'starts at', 'to read']
/** Columns by index that stay where not all fit: without table and what identifies a row, which become lines below. */
const NARROW_COLUMNS = [0, 1, 4, 5]

/** Lays out a table of the topics.
 *  @param width columns of the terminal; Infinity when no line is to be cut or broken */
export function topicTable(topics: readonly CheckedTopic[], asked: AskedTopics, width: number): string {
  const rows = topics.map((topic) => rowOf(topic, asked.get(topic.name)))
  return foldedTable(HEADINGS, rows, NARROW_COLUMNS, width, ([, , table, words]) => `table ${table}, ${words}`)
}

function rowOf(topic: CheckedTopic, asked: ReturnType<AskedTopics['get']>): string[] {
  const { name, mapper } = topic
  const partitions = asked && 'code' in asked ? undefined : asked
  const reading = partitions ? [beginsAt(topic, partitions), String(toRead(partitions))] : ['?', '?']
  const table = mapper ? (mapper.table?.name ?? 'several') : '?'
  return [name, String(partitions?.length ?? '?'), table, mapper?.words ?? '?', ...reading]
}

/** How many topics are asked for at the same time. */
const LANES = 4
/** Tries for a topic while failures may pass, as they do when a group's coordinator is being made. */
const MOST_TRIES = 3

/** A topic that is still to be asked for, and the number of the coming try, from 1. */
interface Asking {
  readonly topic: CheckedTopic
  readonly attempt: number
}

/** Asks where a run would begin, for a few topics at a time. Never throws.
 *  @param group `undefined` when its offsets cannot be asked for
 *  @param end aborts to stop waiting */
export async function askTopics(
  topics: readonly CheckedTopic[],
  group: string | undefined,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<AskedTopics> {
  const asked = new Map<string, readonly FoundPosition[] | Coded>()
  const queue: Asking[] = topics.map((topic) => ({ topic, attempt: 1 }))
  const lanes = Array.from({ length: Math.min(LANES, topics.length) }, async () => {
    while (queue.length > 0 && !end.aborted) await askInTurn(queue, asked, group, { connection, end, tries: 1 })
  })
  await Promise.all(lanes)
  return asked
}

/** Takes topics from the queue and asks for them with one client, until it fails at one: that client would go on asking for a topic that is
 *  gone, and so fail at all others too. Notes each answer in `asked`, and puts the topic back if another client may get an answer. */
async function askInTurn(
  queue: Asking[],
  asked: Map<string, readonly FoundPosition[] | Coded>,
  group: string | undefined,
  options: Parameters<typeof askCluster>[0],
): Promise<void> {
  // after a failure, the topic at which it happened
  let asking: Asking | undefined
  const outcome = await askCluster({ ...options, group }, async (admin) => {
    for (asking = queue.shift(); asking; asking = queue.shift())
      asked.set(asking.topic.name, await askPositions(admin, asking.topic.name, asking.topic.entry, group))
  })
  // when it is unanswered without a problem, the time was over; a `passing` problem may be gone at the next try
  if (outcome.kind === 'answered' || !outcome.problem || !asking) return
  const { problem } = outcome
  const { topic, attempt } = asking
  const text = problem.kind === 'passing' ? `${problem.text}.` : problem.error.message
  asked.set(topic.name, { code: problemCode(problem), text })
  if (problem.kind === 'passing' && attempt < MOST_TRIES) queue.push({ topic, attempt: attempt + 1 })
}
