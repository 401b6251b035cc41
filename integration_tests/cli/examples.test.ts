// The folder `spec/sample`: its page names all of it and the test that runs each; and its scripts do what they say.

import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rmdir, stat } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { AS_USER, readPage, ROOT, shell, trying } from './readme-commands.ts'
import { workFolder, type WorkFolder } from '../connector.ts'

const rowsOf = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('| **'))

it('are all on their page, each with a test that is there', async () => {
  const rows = rowsOf(await readPage('spec/sample/README.md'))
  const named = rows.flatMap((row) => Array.from(row.matchAll(/`([\w-]+\.\w+)`/g), ([, name]) => name!))
  const there = readdirSync(new URL('spec/sample/', ROOT)).filter((name) => name !== 'README.md')
  expect([...new Set(named)].toSorted()).toEqual(there.toSorted())
  for (const row of rows) {
    const [example, , , runBy] = row.split(' | ') as [string, string, string, string]
    const path = /`(integration_tests\/[\w./-]+\.ts)`/.exec(runBy)![1]!
    expect(existsSync(new URL(path, ROOT)), row).toBe(true)
    expect(example.startsWith('| **')).toBe(true)
  }
})

it('repairs what was rejected', async () => {
  await trying(async (adapted, work) => {
    const said = await shell(adapted(await readPage('spec/sample/repair.sh')))
    expect(said).toContain('"destinationStats":{"recordCount":1.0,"rejectedRecordCount":1.0}')
    expect(said).toContain('orders: 1 record, 1 row sent, 0 rejected')
    expect(await readFile(`${work.path}/rejected.jsonl`, 'utf8')).toBe('')
    expect(await readFile(`${work.path}/repaired.jsonl`, 'utf8')).toContain('"id":4')
  })
})

interface Synced {
  readonly status: number | null
  readonly stdout: string
  /** What cron's log has besides. */
  readonly stderr: string
}

/** Through `cron.sh`, into work's states.jsonl. */
function synced(
  work: WorkFolder,
  config: string,
  env: Readonly<Record<string, string>> = {},
  catalog = 'spec/sample/catalog.json',
  messages = 'spec/sample/messages.jsonl',
): Synced {
  const args = ['spec/sample/cron.sh', config, catalog, messages, `${work.path}/states.jsonl`]
  const said = spawnSync('sh', args, { ...AS_USER, env: { ...AS_USER.env, ...env }, encoding: 'utf8' })
  return { status: said.status, stdout: said.stdout.trim(), stderr: said.stderr }
}

it('syncs from cron, and keeps the STATEs of each run', async () => {
  await trying(async (_, work) => {
    const config = `${work.path}/config.json`
    const stored = { status: 0, stdout: 'Everything is stored.', stderr: '' }
    expect(synced(work, config)).toEqual(stored)
    const wrong = await work.file('wrong.json', (await readFile(config, 'utf8')).replace('demo-key', 'no-key'))
    expect(synced(work, wrong)).toMatchObject({ status: 1 })
    expect(synced(work, config)).toEqual(stored)
    const states = (await readFile(`${work.path}/states.jsonl`, 'utf8')).trim().split('\n')
    expect(states.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['STATE', 'STATE'])
  })
})

const logged = (level: string, message: string, rest = ''): string =>
  `{"type":"LOG","log":{"level":"${level}","message":"${message}"${rest}}}\n`

it('says from cron what was kept as rejected', async () => {
  await trying(async (_, work) => {
    const wrong = '{"type":"RECORD","record":{"stream":"orders","data":{"item":"x"},"emitted_at":1}}\n'
    const messages = await work.file('in.jsonl', wrong)
    const { status, stdout } = synced(work, `${work.path}/divert.json`, {}, undefined, messages)
    expect([status, stdout]).toEqual([
      0,
      `Everything is stored but what was rejected. Rejected: 1 (older versions of their rows included), kept in the file "${work.path}/rejected.jsonl".`,
    ])
  })
})

