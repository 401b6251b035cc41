// `write` as a process, given lines as long as they may be: what becomes of them, and what memory it takes.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { finished, start, workFolder, type Finished } from '../connector.ts'
import { argsOf, record, state, trace } from './driver.ts'

const MIB = 1024 * 1024
const LIMIT = 64 * MIB
const isLinux = process.platform === 'linux'

interface Ran extends Finished {
  /** Bytes; 0 where nobody tells. */
  readonly peak: number
}

/** A line of so many bytes: `head`, then x again and again, then `tail`. */
function lineOf(bytes: number, head: string, tail: string): Buffer {
  const line = Buffer.alloc(bytes, 'x')
  line.write(head, 0)
  line.write(tail, bytes - tail.length)
  return line
}

const longRecord = (bytes: number, id: string): Buffer =>
  lineOf(bytes, record(`{"id":${id},"x":"`).split(',"emitted_at"')[0]!, '"},"emitted_at":1}}')
/** A line of so many bytes: `head`, then `part` as often as there is room, blanks, then `tail`. */
function lineOfParts(bytes: number, head: string, part: string, tail: string): Buffer {
  const line = Buffer.alloc(bytes, ' ')
  const room = bytes - head.length - tail.length
  line.fill(part, head.length, head.length + room - (room % part.length))
  line.write(head, 0)
  line.write(tail, bytes - tail.length)
  return line
}

const dataOf = (part: string, head = '', tail = '"id":1'): Buffer => {
  const [before, after] = record(`{${head}|${tail}}`).split('|')
  return lineOfParts(LIMIT, before!, part, after!)
}
const MEMBER = '"":0,'
const longState = (bytes: number): Buffer => lineOf(bytes, state('{"x":"').slice(0, -3), '"}}}}')

async function written(service: LocalService, lines: readonly (Buffer | string)[], config: object = {}): Promise<Ran> {
  await using work = await workFolder()
  const child = start(await argsOf(service, work, undefined, { retry_for_seconds: 1, ...config }))
  let peak = 0
  const look = setInterval(() => {
    if (!isLinux) return
    readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (status) => (peak = Math.max(peak, 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0))),
      () => {},
    )
  }, 20)
  const done = finished(child)
  for (const line of lines) {
    child.stdin!.write(line)
    child.stdin!.write('\n')
  }
  child.stdin!.end()
  const ended = await done
  clearInterval(look)
  return { ...ended, peak }
}

function expectWithin({ peak }: Ran, longest: number): void {
  if (isLinux) expect(peak).toBeGreaterThan(longest)
  expect(peak).toBeLessThanOrEqual(150e6 + 2 * longest)
}

it('a line of 64 MiB passes, a record and a STATE, in 150 MB and twice its length', { timeout: 240_000 }, async () => {
  await using service = await startLocalService()
  const done = await written(service, [longRecord(LIMIT, '1'), longState(LIMIT), record('{"id":2}'), state('2')])
  expect([done.code, service.rows('orders').length, done.states.length]).toEqual([0, 2, 2])
  expect(done.states[0]!.length).toBe(
    LIMIT + ',"destinationStats":{"recordCount":1.0,"rejectedRecordCount":0.0}'.length,
  )
  expectWithin(done, LIMIT)
})

it.each<[string, number, object, number]>([
  ['64 MiB', LIMIT, {}, 2],
  ['four times max_request_bytes', 80 * MIB, { max_request_bytes: 20 * MIB }, 2],
])(
  'a line of more than %s ends the run with its number and the limit, and what came before is delivered',
  { timeout: 240_000 },
  async (_, limit, config, line) => {
    await using service = await startLocalService()
    const fits = await written(service, [longState(limit)], config)
    expect([fits.code, fits.states.length]).toEqual([0, 1])
    const done = await written(service, [record('{"id":1}'), longRecord(limit + 1, '2'), state('1')], config)
    const error = trace(done)
    expect([error.failure_type, service.rows('orders').length]).toEqual(['system_error', 1])
    expect(error.message).toContain(`Input line ${line} is longer than ${limit} bytes`)
  },
)

it('a line of 200 MiB takes no more than one that may be', { timeout: 240_000 }, async () => {
  await using service = await startLocalService()
  const done = await written(service, [lineOf(200 * MIB, '{"type":"RECORD', '}')])
  expect(trace(done).message).toContain(`Input line 1 is longer than ${LIMIT} bytes`)
  expectWithin(done, LIMIT)
})

it('`divert` keeps a record of 64 MiB whole in a file, within that memory', { timeout: 240_000 }, async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const file = `${work.path}/rejected.jsonl`
  const line = longRecord(LIMIT, 'null')
  const done = await written(service, [line, state('1')], { on_rejected: 'divert', rejected_file: file })
  expect([done.code, done.states.length]).toEqual([0, 1])
  expect((await readFile(file)).subarray(0, line.length - 1).equals(line.subarray(0, -1))).toBe(true)
  expectWithin(done, LIMIT)
})

