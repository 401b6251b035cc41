// Which topics a run would read of those there are, by names and patterns, and into which tables (`checkTopics`, which asks nothing); and
// where it would begin in each, which the cluster is asked for (`askTopics`). What came of that is a table and findings.

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

/** Tells which topics would be read, in the order of their names, and what is wrong with that.
 *  @param there names of all topics that may be seen
 *  @param mapped the run's topics, which find out how each is stored */
export function checkTopics(
  config: StreamConfig,
  there: readonly string[],
  mapped: StreamTopics,
): { readonly topics: readonly CheckedTopic[]; readonly findings: readonly CheckFinding[] } {
  const read = topicsToRead(there, config.topics)
  const findings: CheckFinding[] = []
  const topics = read.map((name): CheckedTopic => {
    const entry = entryFor(name, config.topics)!
    try {
      return { name, entry, mapper: mapped.find(name).mapper }
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error
      findings.push(fail(error.code!, error.message))
      return { name, entry, mapper: undefined }
    }
  })
  return {
    topics,
    findings: [
      ...missingTopics(config, there),
      ...patternFindings(config, there, read),
      ...sharedTableFindings(config, topics),
      ...findings,
    ],
  }
}

function missingTopics({ topics }: StreamConfig, there: readonly string[]): CheckFinding[] {
  return topics.flatMap(({ topic }) => {
    if (!('name' in topic) || there.includes(topic.name)) return []
    const found = `There is no topic ${JSON.stringify(topic.name)}, or this user may not see it.`
    const remedy = 'Create it, allow this user to describe and read it, or correct topics.'
    return [fail('topic.missing', `${found}${didYouMean(topic.name, ownTopics(there))} ${remedy}`)]
  })
}

function patternFindings(
  { topics, kafka }: StreamConfig,
  there: readonly string[],
  read: readonly string[],
): CheckFinding[] {
  return topics.flatMap((entry) => {
    const { topic } = entry
    if (!('pattern' in topic)) return []
    const shown = `Pattern "${topic.text}"`
    const taken = read.filter((name) => entryFor(name, topics) === entry)
    if (taken.length > 0) return [ok(`${shown} matches ${counted(taken.length, 'topic')} now.`)]
    const others = ownTopics(there).some((name) => topic.pattern.test(name) === 'matches')
    const found = others ? 'those it matches are taken by other entries' : 'none matches'
    const later = `A run looks again every ${kafka.topicRefreshMs / 1000} s.`
    return [
      warn('topic.none-matches', `${shown} has no topic now: ${found}. ${later} Correct it if there should be one.`),
    ]
  })
}

function sharedTableFindings({ tablePrefix }: StreamConfig, topics: readonly CheckedTopic[]): CheckFinding[] {
  const all = topics.flatMap(({ name, entry }) => tablesOf(name, entry, tablePrefix))
  return sharedTables(all).map(({ problem }) =>
    fail('topic.tables-meet', `${problem[0]!.toUpperCase()}${problem.slice(1)}.`),
  )
}

const GONE = 'topic.offset-gone'
/** Most partitions that have a finding each. */
const MOST_SHOWN = 3

/** Findings on offsets that are gone, of a topic. One for each of the first partitions, and one for all further ones. */
export function positionFindings(topic: string, partitions: readonly FoundPosition[]): CheckFinding[] {
  const gone = partitions.flatMap(({ found, ...more }) => (found.from === 'out of range' ? { ...more, ...found } : []))
  const findings = gone.slice(0, MOST_SHOWN).map(({ partition, range, committed, side, offset }) => {
    const at = { topic, partition }
    if (offset === undefined) return fail(GONE, outOfRange(at, committed!, range, side).message)
    return warn(GONE, outOfRangeWarning(at, committed!, range, { side, offset }))
  })
  if (gone.length <= MOST_SHOWN) return findings
  const more = `Topic ${topic}: in ${gone.length - MOST_SHOWN} further partitions too the offset to continue at is gone.`
  return [
    ...findings,
    findings[0]!.level === 'FAIL' ? fail(GONE, `${more} The same remedy applies.`) : warn(GONE, more),
  ]
}

