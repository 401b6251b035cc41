// Each event is provoked: its log line is made by what notices it. `topic.offset-reset` needs a broker that loses records:
// integration_tests/stream/topic-anew.test.ts has it.

import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS, type Event } from '../src/core/codes.ts'
import { ConnectorError } from '../src/core/errors.ts'
import { GroupMember } from '../src/kafka/client/group-member.ts'
import { FetchedAhead } from '../src/kafka/source/fetched-ahead.ts'
import { KafkaSource } from '../src/kafka/source/kafka-source.ts'
import { StreamTopics } from '../src/kafka/source/stream-topics.ts'
import { rows } from '../src/kafka/source/testing/delivery.ts'
import { batchOf, position } from '../src/kafka/source/testing/partitions.ts'
import { TOPIC, topicConfig } from '../src/kafka/source/testing/topics.ts'
import { topicShared } from '../src/kafka/topics/topic-tables.ts'
import type { Log, LogFields } from '../src/process/io.ts'
import { ownFolder } from '../src/process/testing/own-folder.ts'
import { keepRejected } from '../src/rejects/reject-policy.ts'
import { Scrubber } from '../src/secrets/scrubber.ts'
import { OutageWatch } from '../src/telemetry/outage-watch.ts'
import { RunFiles } from '../src/telemetry/report/run-files.ts'
import { aboutRun } from '../src/telemetry/report/testing/about.ts'
import { runLines } from '../src/telemetry/run-entries.ts'
import { facts } from '../src/run/testing/facts.ts'

const folder = ownFolder('file')

/** Of a log that is written to until they are asked for. */
function listening() {
  const events: unknown[] = []
  const note = (_level: unknown, _message: unknown, fields?: LogFields): void => void events.push(fields?.event)
  const log: Log = (...line) => Promise.resolve(note(...line))
  return { events, note, log }
}

function outage(): unknown[] {
  const { events, log } = listening()
  let now = 0
  const clock = { now: () => now }
  const watch = new OutageWatch({ who: 'The service', place: 'a:1', patience: '', clock, log })
  watch.began()
  watch.failed({ words: 'connection refused' })
  now = 5000
  watch.look()
  watch.began()
  watch.answered()
  watch.look()
  return events
}

async function source(): Promise<unknown[]> {
  const { events, note } = listening()
  const topics = new StreamTopics([topicConfig({ topic: { name: TOPIC } })], topicShared(''), note)
  const options = {
    space: topicShared('').space,
    clock: { now: () => 0 },
    wallClock: () => 0,
    keepsRecords: false,
    topic: (name: string) => topics.find(name),
    turn: () => Promise.resolve(),
    log: note,
  }
  const source = new KafkaSource({ ...options, ahead: new FetchedAhead() })
  const consumer = { commit: () => Promise.reject(new Error('not now')), pause() {}, resume() {} }
  source.use(consumer)
  source.assigned([position(0, 0n)])
  const [partition] = source.partitions
  partition!.settledTo = 5n
  await source.commit()
  source.batch(batchOf(0, rows(0, 5)))
  source.failed(new ConnectorError('transient', 'kafka.unreachable', 'no broker'))
  return events
}

/** @param looks the topics that are there, look by look */
async function member(looks: readonly (readonly string[])[]): Promise<unknown[]> {
  const { events, note } = listening()
  const stop = new AbortController()
  let now = 0
  let look = 0
  let sessions = 0
  const session = async (signal: AbortSignal): Promise<unknown> => {
    if (sessions++ === 0) return new Error('Closed connection')
    if (!signal.aborted) await once(signal, 'abort')
    return undefined
  }
  const other = { pause() {}, resume() {}, halt() {}, commit: () => Promise.resolve() }
  const options = {
    connection: { brokers: ['a:1'] },
    group: 'g',
    scrub: String,
    clock: {
      now: () => now,
      wait: async (ms: number) => {
        await new Promise((resolve) => setImmediate(resolve))
        now += ms
      },
    },
    topics: {
      refreshMs: 1000,
      mayChange: true,
      find: () => {
        if (look >= looks.length) stop.abort()
        return Promise.resolve(looks[Math.min(look++, looks.length - 1)]!)
      },
    },
    sessionTimeoutMs: 30_000,
    rebalanceTimeoutMs: 60_000,
    heartbeatMs: 3000,
    brokerDeadlineMs: 5000,
    openSession: () => ({ ...other, run: session }),
  }
  const heard = { assigned() {}, revoked: () => Promise.resolve(), lost() {}, batch() {}, failed() {}, log: note }
  await new GroupMember(options as never, heard).run(stop.signal)
  return events
}

async function reject(): Promise<unknown[]> {
  const { events, log } = listening()
  const sink = { place: 'a', keep: () => Promise.resolve(undefined), [Symbol.asyncDispose]: () => Promise.resolve() }
  const origins = {
    noun: 'stream',
    take: () => undefined,
    clean: String,
    placeOf: () => 'line 1',
    nameOf: () => 'orders',
    whereOf: () => ({ place: 'line 1' }),
  }
  const policy = keepRejected(sink, origins as never, { scrub: String, log, logKeys: false })
  const rejected = {
    track: { name: 'orders' },
    table: undefined,
    reason: 'no',
    origin: 1,
    superseded: 0,
    supersededAt: [],
  }
  await policy.rejects.put(rejected as never, new AbortController().signal)
  return events
}

function progress(): unknown[] {
  const { events, log } = listening()
  const lines = runLines(log, () => ({ message: 'Under way', fields: { records: 1 } }))
  lines.show(facts({ at: 0 }))
  lines.show(facts({ at: 60_000 }))
  return events
}

async function reported(): Promise<unknown[]> {
  const { events, log } = listening()
  const [older, newer] = [join(folder, 'older.json'), join(folder, 'newer.json')]
  for (const [summary, compare, records] of [
    [older, undefined, 5],
    [newer, older, 0],
  ] as const) {
    const options = { command: 'write', runId: 'one', files: [], log } as const
    const io = { scrubber: new Scrubber(), signal: new AbortController().signal }
    const report = await RunFiles.open({ summary, ...(compare && { compare }) }, options, io)
    await report.begin(aboutRun('orders', () => records))
    await report.end('complete')
  }
  return events
}

const PROVOKED: readonly (readonly [() => unknown[] | Promise<unknown[]>, readonly Event[]])[] = [
  [outage, ['outage.began', 'outage.ended']],
  [source, ['group.joined', 'table.chosen', 'group.commit-failed', 'group.reading-stopped']],
  [
    () => member([[], ['a'], ['a', 'b'], ['b']]),
    ['topic.none', 'topic.joined', 'topic.gone', 'group.client-restarted'],
  ],
  [reject, ['reject.first']],
  [progress, ['run.progress']],
  [reported, ['report.written', 'run.changed']],
]

test.each(PROVOKED.map(([provoke, wanted]) => [wanted.join(', '), provoke, wanted] as const))(
  '%s',
  async (_, provoke, wanted) => {
    expect(await provoke()).toEqual(expect.arrayContaining([...wanted]))
  },
)

test('these are all', () => {
  expect([...PROVOKED.flatMap(([, events]) => events), 'topic.offset-reset'].toSorted()).toEqual(
    Object.keys(EVENTS).toSorted(),
  )
})