it('tells from cron of an outage', async () => {
  await using work = await workFolder()
  const outage = logged('WARN', 'The service does not answer.', ',"event":"outage.began"')
  const printed = outage + logged('INFO', 'orders: 2 records')
  const program = await work.file('program.sh', `cat '${await work.file('printed', printed)}'\n`)
  const { stdout, stderr } = synced(work, 'config.json', { ANALYTICS: `sh ${program}` })
  expect([stdout, stderr]).toEqual(['Everything is stored.', outage])
})

it('keeps whole STATEs from cron, wherever a full disk tore one', async () => {
  await using work = await workFolder()
  const states = `${work.path}/states.jsonl`
  const line = '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_state":{"c":1}}}}'
  const printed = `${work.path}/printed`
  const program = await work.file('program.sh', `cat '${printed}'\n`)
  for (let at = 1; at < line.length; at += 3) {
    const torn = line.slice(0, at)
    // what is there is torn, and so is what is printed
    await work.file('states.jsonl', `${line}\n${torn}`)
    await work.file('printed', `${line}\n${torn}`)
    synced(work, 'config.json', { ANALYTICS: `sh ${program}` })
    expect(await readFile(states, 'utf8')).toBe(`${line}\n${torn}\n${line}\n`)
  }
})

it('says from cron that STATEs could not be kept, and keeps them before the next run', async () => {
  await using work = await workFolder()
  const states = `${work.path}/states.jsonl`
  const state = (cursor: number): string => `{"type":"STATE","state":{"data":{"c":${cursor}}}}\n`
  const printing = async (cursor: number): Promise<string> => {
    const printed = await work.file(`printed-${cursor}`, state(cursor))
    return `sh ${await work.file('program.sh', `cat '${printed}'\n`)}`
  }
  // nothing can be appended to a folder, whoever runs this
  await mkdir(states)
  const unkept = { status: 1, stdout: expect.stringMatching(/^Rows are stored, STATEs not kept: make room [^\n]*$/) }
  expect(synced(work, 'config.json', { ANALYTICS: await printing(1) })).toMatchObject(unkept)
  expect(synced(work, 'config.json', { ANALYTICS: await printing(2) })).toMatchObject(unkept)
  await rmdir(states)
  const { status, stdout } = synced(work, 'config.json', { ANALYTICS: await printing(3) })
  expect([status, stdout]).toEqual([0, 'Everything is stored.'])
  // the second run did not begin
  expect(await readFile(states, 'utf8')).toBe(state(1) + state(3))
})

it('keeps the STATEs of a run from cron that was killed with its script', async () => {
  await using work = await workFolder()
  const line = '{"type":"STATE","state":{}}\n'
  const printed = await work.file('printed', line)
  const killing = await work.file('killing.sh', `cat '${printed}'\nkill -9 "$SCRIPT"\n`)
  // the script under the name of its own process
  const args = ['config.json', 'spec/sample/catalog.json', 'spec/sample/messages.jsonl', `${work.path}/states.jsonl`]
  const env = { ...AS_USER.env, ANALYTICS: `sh ${killing}` }
  const exec = 'export SCRIPT=$$; exec sh spec/sample/cron.sh "$@"'
  expect(spawnSync('sh', ['-c', exec, 'sh', ...args], { ...AS_USER, env }).signal).toBe('SIGKILL')
  expect(existsSync(`${work.path}/states.jsonl`)).toBe(false)
  expect(synced(work, 'config.json', { ANALYTICS: 'true' }).status).toBe(0)
  expect(await readFile(`${work.path}/states.jsonl`, 'utf8')).toBe(line)
})

