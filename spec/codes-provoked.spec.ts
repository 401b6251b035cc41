// Each code is provoked: by a broken set-up of spec/broken-setups, which is played with the real process and must end with the code it
// names, or here, by the function that gives it. Nothing here may make an error or a finding itself.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lineTooLong } from '../src/airbyte/bad-line.ts'
import { parseCatalog } from '../src/airbyte/catalog.ts'
import { filesLeftOut } from '../src/airbyte/end-words.ts'
import { messageLines, MessageReader } from '../src/airbyte/reader.ts'
import { StdinSource } from '../src/airbyte/stdin-source.ts'
import { planOf } from '../src/commands/plan-outcome.ts'
import { stream } from '../src/commands/stream/stream.ts'
import { readFileText } from '../src/config/read-file.ts'
import { readConfig } from '../src/config/stream/testing/stream-configs.ts'
import { readWriteConfig } from '../src/config/write/write-load.ts'
import { CODES, type Code } from '../src/core/codes.ts'
import { asConnectorError, ConnectorError } from '../src/core/errors.ts'
import { registryFinding } from '../src/kafka/check/check-registry.ts'
import { tokenFinding } from '../src/kafka/check/check-token.ts'
import { wholeNames } from '../src/config/stream/topic-choice.ts'
import { checkTopics } from '../src/kafka/check/check-topics.ts'
import { sampleFindings } from '../src/kafka/check/sample-check.ts'
import { kafkaProblem, problemCode } from '../src/kafka/client/kafka-problem.ts'
import { outOfRange } from '../src/kafka/client/out-of-range.ts'
import { letterTooLarge, topicAway } from '../src/kafka/dead-letters/dead-letter-problems.ts'
import { toLine } from '../src/kafka/dead-letters/letter-line.ts'
import { letterOf } from '../src/kafka/dead-letters/testing/letters.ts'
import { batchError, damaged, tooLarge, UnpackError } from '../src/kafka/log/unreadable-batch.ts'
import { deadLetterPolicy } from '../src/kafka/source/dead-letter-policy.ts'
import { openLogins } from '../src/kafka/source/open-logins.ts'
import { kafkaTrack, originOf } from '../src/kafka/source/kafka-origin.ts'
import { registryRoute } from '../src/kafka/source/registry-route.ts'
import { openReplayFile } from '../src/kafka/source/replay-file.ts'
import { whyStalled } from '../src/kafka/source/stall.ts'
import { topicFinder } from '../src/kafka/source/find-topics.ts'
import { StreamTopics } from '../src/kafka/source/stream-topics.ts'
import { recordOf, topicConfig, topicOf } from '../src/kafka/source/testing/topics.ts'
import { topicShared } from '../src/kafka/topics/topic-tables.ts'
import { MapperSpace } from '../src/mapping/mapper-space.ts'
import { listening } from '../src/process/testing/listening.ts'
import { ownFolder } from '../src/process/testing/own-folder.ts'
import { brokenOutputError } from '../src/process/print.ts'
import { systemClock } from '../src/process/system-clock.ts'
import { Scrubber } from '../src/secrets/scrubber.ts'
import { classify } from '../src/service/import/classify.ts'
import { ReportFile } from '../src/telemetry/report/report-file.ts'
import { readOldSummary } from '../src/telemetry/summary/compare-summaries.ts'
import { facts } from '../src/run/testing/facts.ts'
import { readAreas } from './broken-setups/read-cases.ts'
import { ioOf, NO_INPUT, Said } from '../src/process/testing/said.ts'

/** Throws or rejects with it, or gives what holds it. */
type Provoke = () => unknown

const folder = ownFolder('file')

let files = 0
function file(text: string): string {
  const path = join(folder, `${files++}`)
  writeFileSync(path, text)
  return path
}

const { signal } = new AbortController()
const scrub = (text: string): string => text
const noLog = (): Promise<void> => Promise.resolve()
const PLACE = { topic: 'orders', partition: 0 }
const ANSWER = { status: 200, body: '[]', isCut: false, words: '', retryAfterMs: undefined, leadsTo: undefined }

const broker = (members: object): Code =>
  problemCode(kafkaProblem(Object.assign(new Error('no'), members), { brokers: ['a:1'], group: 'g' }))