/** Where a topic begins, for a cell of the table. */
export function beginsAt({ entry }: CheckedTopic, partitions: readonly FoundPosition[]): string {
  const { start } = entry
  const words = typeof start === 'object' ? new Date(Number(start.timestamp)).toISOString() : start
  const fresh = partitions.filter(({ found }) => found.from === 'start').length
  if (fresh === partitions.length) return words
  if (partitions.some(({ found }) => found.from === 'out of range')) return 'out of range'
  return fresh === 0 ? 'committed' : `committed, ${fresh} ${words}`
}

/** Counts the offsets that lie before the end: records, markers and gaps. */
export function toRead(partitions: readonly FoundPosition[]): bigint {
  return partitions.reduce((sum, { range: { low, high }, found }) => {
    const offset = found.offset ?? low
    // it lies above the end if open transactions were read
    return offset < high ? sum + high - offset : sum
  }, 0n)
}

const HEADINGS = ['topic', 'partitions', 'table', 'what identifies a row', 'starts at', 'to read']

/** Lays out the topics; where they do not fit, table and keys become lines below.
 *  @param width columns to fit; with Infinity no line is cut or broken */
export function topicTable(topics: readonly CheckedTopic[], asked: AskedTopics, width: number): string {
  const rows = topics.map((topic) => rowOf(topic, asked.get(topic.name)))
  return foldedTable(HEADINGS, rows, [0, 1, 4, 5], width, ([, , table, words]) => `table ${table}, ${words}`)
}

function rowOf(topic: CheckedTopic, asked: ReturnType<AskedTopics['get']>): string[] {
  const { name, mapper } = topic
  const known = asked && 'code' in asked ? undefined : asked
  const where = known ? [beginsAt(topic, known), String(toRead(known))] : ['?', '?']
  return [
    name,
    String(known?.length ?? '?'),
    mapper ? (mapper.table?.name ?? 'several') : '?',
    mapper?.words ?? '?',
    ...where,
  ]
}

/** The places where a run would go on in each partition, or why they cannot be known; by topic. */
export type AskedTopics = ReadonlyMap<string, readonly FoundPosition[] | Coded>

/** Topics that are asked for side by side. */
const LANES = 4
/** Tries of a question whose failure may pass, as while a coordinator is being made. */
const TRIES = 3

/** A topic that is still to be asked for, and the number of this try. */
interface Asking {
  readonly topic: CheckedTopic
  readonly tries: number
}

/** Asks where a run would begin, for a few topics at a time.
 *  @param group `undefined` when its offsets cannot be asked for
 *  @param end aborts when it is to be waited for no longer; topics not asked by then are left out. Never throws. */
export async function askTopics(
  topics: readonly CheckedTopic[],
  group: string | undefined,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<AskedTopics> {
  const asked = new Map<string, readonly FoundPosition[] | Coded>()
  const queue: Asking[] = topics.map((topic) => ({ topic, tries: 1 }))
  const lanes = Array.from({ length: Math.min(LANES, topics.length) }, async () => {
    while (queue.length > 0 && !end.aborted) await askInTurn(queue, asked, group, { connection, end, tries: 1 })
  })
  await Promise.all(lanes)
  return asked
}

/** Takes topics from the queue and asks for them by one client, until something fails: the client would go on asking for a topic that is
 *  gone, and fail with all others. Notes each answer in `asked`, and puts a topic back that may be answered by another client. */
async function askInTurn(
  queue: Asking[],
  asked: Map<string, readonly FoundPosition[] | Coded>,
  group: string | undefined,
  options: Parameters<typeof askCluster>[0],
): Promise<void> {
  // after a failure, the topic that was being asked for
  let next: Asking | undefined
  const all = await askCluster({ ...options, group: group ?? '' }, async (admin) => {
    for (next = queue.shift(); next; next = queue.shift())
      asked.set(next.topic.name, await askPositions(admin, next.topic.name, next.topic.entry, group))
  })
  if (all.kind === 'answered' || !all.problem || !next) return
  const { problem } = all
  const { topic, tries } = next
  const text = problem.kind === 'passing' ? `${problem.text}.` : problem.error.message
  asked.set(topic.name, { code: problemCode(problem), text })
  if (problem.kind === 'passing' && tries < TRIES) queue.push({ topic, tries: tries + 1 })
}
