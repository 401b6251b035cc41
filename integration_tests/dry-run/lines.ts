// A random input of `write`, its catalog and its options; its dry run, and the run that follows at a service without faults.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dryWrite, write } from '../../src/commands/write.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import type { Summary } from '../../src/telemetry/summary/summary-schema.ts'
import { workFolder } from '../connector.ts'
import { Random } from '../engine/random.ts'
import { generateLine, recordLine } from '../fuzz/generate.ts'
import { oneOf } from '../fuzz/hostile.ts'
import { STREAMS } from '../fuzz/world.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { ReusedChunks } from '../in-process.ts'
import { stream } from '../write/driver.ts'

export interface Lines {
  readonly input: Buffer
  readonly streams: object[]
  /** Without what reaches the service. */
  readonly options: object
}

export function linesOf(seed: number): Lines {
  const random = new Random(seed)
  const chance = (one: number): boolean => random.below(one) === 0
  const hot = chance(3) ? oneOf(random, STREAMS).name : undefined
  const line = (): string => {
    if (hot !== undefined && !chance(3)) return recordLine(random, hot)
    return chance(2) ? simple(random) : generateLine(random)
  }
  // fewer than a run looks at all of
  const lines = Array.from({ length: random.below(chance(4) ? 900 : 120) }, line)
  if (chance(20)) lines.splice(random.below(lines.length + 1), 0, oneOf(random, BAD))
  const text = lines.join(chance(8) ? '\r\n' : '\n') + oneOf(random, ['\n', '', '\n\n'])
  return { input: Buffer.from(text, 'latin1'), streams: catalogOf(random), options: optionsOf(random) }
}

/** Nothing is wrong with it. */
function simple(random: Random): string {
  const id =
    random.below(3) === 0 ? `"${random.below(40)}"` : `${random.below(40)}${oneOf(random, ['', '', '.0', 'e0'])}`
  const data = `{"id":${id},"user_id":${random.below(3)},"a":{"b":${random.below(9)}},"keys":1,"text":"${'x'.repeat(random.below(90))}"}`
  const { name, namespace } = oneOf(random, STREAMS)
  const of = namespace === undefined ? '' : `"namespace":"${namespace}",`
  return `{"type":"RECORD","record":{"stream":"${name}",${of}"data":${data},"emitted_at":${random.below(3)}}}`
}

const BAD = [
  '{"type":"RECORD","record":{"stream":"nowhere","data":{},"emitted_at":1}}',
  '{"type":"RECORD","record":{"stream":"docs","data":[],"emitted_at":1}}',
  '{"type":',
  '\xff',
]

function catalogOf(random: Random): object[] {
  const declared = { properties: { id: {}, a: {}, rare: {} } }
  return STREAMS.map(({ name, namespace, key }) => {
    const isAppend = key.length === 0 || random.below(6) === 0
    const of = { name, ...(namespace === undefined ? {} : { namespace }), json_schema: random.below(2) ? {} : declared }
    const marked = random.below(60) === 0 ? { generation_id: 2, minimum_generation_id: 2, sync_id: 1 } : {}
    return stream(name, {
      stream: of,
      primary_key: key,
      ...(isAppend && { destination_sync_mode: 'append' }),
      ...marked,
    })
  })
}

function optionsOf(random: Random): object {
  const rejected = random.pick({ stop: 2, table: 5, file: 1 })
  const limits = oneOf(random, [{}, {}, { max_rejected: 3 }, { max_rejected_share: 0.3 }])
  const policy = {
    stop: {},
    table: { rejected_records: { policy: 'table' }, max_rejected_share: 1, ...limits },
    file: { rejected_records: { policy: 'file', path: 'FILE' }, max_rejected_share: 1 },
  }[rejected]
  const streams = STREAMS.filter(() => random.below(5) === 0).map(({ name, namespace }) => {
    const chosen = oneOf(random, [
      { identical_records: 'collapse' },
      { keep_last: false },
      { expect: { min_records: 1 } },
      {},
    ])
    return Object.assign({ name }, namespace === undefined ? {} : { namespace }, chosen)
  })
  return {
    ...policy,
    streams,
    ...oneOf(random, [{}, { append_with_primary_key: 'upsert' }]),
    ...oneOf(random, [{}, { metadata_columns: ['_airbyte_extracted_at', '_airbyte_meta'] }]),
    ...oneOf(random, [{}, { max_points: 1 + random.below(20) }, { max_request_bytes: 1024 }, { max_wait_ms: 1 }]),
  }
}

export interface Both {
  readonly dry: DryRun
  readonly dryCode: number | 'stopped'
  /** Requests that came before the run. */
  readonly requests: number
  readonly code: number | 'stopped'
  readonly summary: Summary
  /** What it ended with. */
  readonly error: string | undefined
  /** As they are stored. */
  readonly rows: ReadonlyMap<string, readonly string[]>
}

/** The dry run, and then the run. */
export async function both({ input, streams, options }: Lines): Promise<Both> {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'k' }] })
  await using work = await workFolder()
  const path = join(work.path, 'rejected.jsonl')
  const given = JSON.parse(JSON.stringify(options), (_name, value: unknown) =>
    value === 'FILE' ? path : value,
  ) as object
  const configFile = await work.file('config.json', { import_url: service.url, client_id: 7, api_key: 'k', ...given })
  const catalogFile = await work.file('catalog.json', { streams })
  const [out, dryOut] = [new Said(), new Said()]
  const dryCode = await dryWrite(
    { configFile, catalogFile, json: true, compare: undefined },
    ioOf(new ReusedChunks(input), dryOut, dryOut),
  )
  const dry = JSON.parse(await dryOut.text()) as DryRun
  const requests = service.requests.total
  const summary = join(work.path, 'summary.json')
  const files = { configFile, catalogFile, reportFiles: { summary } }
  const code = await write(files, ioOf(new ReusedChunks(input), out, out))
  return {
    dry,
    dryCode,
    requests,
    code,
    error: errorOf(await out.text()),
    summary: JSON.parse(await readFile(summary, 'utf8')) as Summary,
    rows: new Map(service.tables().map(({ table }) => [table, service.rows(table)])),
  }
}

function errorOf(said: string): string | undefined {
  const messages = said.split('\n').filter((line) => line.includes('"TRACE"'))
  const [trace] = messages.map((line) => JSON.parse(line) as { trace: { error?: { message: string } } })
  return trace?.trace.error?.message
}
