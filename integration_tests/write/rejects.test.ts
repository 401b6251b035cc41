// `write` as a process, and records that this connector cannot store: kept in a table, kept in a file, or the end of the run.

import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { MAIN, run, workFolder, type WorkFolder } from '../connector.ts'
import { argsOf, countsIn, logs, record, rejectsOf, state, stream, trace, write } from './driver.ts'

const runFile = promisify(execFile)

const BAD: readonly (readonly [string, string, string])[] = [
  ['a null key', '{"id":null,"x":"é\\u0000\\ud800\u2028"}', 'is null'],
  ['no key', ' { "x" : 1.10 } ', 'is missing'],
  ['an array for a key', '{"id":[]}', 'is an array'],
  ['a key twice', '{"id":1,"\\u0069d":1}', 'twice'],
  ['a reserved name twice', '{"id":1,"keys":1,"keys":2}', 'twice'],
  ['a reserved name that cannot be renamed', '{"id":1,"keys":1,"keys_":2}', 'keys_'],
  ['too many levels', `{"id":1,"x":${'['.repeat(1024)}${']'.repeat(1024)}}`, '1,024'],
]

/** A good record before and behind each bad one, and a state after each pair; the last line ends without LF. */
const LINES = BAD.flatMap(([, data], index) => [
  record(`{"id":${index},"x":"good"}`),
  record(data),
  state(String(index)),
])
const INPUT = `\uFEFF${LINES.join('\r\n')}`
const GOOD = BAD.map((_, index) => `{"keys":["id"],"id":${index},"x":"good"}`)

describe('divert', () => {
  it('keeps them in a table, counts them, and the rest arrives', async () => {
    const done = await write({ input: INPUT, config: { on_rejected: 'divert' } })
    expect(done.code).toBe(0)
    expect(new Set(done.rows('orders'))).toEqual(new Set(GOOD))
    const rows = rejectsOf(done.rows('rejected_records'))
    expect(rows.map(({ message }) => message)).toEqual(BAD.map(([, data]) => record(data)))
    expect(rows.map(({ line }) => line)).toEqual(BAD.map((_, index) => 3 * index + 2))
    for (const [index, [, , words]] of BAD.entries()) expect(rows[index]!.reason).toContain(words)
    expect(rows[0]).toMatchObject({
      stream: 'orders',
      namespace: null,
      table: 'orders',
      superseded: 0,
      part: 1,
      parts: 1,
    })
    expect(done.states.map(countsIn)).toEqual(BAD.map(() => ({ recordCount: 1, rejectedRecordCount: 1 })))
    const warnings = logs(done, 'WARN').split('\n')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/"orders".* line 2, .* is null.*"rejected_records"/)
    expect(logs(done, 'INFO')).toMatch(/orders: 14 records, .* 7 rejected[^]*Rejected: 7 .*"rejected_records"/)
  })

  it('keeps them in a file, which a write takes when it is repaired', async () => {
    await using work = await workFolder()
    const file = `${work.path}/rejects.jsonl`
    const config = { on_rejected: 'divert', rejected_file: file }
    const done = await write({ input: INPUT, config })
    expect([done.code, new Set(done.rows('orders')), done.rows('rejected_records')]).toEqual([0, new Set(GOOD), []])
    expect(done.states.map(countsIn)).toEqual(BAD.map(() => ({ recordCount: 1, rejectedRecordCount: 1 })))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines.pop()).toBe('')
    for (const [index, [, data, words]] of BAD.entries()) {
      expect(lines[index]!.startsWith(`${record(data).slice(0, -1)},"rejection":{"stream":"orders",`)).toBe(true)
      const { rejection } = JSON.parse(lines[index]!) as { rejection: object }
      expect(rejection).toMatchObject({ line: 3 * index + 2, reason: expect.stringContaining(words) as string })
    }
    expect(logs(done, 'WARN')).toContain(JSON.stringify(file))

    const repaired = lines.map((line, index) =>
      line.replace(/"data":[^]*,"emitted_at"/, `"data":{"id":${index},"x":9},"emitted_at"`),
    )
    const again = await write({ input: repaired.join('\n'), config })
    expect([again.code, again.rows('orders').length]).toEqual([0, BAD.length])
    expect(again.rows('orders')[0]).toBe('{"keys":["id"],"id":0,"x":9}')
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(BAD.length + 1)
    // what is still wrong is rejected anew, for its new reason alone
    await write({ input: lines[0]!.replace('null', '{}'), config })
    const last = (await readFile(file, 'utf8')).split('\n').at(-2)!
    expect(last.match(/"rejection"/g)).toHaveLength(1)
    expect(JSON.parse(last)).toMatchObject({
      rejection: { line: 1, reason: expect.stringContaining('an object') as string },
    })
  })

  it('keeps as many as a stream may have that has a limit of its own', async () => {
    const input = [...Array(9).keys()]
      .map(() => record('{}'))
      .concat(state('1'), record('{}', 'users'), record('{}', 'users'))
    const config = { on_rejected: 'divert', max_rejected: 1, streams: [{ name: 'orders', max_rejected: 9 }] }
    const done = await write({ input: input.join('\n'), streams: [stream('orders'), stream('users')], config })
    expect(trace(done).message).toContain('of stream "users" are rejected: 2 of 2 received, and max_rejected is 1.')
    expect(done.states.map(countsIn)).toEqual([{ recordCount: 0, rejectedRecordCount: 9 }])
  })

  it('keeps data that is not UTF-8 in a table, exactly in base64, once however often it comes', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    const args = await diverting(service, work, {})
    const broken = Buffer.from(record('{"id":2,"x":"caf\u00e9"}'), 'latin1')
    const input = Buffer.concat([Buffer.from(`${record('{"id":1}')}\n`), broken, Buffer.from(`\n${state('1')}\n`)])
    for (let times = 0; times < 2; times++) {
      const done = await run(args, input)
      expect([done.code, done.states.map(countsIn)]).toEqual([0, [{ recordCount: 1, rejectedRecordCount: 1 }]])
      const rows = rejectsOf(service.rows('rejected_records'))
      expect(rows).toMatchObject([{ line: 2, message: record('{"id":2,"x":"caf\ufffd"}'), stream: 'orders' }])
      expect(Buffer.from(rows[0]!.message_base64!, 'base64').equals(broken)).toBe(true)
      expect(rows[0]!.reason).toBe('its data is not valid UTF-8, which the source must write')
    }
  })

  it('keeps data that is not UTF-8 in a file as it came, which does not grow when it is read again', async () => {
    await using work = await workFolder()
    const [file, next] = [`${work.path}/rejects.jsonl`, `${work.path}/next.jsonl`]
    const broken = Buffer.from(record('{"id":2,"x":"caf\u00e9"}'), 'latin1')
    await write({ input: broken, config: { on_rejected: 'divert', rejected_file: file } })
    const kept = await readFile(file)
    expect(kept.subarray(0, broken.length - 1).equals(broken.subarray(0, -1))).toBe(true)
    await write({ input: kept, config: { on_rejected: 'divert', rejected_file: next } })
    const withoutTime = (bytes: Buffer): string => bytes.toString('latin1').replace(/"rejected_at":"[^"]*"/, '')
    expect(withoutTime(await readFile(next))).toBe(withoutTime(kept))
    const repaired = Buffer.from(kept.toString('latin1'))
    const done = await write({ input: repaired, config: { on_rejected: 'divert', rejected_file: next } })
    expect(done.rows('orders')).toEqual(['{"keys":["id"],"id":2,"x":"café"}'])
  })

  it('never reads what it has just written', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    const file = await work.file('rejects.jsonl', `${record('{"id":1}')}\n${record('{"id":null}')}\n${state('1')}\n`)
    const [, ...args] = await diverting(service, work, { rejected_file: file })
    const before = await readFile(file, 'utf8')
    const command = `"${process.execPath}" "${MAIN}" write "$@" < "${file}"`
    const failed = (await runFile('sh', ['-c', command, 'sh', ...args]).catch((error: unknown) => error)) as {
      stdout: string
      code: number
    }
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/"message":"Input line 2 .*is the input itself/)
    expect(service.rows('orders')).toEqual(['{"keys":["id"],"id":1}'])
    expect(await readFile(file, 'utf8')).toBe(before)
    await writeFile(file, before.replace('null', '2'))
    expect((await runFile('sh', ['-c', command, 'sh', ...args])).stdout).toContain('"recordCount":2.0')
    expect(service.rows('orders')).toHaveLength(2)
  })
})