it('says from cron why a run failed, and keeps that for the owner beyond the next run', async () => {
  await trying(async (_, work) => {
    const config = `${work.path}/config.json`
    const wrong = await work.file('wrong.json', (await readFile(config, 'utf8')).replace('demo-key', 'no-key'))
    const advice = 'It fails until somebody corrects what the error says.'
    const unauthorised = synced(work, wrong)
    expect(unauthorised).toMatchObject({ status: 1, stdout: advice })
    expect(unauthorised.stderr).toMatch(/^Failed: .* the key is wrong\. .*\[service\.key-refused\]\n$/)
    const unreadable = synced(work, config, {}, `${work.path}/none.json`)
    expect(unreadable).toMatchObject({ status: 1, stdout: advice })
    expect(unreadable.stderr).toMatch(/^Failed: .*none\.json.*\[catalog\.unreadable\]\n$/)
    // the real program, on a disk that takes nothing more
    const full = await work.file('full.sh', 'exec node src/start.js "$@" > /dev/full\n')
    expect(synced(work, config, { ANALYTICS: `sh ${full}` })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^Standard output cannot be written: ENOSPC, there is no space left\. Records stored: .* \[output\.unwritable\]\n$/,
      ),
    })
    const killed = await work.file('killed.sh', 'kill -9 $$\n')
    expect(synced(work, config, { ANALYTICS: `sh ${killed}` })).toMatchObject({
      status: 137,
      stdout: expect.stringMatching(/^It ended with 137: .*killed/),
    })
    expect(synced(work, config).status).toBe(0)
    const errors = `${work.path}/states.jsonl.errors`
    const kept = await readFile(errors, 'utf8')
    for (const { stderr } of [unauthorised, unreadable]) expect(kept).toContain(stderr)
    expect(kept.match(/^That was \d{4}-.*Z, exit code (?:1|137)\.$/gm)).toHaveLength(4)
    for (const file of [errors, `${work.path}/states.jsonl.said`, `${work.path}/states.jsonl`])
      expect((await stat(file)).mode & 0o777).toBe(0o600)
  })
})

it.each([
  [1, '{"type":"TRACE","trace":{"error":{"failure_type":"transient_error"}}}', /^It failed for now\./],
  [1, '', /^It fails until somebody/],
  [2, '', /^It did not begin: the command is wrong/],
  [129, '', /^It was stopped/],
  [130, '', /^It was stopped/],
  [143, '', /^It was stopped/],
  [137, '', /^It ended with 137: .*memory/],
])('says from cron what the exit code %i asks for', async (code, printed, words) => {
  await using work = await workFolder()
  const program = await work.file('program.sh', `echo '${printed}'\nexit ${code}\n`)
  const { status, stdout } = synced(work, 'config.json', { ANALYTICS: `sh ${program}` })
  expect([status, stdout]).toEqual([code, expect.stringMatching(words)])
})

it('leaves a run alone that is still going', async () => {
  await using work = await workFolder()
  const inside = await work.file('inside.sh', 'exit 0\n')
  // the second run begins while the first is in its program
  const program = await work.file(
    'program.sh',
    `ANALYTICS='sh ${inside}' sh spec/sample/cron.sh a b spec/sample/catalog.json '${work.path}/states.jsonl'; echo "ended $?" >&2\nexit 0\n`,
  )
  const args = ['spec/sample/cron.sh', 'a', 'b', 'spec/sample/catalog.json', `${work.path}/states.jsonl`]
  const env = { ...AS_USER.env, ANALYTICS: `sh ${program}` }
  const { status, stdout, stderr } = spawnSync('sh', args, { ...AS_USER, env, encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([0, 'Everything is stored.\n', 'ended 75\n'])
  expect(await readFile(`${work.path}/states.jsonl.said`, 'utf8')).toContain('still going')
})

it('says in one line that no broker is reached', () => {
  const args = ['spec/sample/produce.mjs', '127.0.0.1:1', 'orders']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...AS_USER, input: '', encoding: 'utf8' })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^No broker can be reached at 127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/)
})
