// `onboard` as a process and from its command line: usage, signals, what it leaves behind, whose journal it takes.

import { statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exampleOf } from '../../spec/example.ts'
import { onboardOptions } from '../../src/config/onboard/onboard-options.ts'
import { runCommand } from '../../src/cli.ts'
import { readOnboardConfig } from '../../src/config/onboard/onboard-load.ts'
import { finished, run, start } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'
import { ALL_AT_ONCE, configOf, ONE_OF_EACH, onboarding, SECRETS } from './driver.ts'

const ONBOARD_EXAMPLE = exampleOf('onboard', onboardOptions)

const env = { ...process.env, ...SECRETS }

describe('the command line', () => {
  it.each([
    [[], 'onboard: It needs --config FILE; onboard --example prints one. See onboard --help.'],
    [['--config', 'c', '--client-id', 'x'], '--client-id takes a whole number'],
    [['--config', 'c', '--client-id', ''], 'The value of --client-id is empty'],
    [['--config', 'c', '--dashboard-id', '..'], '--dashboard-id takes an id'],
    [['--config', 'c', '--not-created', 'A3'], '--not-created takes A2, A4, A6, A8 or A10'],
    [['--config', 'c', '--not-created', 'A2', '--client-id', '5'], 'contradict each other'],
    [['--config', 'c', '--password', 'x'], 'onboard: '],
  ])('%j is wrong usage', async (args, words) => {
    const { code, stderr, stdout } = await runRaw(['onboard', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(words)
    expect(stdout).toBe('')
  })

  it('prints an example that is valid once its variables are set', async () => {
    const { code, stdout } = await runRaw(['onboard', '--example'])
    expect(code).toBe(0)
    expect(stdout).toBe(ONBOARD_EXAMPLE)
    const namesIn = (text: string) => [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name!)
    expect(namesIn(stdout.replaceAll(/#.*/g, ''))).toHaveLength(3)
    const set = Object.fromEntries(namesIn(stdout).map((name) => [name, 'secret']))
    expect((await readOnboardConfig(stdout, { env: set, folder: '/' })).problems).toEqual([])
    // what is commented out shows defaults: with all of it put in, it is a config too
    const all = stdout
      .replaceAll(/^( *)# ((?! )\S.*)$/gm, (line, space: string, rest: string) =>
        /^(?!none)[a-z]\w+:/i.test(rest) ? space + rest : line,
      )
      .replaceAll(/^# ( {2}\w+:)/gm, '$1')
      .replaceAll(/^(ca_|client_)(certificate|key):.*$/gm, '')
    expect((await readOnboardConfig(all, { env: set, folder: '/' })).problems).toEqual([])
  })
})

/** In this process. */
async function runRaw(args: readonly string[]): Promise<{ code: number | 'stopped'; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new Said(), new Said()]
  const code = await runCommand({ ...ioOf(NO_INPUT, stdout, stderr), argv: args, env: SECRETS })
  return { code, stdout: await stdout.text(), stderr: await stderr.text() }
}

describe('signals', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s while a job is waited for leaves a state to go on from', async (signal, expected) => {
    const polled = Promise.withResolvers<void>()
    await using it = await onboarding({
      onboarding: {
        plans: { ...ALL_AT_ONCE, connection: { durationMs: 0, outcome: 'hangs' } },
        onCall: ({ endpoint }) => void (endpoint === 'A7' && polled.resolve()),
      },
    })
    const child = start([...it.args, '--json'], { env })
    const done = finished(child)
    await polled.promise
    child.kill(signal)
    const { code, stdout, stderr } = await done
    expect(code).toBe(expected)
    expect(stderr).toContain('Run the same command again to continue')
    it.checkSecrets(stdout, stderr)
    it.service.onboarding.plan(ALL_AT_ONCE)
    expect((await it.run()).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it('waits for the answer to a creating request that is under way', async () => {
    const arrived = Promise.withResolvers<void>()
    await using it = await onboarding({
      onboarding: { onCall: ({ endpoint }) => void (endpoint === 'A2' && arrived.resolve()) },
    })
    it.service.fault({ endpoint: 'A2', delay_ms: 400 })
    const child = start(it.args, { env })
    const code = new Promise((resolve) => child.on('close', resolve))
    child.stdout!.resume()
    await arrived.promise
    child.kill('SIGINT')
    expect(await code).toBe(130)
    expect(it.journal()).toContain('"event":"answered","endpoint":"A2"')
    expect((await it.run()).code).toBe(0)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })
})

describe('the journal', () => {
  it('is for one onboarding, private, and makes a second run make nothing', async () => {
    await using it = await onboarding()
    expect((await it.run()).code).toBe(0)
    expect(statSync(it.journalFile).mode & 0o777).toBe(0o600)
    const result = it.result()
    writeFileSync(it.resultFile, 'lost')
    const calls = it.service.requests.recent().length
    const again = await it.run()
    expect(again.code).toBe(0)
    expect(it.service.requests.recent()).toHaveLength(calls)
    expect(it.result()).toEqual(result)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })

  it.each([
    ['base_url', (config: Config) => ({ ...config, base_url: 'https://other.example.com' })],
    ['client.company', (config: Config) => ({ ...config, client: { ...config.client, company: 'Other' } })],
    ['client.email', (config: Config) => ({ ...config, client: { ...config.client, email: 'o@example.com' } })],
    ['user.email', (config: Config) => ({ ...config, user: { email: 'o@example.com' } })],
    ['connection.name', (config: Config) => ({ ...config, connection: { ...config.connection, name: 'other' } })],
    ['dashboards.package', (config: Config) => ({ ...config, dashboards: { package: 'other' } })],
  ])('of another %s is refused', async (option, changed) => {
    await using it = await onboarding()
    expect((await it.run()).code).toBe(0)
    const config = await it.work.file('other.json', changed(configOf(it.service.url) as unknown as Config))
    const { code, stderr } = await it.run({ config, journal: it.journalFile })
    expect(code).toBe(1)
    expect(stderr).toContain(`belongs to another onboarding: ${option} is`)
    expect(it.made()).toEqual(ONE_OF_EACH)
  })
})

type Config = Readonly<Record<'client' | 'connection', Readonly<Record<string, unknown>>>>

describe('what somebody says is there', () => {
  it('is gone on from: a client of before, nothing of it made twice', async () => {
    await using it = await onboarding()
    expect((await it.run()).code).toBe(0)
    const { client_id: client, connection_id: connection, user_id: user } = it.result()!
    // the journal is lost, the client known
    const journal = `${it.work.path}/new.journal`
    const options = { journal, 'client-id': String(client), 'user-id': String(user) }
    const { code, stdout, stderr } = await it.run(options)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('is there already, by the list')
    expect(it.result()).toMatchObject({ client_id: client, user_id: user, connection_id: connection })
    expect(it.made()).toEqual({ ...ONE_OF_EACH, dashboards: 2 })
    expect((await it.run(options)).code).toBe(0)
    const other = await it.run({ ...options, 'client-id': '99' })
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('--client-id 99 contradicts the journal')
  })

  it('counts once: a second loss needs a second answer', async () => {
    await using it = await onboarding()
    it.service.fault({ endpoint: 'A2', reset: 'before' })
    expect((await it.run()).code).toBe(3)
    it.service.fault({ endpoint: 'A2', reset: 'after' })
    expect((await it.run({ 'not-created': ['A2'] })).code).toBe(3)
    const same = await it.run({ 'not-created': ['A2'] })
    expect(same.code).toBe(3)
    expect(same.stderr).toContain('--not-created A2#2')
    expect(it.made().signups).toBe(1)
  })
})

it('prints JSON lines, and words for people to standard error', async () => {
  await using it = await onboarding()
  it.service.fault({ endpoint: 'A4', reset: 'before' })
  const asked = await run([...it.args, '--json'], '', { env })
  expect(asked.code).toBe(3)
  expect(asked.stderr).toContain('--not-created A4')
  expect(asked.lines.map((line) => JSON.parse(line) as unknown).at(-1)).toMatchObject({ event: 'asks' })
  const { code, lines, stderr } = await run([...it.args, '--json', '--not-created', 'A4'], '', { env })
  expect(code).toBe(0)
  expect(stderr).toBe('')
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(events[0]).toMatchObject({ event: 'step', step: 'login', number: 1, of: 7, state: 'working' })
  expect(events.at(-1)).toMatchObject({ event: 'result', ...it.result() })
  it.checkSecrets(asked.stdout, asked.stderr, ...lines)
})