const batch = (error: UnpackError) => batchError(PLACE, { codec: 'gzip', error, offsets: undefined }, 0n)
const letters = (): string => `${toLine(letterOf({ offset: 1n }), '2026-11-21T00:00:00.000Z').toString()}\n`
const registry = (answer: object) =>
  registryFinding({ address: 'a', ask: () => Promise.resolve({ ...ANSWER, ...answer }) }, signal)

/** What `--check` finds at a token server that answers so. @param scheme what it is asked by */
async function identity(status: number, body: string, scheme = 'http'): Promise<unknown> {
  await using server = await listening(createServer((_, response) => response.writeHead(status).end(body)))
  const url = `${scheme}://127.0.0.1:${server.port}/token`
  const oauth = { token_url: url, client_id: 'a', client_secret: '${TOKEN}' }
  const sasl = { mechanism: 'oauthbearer', oauth }
  const { config } = await readConfig({ kafka: { sasl, tls: true } })
  const parts = { io: { env: {}, scrubber: new Scrubber() }, clock: systemClock, log: noLog }
  using opened = await openLogins(config!, parts)
  return await tokenFinding(opened.tokens[0]!, AbortSignal.timeout(500))
}

function planned(streams: readonly object[], options: object): unknown {
  const entry = (stream: object): object => {
    return {
      stream: { name: 'orders', json_schema: {} },
      sync_mode: 'incremental',
      destination_sync_mode: 'append',
      ...stream,
    }
  }
  const { tables } = readWriteConfig(JSON.stringify(options))
  return planOf(parseCatalog(JSON.stringify({ streams: streams.map(entry) })), tables!, [], []).findings
}

async function topicsFound(topics: readonly object[], there: readonly string[]) {
  const { config } = await readConfig({ top: { topics } })
  return checkTopics(config!, there, new StreamTopics(config!.topics, topicShared('')))
}

async function readOut(path: string, over = ''): Promise<void> {
  await using replay = await openReplayFile(path, noLog)
  for await (const { next, error } of replay.read(signal)) {
    if (error) throw error
    if (over !== '') rmSync(folder, { recursive: true })
    await replay.commit(next)
  }
}

