// kill -9 at every request of an onboarding, before it is carried out and behind: the next run goes on, or stops and asks,
// and in the end there is one of each.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MAIN } from '../connector.ts'
import { clientOverview } from '../../src/local-service/onboarding/overview.ts'
import type { SeenCall } from '../../src/local-service/onboarding/options.ts'
import type { ArgumentValues } from '../../src/process/read-arguments.ts'
import { ONE_OF_EACH, onboarding, SECRETS, type Onboarded } from './driver.ts'

/** A whole run: every job is asked for twice. */
const CALLS = ['A1', 'A2', 'A3', 'A3', 'A4', 'A5', 'A6', 'A7', 'A7', 'A8', 'A9', 'A9', 'A10', 'A11', 'A11'] as const
const POINTS = CALLS.flatMap((endpoint, index) =>
  (['before', 'behind'] as const).map((when) => ({ endpoint, call: index + 1, when })),
)

type Point = (typeof POINTS)[number]

/** What the next run cannot know. A connection and a test that were made are found again by the lists. */
const ASKED: Readonly<Record<string, readonly Point['when'][]>> = {
  A2: ['before', 'behind'],
  A4: ['before', 'behind'],
  A6: ['before'],
  A8: ['before'],
  A10: ['before', 'behind'],
}

it(`makes one of each, killed at any of ${POINTS.length} points`, async () => {
  expect(POINTS.length).toBeGreaterThanOrEqual(24)
  const queue = [...POINTS]
  const worker = async (): Promise<void> => {
    for (let point = queue.shift(); point; point = queue.shift()) await killAt(point)
  }
  await Promise.all([worker(), worker(), worker()])
})

async function killAt(point: Point): Promise<void> {
  const name = `killed ${point.when} call ${point.call}, ${point.endpoint}`
  let child: ChildProcess | undefined
  let calls = 0
  // each call takes a quarter of what a job takes: the first poll finds it running, the second one done
  let now = Date.now()
  const job = { durationMs: 1_500, outcome: 'completed' }
  const seen: string[] = []
  const plans = { signup: job, connection: job, connectionTest: job, dashboards: job }
  await using it = await onboarding({
    now: () => now,
    onboarding: {
      plans,
      onCall({ endpoint }: SeenCall) {
        calls++
        now += 1_000
        seen.push(endpoint)
        if (point.when === 'before' && calls === point.call) {
          showsNoSecret(child!)
          child!.kill('SIGKILL')
          throw new Error('not carried out')
        }
      },
      onAnswered() {
        if (point.when === 'behind' && calls === point.call) child!.kill('SIGKILL')
      },
    },
  })
  child = spawn(process.execPath, [MAIN, ...it.args], { stdio: 'ignore', env: { ...process.env, ...SECRETS } })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal, name).toBe('SIGKILL')
  expect(seen, name).toEqual(CALLS.slice(0, point.call))
  it.checkSecrets()

  const rerun = await it.run()
  const asks = ASKED[point.endpoint]?.includes(point.when) === true
  expect(rerun.code, `${name}\n${rerun.stdout}${rerun.stderr}`).toBe(asks ? 3 : 0)
  if (asks) {
    expect(rerun.stderr, name).toContain(`--not-created ${point.endpoint}`)
    // somebody looks, a little later
    now += 10_000
    const answer = await it.run(answerFor(point, it))
    expect(answer.code, `${name}\n${answer.stdout}${answer.stderr}`).toBe(0)
  }
  expect(it.made(), name).toEqual(ONE_OF_EACH)
  const client = clientOverview(it.service.onboarding).find(({ id }) => id !== 7)
  expect(it.result(), name).toMatchObject({
    client_id: client!.id,
    user_id: client!.users[0]!.id,
    connection_id: client!.connections[0]!.id,
    dashboard_id: client!.dashboards[0]!.id,
  })
}

/** What somebody finds in the product. */
function answerFor({ endpoint, when }: Point, { service }: Onboarded): ArgumentValues {
  if (when === 'before') return { 'not-created': [endpoint] }
  const client = clientOverview(service.onboarding).find(({ id }) => id !== 7)
  if (endpoint === 'A2') return { 'client-id': String(client!.id) }
  if (endpoint === 'A4') return { 'user-id': String(client!.users[0]!.id) }
  return { 'dashboard-id': client!.dashboards[0]!.id }
}

function showsNoSecret({ pid }: ChildProcess): void {
  const file = `/proc/${pid}/cmdline`
  const line = existsSync(file) ? readFileSync(file, 'utf8') : ''
  for (const secret of Object.values(SECRETS)) expect(line).not.toContain(secret)
}