it.each<[string, string]>([
  ['a STATE', state('1').replace('"stream":{', `"stream":{|`)],
  ['a stream_descriptor', state('1').replace('"name":', '|"name":')],
  ['a STREAM_STATUS', '{"type":"TRACE","trace":{"type":"STREAM_STATUS",|"stream_status":{"status":"COMPLETE"}}}'],
])('%s of millions of members takes no memory for them', { timeout: 240_000 }, async (_, line) => {
  await using service = await startLocalService()
  const [head, tail] = line.split('|')
  const done = await written(service, [lineOfParts(LIMIT, head!, MEMBER, tail!), state('2')])
  expect([done.code, done.states.length]).toEqual([0, line.includes('STATE') ? 2 : 1])
  expectWithin(done, LIMIT)
})

it(
  'a STATE of nothing but destinationStats passes, with counts in the first and the last',
  {
    timeout: 240_000,
  },
  async () => {
    await using service = await startLocalService()
    const [head, tail] = state('1').replace('"stream":', '|"stream":').split('|')
    const done = await written(service, [lineOfParts(LIMIT, head!, '"destinationStats":0,', tail!)])
    expect([done.code, done.states.length]).toEqual([0, 1])
    const { state: printed } = JSON.parse(done.states[0]!) as { state: { destinationStats: unknown } }
    expect(printed.destinationStats).toEqual({ recordCount: 0, rejectedRecordCount: 0 })
    expect(done.states[0]!.slice(0, 100)).toContain('"type":"STREAM","destinationStats":{"recordCount":0.0')
    expectWithin(done, LIMIT)
  },
)

it(
  'a record of more than a million members is rejected, and takes no memory for them',
  {
    timeout: 240_000,
  },
  async () => {
    await using service = await startLocalService()
    const line = dataOf(MEMBER)
    const failed = await written(service, [line, state('1')])
    expect(trace(failed).message).toContain('its data has more than 1,000,000 members')
    expectWithin(failed, LIMIT)
    const diverted = await written(service, [line, record('{"id":2}'), state('1')], { on_rejected: 'divert' })
    expect([diverted.code, diverted.states.length, service.rows('orders').length]).toEqual([0, 1, 1])
    expect(service.rows('rejected_records')[0]).toContain('its data has more than 1,000,000 members')
  },
)

/** Records of 64 MiB, of other ids each. */
const records = (count: number): Buffer[] => Array.from({ length: count }, (_, id) => longRecord(LIMIT, String(id)))
const DIVERT = { on_rejected: 'divert' }

it.each<[string, (Buffer | string)[], object, number]>([
  ['records and STATEs in turn under divert', records(3).flatMap((line) => [line, longState(LIMIT)]), DIVERT, 3],
  ['records and STATEs in turn under fail', records(3).flatMap((line) => [line, longState(LIMIT)]), {}, 3],
  [
    'records of one row, an older version of which may be rejected,',
    [longRecord(LIMIT, '1'), longRecord(LIMIT, '1'), longRecord(LIMIT, '1'), state('1')],
    DIVERT,
    1,
  ],
])('several lines of 64 MiB take no more than one: %s', { timeout: 240_000 }, async (_, lines, config, rows) => {
  await using service = await startLocalService()
  const done = await written(service, lines, config)
  expect([done.code, service.rows('orders').length]).toEqual([0, rows])
  expect(done.states.length).toBe(lines.filter((line) => line.includes('"type":"STATE"')).length)
  expectWithin(done, LIMIT)
})

it.each<[string, Buffer, number | undefined]>([
  ['of nothing but quotes', dataOf('\\"', '"x":"', '","id":null'), undefined],
  ['that the service answers 413', longRecord(LIMIT, '7'), 413],
  ['of nothing but quotes that the service answers 413', dataOf('\\"', '"x":"', '","id":7'), 413],
  ['that the service answers 400', longRecord(LIMIT, '7'), 400],
])('a record of 64 MiB %s goes to a table whole, within that memory', { timeout: 240_000 }, async (_, line, status) => {
  await using service = await startLocalService()
  if (status !== undefined) service.fault({ table: 'orders', every: 2, answer: { status, body: {} } })
  const done = await written(service, [record('{"id":1}'), state('1'), line, state('2')], {
    ...DIVERT,
    // the short record goes by itself
    concurrency: 1,
    max_points: 1,
  })
  expect([done.code, done.states.length]).toEqual([0, 2])
  const parts = service.rows('rejected_records').map((row) => JSON.parse(row) as { part: number; message: string })
  const whole = parts.sort((a, b) => a.part - b.part).map(({ message }) => message)
  expect(Buffer.from(whole.join('')).equals(line)).toBe(true)
  expectWithin(done, LIMIT)
})

it.each<[string, Buffer]>([
  ['a text', dataOf('k', '"id":"', '"')],
  ['a number', dataOf('7', '"id":1', '')],
])('a key of 64 MiB, %s, is rejected, within that memory', { timeout: 240_000 }, async (_, line) => {
  await using service = await startLocalService()
  const done = await written(service, [line, record('{"id":2}'), line, state('1')], DIVERT)
  expect([done.code, service.rows('orders').length]).toEqual([0, 1])
  const reasons = service.rows('rejected_records').map((row) => (JSON.parse(row) as { reason: string }).reason)
  expect(new Set(reasons)).toEqual(new Set(['its key field "id" has more than 65,536 bytes; choose another key']))
  expectWithin(done, LIMIT)
})
