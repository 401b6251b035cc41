// `onboard` when nobody reads what it says, or when it is stopped while it does not know: what it goes on with, and what it
// says then.

import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { expect, it } from 'vitest'
import { finished, MAIN, start } from '../connector.ts'
import { ALL_AT_ONCE, configOf, ONE_OF_EACH, onboarding, outcome, SECRETS } from './driver.ts'

const env = { ...process.env, ...SECRETS }
const { client: CLIENT } = configOf('') as { client: object }

it.each([[], ['--json']])('goes on when nobody reads its output any more %j', async (...more: string[]) => {
  await using it = await onboarding()
  const child = start([...it.args, ...more], { env })
  // the first line only
  child.stdout!.once('data', () => child.stdout!.destroy())
  expect(await outcome(child)).toMatchObject({ code: 0, stderr: expect.stringContaining('The onboarding continues') })
  expect(it.made()).toEqual(ONE_OF_EACH)
  expect(it.result()).toMatchObject({ status: 'onboarded' })
})

it('goes on when neither output can be read', async () => {
  await using it = await onboarding()
  const child = start(it.args, { env })
  child.stdout!.destroy()
  child.stderr!.destroy()
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(it.made()).toEqual(ONE_OF_EACH)
})

it('goes on when its output goes to a full disk', async () => {
  await using it = await onboarding()
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [MAIN, ...it.args], { env, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  expect(await outcome(child)).toMatchObject({ code: 0, stderr: expect.stringContaining('The onboarding continues') })
  expect(it.result()).toMatchObject({ status: 'onboarded' })
})

it('can still be stopped then', async () => {
  const polled = Promise.withResolvers<void>()
  await using it = await onboarding({
    onboarding: {
      plans: { ...ALL_AT_ONCE, signup: { durationMs: 0, outcome: 'hangs' } },
      onCall: ({ endpoint }) => void (endpoint === 'A3' && polled.resolve()),
    },
  })
  const child = start(it.args, { env })
  child.stdout!.destroy()
  const ended = outcome(child)
  await polled.promise
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({
    code: 143,
    stderr: expect.stringContaining('Stopped. Run the same command again'),
  })
})

it.each([
  ['A2', 'It will ask you whether A2 (create the client) was carried out.'],
  ['A6', 'It will look in the list of the service, or ask you, whether A6 (add the connection) was carried out.'],
  ['A8', 'It will look in the list of the service, or ask you, whether A8'],
])('stopped while %s is not known: says how the next run finds out', async (at, words) => {
  const [arrived, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using it = await onboarding({
    onboarding: {
      async onCall({ endpoint }) {
        if (endpoint !== at) return
        arrived.resolve()
        await told.promise
      },
    },
  })
  it.service.fault({ endpoint: at, reset: 'before' })
  const child = start([...it.args, '--json'], { env })
  const ended = finished(child)
  child.stdout!.on('data', (chunk: Buffer) => chunk.includes('Stopping') && told.resolve())
  await arrived.promise
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toContain(words)
  expect((await it.run()).stderr).toContain(`--not-created ${at}`)
})

it.each([
  ['A2', { client: { ...CLIENT, company: 'Ac\u009b31mme\u202e' } }, 'the client "Ac?31mme?"'],
  ['A4', { user: { email: 'u\u202e@example.com' } }, 'the user u?@example.com'],
])('asks about %s in letters only, whatever the config holds', async (at, config, words) => {
  await using it = await onboarding({ config })
  it.service.fault({ endpoint: at, reset: 'before' })
  const { code, stderr } = await it.run()
  expect(code).toBe(3)
  expect(stderr).toContain(words)
  expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
})