async function linesOfStream(config: string): Promise<unknown> {
  const said = new Said()
  await stream({ configFile: config, fromDeadLetters: true, reportFiles: {} }, ioOf(NO_INPUT, said, said, { signal }))
  return (await said.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

const HERE: Readonly<Partial<Record<Code, Provoke>>> = {
  'catalog.unreadable': () => readFileText(join(folder, 'none'), '--catalog'),
  'catalog.warning': () => planned([{}], { streams: [{ name: 'orders', keep_last: false }] }),
  'input.unreadable': async () => {
    const fault = Object.assign(new Error('read'), { syscall: 'read', code: 'EISDIR' })
    const input = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fault) }), destroy() {} }
    const reader = new MessageReader(() => undefined)
    const source = new StdinSource({ input, reader, maxLineBytes: 9, awaitStop: noLog } as never)
    await source.read(signal).next()
  },
  'input.line-too-long': () => lineTooLong(1, 5),
  'record.no-value': () => topicOf({ tombstones: 'fail' }).map(recordOf(null, '{"id":1}')),
  'record.table-truncated': () =>
    topicOf({ format: 'debezium', truncate: 'stop' }).map(
      recordOf('{"op":"t","before":null,"after":null,"source":{}}'),
    ),
  'record.file-left-out': () => {
    const track = { name: 'orders', namespace: undefined }
    const reader = new MessageReader(() => ({ mapping: { track } }))
    const line = '{"type":"RECORD","record":{"stream":"orders","data":{},"file_reference":{}}}\n'
    for (const _ of reader.read([...messageLines().push(Buffer.from(line))]));
    return filesLeftOut(reader.files)
  },
  'record.no-row': () => {
    const said: unknown[] = []
    const topics = new StreamTopics(
      [topicConfig({ format: 'debezium', topic: { name: 'a' } })],
      topicShared(''),
      (...line) => said.push(line),
    )
    topics.find('a').mapper.map(recordOf(null, 'x'), { name: 'a/0' }, 0, undefined as never, 0, {} as never)
    return said
  },
  'record.no-table': () => {
    const own = topicConfig({ format: 'debezium' })
    const route = { by: { field: ['type'] }, tables: new Map([['a', own]]), any: undefined, others: 'stop' } as const
    topicOf({ ...own, route }).map(recordOf('{"op":"d","before":null,"after":null,"source":{}}', '{"id":1}'))
  },
  'record.value-unavailable': () =>
    topicOf({ format: 'debezium' }).map(
      recordOf('{"op":"u","before":null,"after":{"id":5,"x":"__debezium_unavailable_value"},"source":{}}'),
    ),
  'service.request-refused': () => {
    const answer = {
      kind: 'answer',
      status: 418,
      headers: {},
      body: Buffer.alloc(0),
      length: 0,
      end: 'whole',
      json: undefined,
    } as const
    const target = { origin: 'http://a', clientId: '7', addressOption: 'import_url', scrub, proxy: undefined }
    return classify(answer, target, 0)
  },
  'topic.refused': () => broker({ type: 'TOPIC_AUTHORIZATION_FAILED' }),
  'topic.none-matches': () => topicsFound([{ pattern: 'a.*', keys: ['id'] }], []),
  'topic.pattern-slow': async () => {
    const said: unknown[] = []
    const finder = topicFinder({
      kafka: { brokers: [], topicRefreshMs: 1 },
      topics: [topicConfig({ topic: { pattern: wholeNames('(a+)+', []), text: '(a+)+' } })],
      check: (read) => read,
      listTopics: () => Promise.resolve([`${'a'.repeat(60)}-`]),
      log: (...line) => said.push(line),
    })
    await finder.find(new AbortController().signal)
    return said
  },
  'topic.tables-meet': () =>
    topicsFound(
      [
        { topic: 'a', keys: ['id'], table: 't' },
        { pattern: 'b.*', keys: ['id'], table: 't', shared_table: true },
      ],
      ['a', 'b1'],
    ),
  'topic.unstorable': () => topicOf({ keys: { from: 'offset', epoch: 1 }, tombstones: 'mark' }),
  'topic.warning': async () => {
    const said: unknown[] = []
    const topics = new StreamTopics(
      [topicConfig({ format: 'airbyte', topic: { name: 'a' } })],
      topicShared(''),
      (...line) => said.push(line),
    )
    const { mapper } = topics.find('a')
    for (const name of ['x', 'y']) {
      const value = JSON.stringify({
        stream: name,
        data: { id: 1 },
        emitted_at: 1,
        type: 'RECORD',
        record: { stream: name, data: { id: 1 }, emitted_at: 1 },
      })
      mapper.map(recordOf(value), { name: 'a/0' }, 0, undefined as never, 0, {} as never)
    }
    return said
  },
  'topic.batch-damaged': () => batch(damaged('x')),
  'topic.batch-too-large': () => batch(tooLarge(5)),
  'topic.batch-too-old': () => batch(new UnpackError('old', 'a format of 2012')),
  'topic.offset-gone': () => outOfRange(PLACE, 5n, { low: 7n, high: 9n }, 'below'),
  'kafka.login-unsafe': () => broker({ code: 'OPEN_LOGIN' }),
  'kafka.version': () => broker({ code: 'OLD_BROKER' }),
  'kafka.group-unusable': () => broker({ type: 'INCONSISTENT_GROUP_PROTOCOL' }),
  'kafka.not-examined': async () => {
    const { config } = await readConfig({ top: { topics: [{ topic: 'a', keys: ['id'] }] } })
    const shared = topicShared('')
    const freshTopics = (): StreamTopics => new StreamTopics(config!.topics, shared)
    const connection = { ...config!.kafka, brokers: ['127.0.0.1:1'], tls: undefined, sasl: undefined }
    const parts = {
      config: { ...config!, kafka: connection, registry: undefined },
      connection,
      freshTopics,
      space: new MapperSpace(),
      schemas: undefined,
      end: AbortSignal.abort(),
    }
    const position = {
      partition: 0,
      range: { low: 0n, high: 5n },
      committed: undefined,
      found: { from: 'start', offset: 0n },
    }
    return sampleFindings(parts, new Map([['a', [position as never]]]))
  },
  'identity.unreachable': () => identity(503, ''),
  'identity.refused': () => identity(401, '{"error":"invalid_client"}'),
  'identity.not-a-token-server': () => identity(200, '<html>'),
  'identity.tls-failed': () => identity(200, '', 'https'),
  'registry.refused': () => registry({ status: 401, body: '' }),
  'registry.not-a-registry': () => registry({ body: '<html>' }),
  'registry.tls-failed': async () => {
    await using server = await listening(createServer())
    const url = `https://127.0.0.1:${server.port}`
    const options = { url, proxy: undefined, requestTimeoutMs: 5000, mostBytes: 1e6, scrub, login: undefined }
    await using route = registryRoute(options as never)
    return await registryFinding(route, signal)
  },
  'dead-letters.not-set': async () =>
    linesOfStream(
      file(
        JSON.stringify({
          import_url: 'http://127.0.0.1:1',
          client_id: 7,
          api_key: { file: file('canary-key-of-codes') },
          kafka: { brokers: ['127.0.0.1:1'], group: 'g' },
          topics: [{ topic: 'a', keys: ['id'] }],
        }),
      ),
    ),
  'dead-letters.topic-read': async () => {
    const config = { onRejected: 'dead-letter', topic: 'letters', file: undefined, logKeys: false } as const
    const send = (): Promise<void> => Promise.resolve()
    await using policy = await deadLetterPolicy(config, {
      scrub,
      take: () => undefined,
      wallClock: () => 0,
      log: noLog,
      openTopic: () => Promise.resolve({ send, [Symbol.asyncDispose]: send }),
    })
    const origin = originOf(letterOf({}).record, true)
    const track = kafkaTrack('letters', 0)
    const rejected = { track, table: undefined, reason: 'no', origin, key: 5, superseded: 0, supersededAt: [] }
    await policy.rejects.put(rejected as never, signal)
  },
  'dead-letters.too-large': () => letterTooLarge('letters', 'a', 9, new Error('no')),
  'dead-letters.unconfirmed': () => topicAway('letters', new Error('no')),
  'dead-letters.not-a-letter': () => readOut(file('{"no":"letter"}\n')),
  'dead-letters.file-unreadable': () => openReplayFile(folder, noLog),
  'dead-letters.file-changed': async () => {
    const path = file(letters())
    await readOut(path)
    writeFileSync(path, '')
    await readOut(path)
  },
  'dead-letters.place-unkept': async () => {
    const gone = mkdtempSync(join(tmpdir(), 'codes-'))
    const path = join(gone, 'letters')
    writeFileSync(path, letters())
    await using replay = await openReplayFile(path, noLog)
    rmSync(gone, { recursive: true })
    await replay.commit(1n)
  },
  'output.unwritable': () => brokenOutputError(Object.assign(new Error('x'), { code: 'ENOSPC' })),
  'run.stalled': () => {
    const stalled = facts({ at: 9000, delivery: { outstanding: 1, settledAt: 0 } })
    return whyStalled(stalled, { stallDeadlineMs: 5000, schemas: undefined, tokens: [], isDry: false })
  },
  'report.file-unusable': () => ReportFile.open('-'),
  'report.not-a-summary': () => readOldSummary(file('{}'), noLog),
  'program.fault': () => asConnectorError(new Error('x')),
}