describe('divert without room', () => {
  it('tells of a file that cannot be appended to before anything is sent, and so does check', async () => {
    await using work = await workFolder()
    const config = { on_rejected: 'divert', rejected_file: `${work.path}/none/rejects.jsonl` }
    const done = await write({ input: INPUT, config })
    expect(trace(done)).toMatchObject({
      failure_type: 'config_error',
      message: expect.stringContaining('none/rejects.jsonl') as string,
    })
    expect(done.requests).toBe(0)
    await using service = await startLocalService()
    const [, ...args] = await diverting(service, work, { ...config, api_key: 'another-key' })
    const { stdout } = await run(['check', ...args.slice(0, 2)])
    expect(stdout).toMatch(/"FAILED".*2 things are wrong.*none\/rejects\.jsonl.*api_key/)
  })

  it('ends the run, and the next one begins a new line', async () => {
    await using service = await startLocalService()
    await using work = await workFolder()
    const file = `${work.path}/rejects.jsonl`
    const args = await diverting(service, work, { rejected_file: file })
    const bad = record(`{"id":null,"x":"${'x'.repeat(3000)}"}`)
    await work.file('input', `${record('{"id":1}')}\n${state('1')}\n${bad}\n${state('2')}\n${bad}\n${state('3')}\n`)
    // the first bad record fits, the second breaks off within
    const limited = `trap '' XFSZ; ulimit -f 8; exec "${process.execPath}" "${MAIN}" "$@" < "${work.path}/input"`
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
    const failed = (await runFile('sh', ['-c', limited, 'sh', ...args], { env }).catch((error: unknown) => error)) as {
      stdout: string
      code: number
    }
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(
      /"recordCount":1\.0,"rejectedRecordCount":0\.0[^]*"TRACE".*cannot be appended to.*"failure_type":"config_error"/,
    )
    const torn = await readFile(file, 'utf8')
    expect(torn.endsWith('\n')).toBe(false)
    expect((await run(args, bad)).code).toBe(0)
    const kept = await readFile(file, 'utf8')
    expect(kept.startsWith(`${torn}\n${bad.slice(0, -1)},"rejection"`)).toBe(true)
    expect(kept.endsWith('}\n')).toBe(true)
  })
})

/** The arguments of a write that diverts. */
function diverting(service: LocalService, work: WorkFolder, more: object): Promise<string[]> {
  return argsOf(service, work, undefined, { retry_for_seconds: 1, on_rejected: 'divert', ...more })
}
