// What the process says of itself: help, versions, typos, schemas, and the examples of the help as a user's shell runs them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { HELP } from '../../src/commands/help/help-texts.ts'
import { commandLine } from '../../src/commands/help/render-help.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import { PROGRAM } from '../../src/process/start-command.ts'
import { execute, MAIN, workFolder, type Executed, type WorkFolder } from '../connector.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const run = (file: string, args: readonly string[], env?: NodeJS.ProcessEnv, cwd = ROOT): Promise<Executed> =>
  execute(file, args, env, cwd)
const main = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Executed> =>
  run(process.execPath, [MAIN, ...args], env)

it('explains itself to a pipe, as wide as COLUMNS says', async () => {
  const [asked, narrow, version] = await Promise.all([
    main(['write', '--help'], { TERM: 'dumb', NO_COLOR: '1' }),
    main(['help', 'write'], { COLUMNS: '60' }),
    main(['-V']),
  ])
  for (const [said, width] of [
    [asked, 80],
    [narrow, 60],
  ] as const) {
    expect(said).toMatchObject({ code: 0, err: '' })
    expect(Math.max(...said.out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width)
  }
  expect(version).toMatchObject({ code: 0, err: '' })
  expect(await main(['write', '--confg', 'x'])).toEqual({
    code: 2,
    out: '',
    err: 'write: Unknown option --confg; did you mean --config? See write --help.\n',
  })
})

it('is not put off by a reader that leaves, and says when a disk is full', async () => {
  const shell = (code: string): Promise<Executed> =>
    run('bash', ['-o', 'pipefail', '-c', code], { NODE: process.execPath, MAIN })
  expect(await shell('"$NODE" "$MAIN" stream --schema | head -1')).toEqual({ code: 0, out: '{\n', err: '' })
  const full = {
    code: 1,
    out: '',
    err: 'Standard output cannot be written: ENOSPC, there is no space left. [output.unwritable]\n',
  }
  for (const args of [
    'spec',
    'write --config absent --catalog absent',
    'stream --config absent',
    'stream --check --config absent',
    'stream --example',
  ])
    expect(await shell(`"$NODE" "$MAIN" ${args} > /dev/full`), args).toEqual(full)
})

it('says that a stream has stopped when its log cannot be written', async () => {
  await using work = await workFolder()
  const config = {
    import_url: 'http://127.0.0.1:1',
    client_id: 7,
    api_key: { file: await work.file('key', 'key-of-nobody') },
    kafka: { brokers: ['127.0.0.1:1'], group: 'g', tls: false },
    topics: [{ topic: 't', keys: ['id'] }],
  }
  const CONFIG = await work.file('stream.yaml', JSON.stringify(config))
  const env = { NODE: process.execPath, MAIN, CONFIG }
  const words = /^stream has stopped because .* closed or full\. What was settled is committed\.$/m
  const full = await run('bash', ['-c', '"$NODE" "$MAIN" stream --config "$CONFIG" > /dev/full'], env)
  expect(full).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^Standard output cannot be written: ENOSPC, there is no space left\. \[output\.unwritable\]$/m,
    ),
  })
  expect(full.err).toMatch(words)
  const left = await run('bash', ['-o', 'pipefail', '-c', '"$NODE" "$MAIN" stream --config "$CONFIG" | true'], env)
  expect(left).toMatchObject({ code: 1, err: expect.stringMatching(words) })
  expect(left.err).not.toContain('cannot be written')
})

/** A folder as the examples have it, with the program on the PATH. */
async function exampleFolder(work: WorkFolder, url: string): Promise<NodeJS.ProcessEnv> {
  for (const name of ['config.json', 'onboard.yaml']) {
    const text = await readFile(join(ROOT, 'spec/sample', name), 'utf8')
    await writeFile(join(work.path, name), text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, url))
  }
  for (const name of ['catalog.json', 'messages.jsonl'])
    await copyFile(join(ROOT, 'spec/sample', name), join(work.path, name))
  const program = await work.file(PROGRAM, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  await chmod(program, 0o755)
  return {
    PATH: `${work.path}${delimiter}${process.env['PATH']}`,
    ONBOARD_PASSWORD: 'demo-password',
    ONBOARD_CLIENT_SECRET: 'demo-secret',
    STORE_DB_PASSWORD: 'demo-store',
  }
}

it('has examples that work', async () => {
  const plans = Object.fromEntries(
    ['signup', 'connection', 'connectionTest', 'dashboards'].map((kind) => [kind, { durationMs: 0 }]),
  )
  await using service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }], onboarding: { plans } })
  await using work = await workFolder()
  const env = await exampleFolder(work, service.url)
  const helps = [HELP.check, HELP.plan, HELP.write, HELP.onboard]
  const streams = HELP.stream.examples.filter(([, run]) => run.includes('--example'))
  for (const [, example] of [...helps.flatMap(({ examples }) => examples), ...streams]) {
    const code = commandLine(example)
    const said = await run('sh', ['-c', code], env, work.path)
    expect(said, code).toMatchObject({ code: 0, err: '' })
    // what it prints is to be edited first
    if (code.includes('--example')) await exampleFolder(work, service.url)
    if (code.includes(' check ')) expect(said.out).toContain('"status":"SUCCEEDED"')
    if (code.startsWith('LOG_LEVEL=debug')) expect(said.out).toContain('"level":"DEBUG","message":"POST /v2/client/7/')
  }
  expect(service.rows('orders', 7)).toHaveLength(2)
  expect(await readFile(join(work.path, 'back.jsonl'), 'utf8')).toContain('"type":"STATE"')
  expect(JSON.parse(await readFile(join(work.path, 'onboarded.json'), 'utf8'))).toHaveProperty('client_id')
})

it('serves as its examples say', async () => {
  await using work = await workFolder()
  const env = await exampleFolder(work, 'http://127.0.0.1:1')
  for (const [, example] of HELP.serve.examples) {
    const code = commandLine(example)
    const child = spawn('sh', ['-c', `exec ${code} --port 0`], {
      cwd: work.path,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [greeting] = (await once(child.stdout, 'data')) as [Buffer]
    expect(greeting.toString()).toContain('A local simulator of the Analytics Service')
    child.kill()
    expect(await once(child, 'close')).toEqual([0, null])
  }
})

it('tells as much as LOG_LEVEL asks for, and never leaves out what the protocol asks for', async () => {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }] })
  await using work = await workFolder()
  const env = await exampleFolder(work, service.url)
  const write = `${PROGRAM} write --config config.json --catalog catalog.json`
  const of = async (
    level: string,
    code: string,
  ): Promise<{ code: Executed['code']; kinds: string[]; text: string }> => {
    const { code: ended, out } = await run('sh', ['-c', code], { ...env, LOG_LEVEL: level }, work.path)
    const messages = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; log?: { level: string } })
    return { code: ended, kinds: [...new Set(messages.map(({ type, log }) => log?.level ?? type))], text: out }
  }
  const odd = await of('loud', `${write} < messages.jsonl`)
  expect(odd.kinds).toEqual(['WARN', 'INFO', 'STATE'])
  expect(odd.text.match(/LOG_LEVEL/g)).toHaveLength(1)
  expect(await of('Error', `(cat messages.jsonl; echo nonsense) | ${write}`)).toMatchObject({
    code: 1,
    kinds: ['STATE', 'TRACE'],
  })
})