/** Every member `code` in it. */
function codesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (value instanceof ConnectorError) return [value.code ?? '']
  return Object.entries(value).flatMap(([name, of]) =>
    name === 'code' ? [String(of)] : typeof of === 'object' ? codesIn(of) : [],
  )
}

async function provoked(provoke: Provoke): Promise<string[]> {
  try {
    return codesIn(await provoke())
  } catch (error) {
    if (error instanceof ConnectorError) return codesIn(error)
    throw error
  }
}

test.each(Object.entries(HERE))('%s', async (code, provoke) => {
  expect(await provoked(provoke)).toContain(code)
})

test('every code is provoked, in a broken set-up or here', () => {
  const played = readAreas().flatMap(({ cases }) => cases.map(({ says }) => says.code))
  expect(new Set([...played, ...Object.keys(HERE)].filter((code) => code !== undefined))).toEqual(
    new Set(Object.keys(CODES)),
  )
})

test('nothing here makes an error itself', () => {
  const text = readFileSync(new URL(import.meta.url), 'utf8')
  const made = 'new Connector'.concat('Error(')
  expect(text.includes(made)).toBe(false)
})

test('of broken set-ups, all but those of serve, onboard and wrong usage name a code', () => {
  const nameless = readAreas().flatMap(({ cases }) => cases.filter(({ says }) => says.code === undefined))
  expect(nameless.filter(({ says }) => says.at !== 'stderr').map(({ name }) => name)).toEqual([])
})
