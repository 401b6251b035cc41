// Runs `onboard` against a local service for tests: as a process that can be killed, or in this one, which is faster. All
// output, journals and results pass by one search for secrets.

import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { onboardCommand } from '../../src/commands/onboard/onboard.ts'
import type { Clock } from '../../src/core/types.ts'
import type { OnboardingOptions } from '../../src/local-service/onboarding/options.ts'
import { clientOverview, signupOverview } from '../../src/local-service/onboarding/overview.ts'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { systemClock } from '../../src/process/system-clock.ts'
import { workFolder } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'
import type { ArgumentValues } from '../../src/process/read-arguments.ts'

export const SECRETS = {
  PASSWORD: 'demo-password',
  CLIENT_SECRET: 'demo-secret',
  DB_PASSWORD: 'store-db-passphrase',
} as const

/** Longer than any limit of an onboarding. */
const LONG_MS = 30 * 24 * 3_600_000

export const ONE_OF_EACH = { signups: 1, users: 1, connections: 1, dashboards: 1 }

export interface Setting {
  readonly onboarding?: OnboardingOptions
  /** Milliseconds since 1970, for jobs and tokens. */
  readonly now?: () => number
  /** Over the config's own members. */
  readonly config?: Readonly<Record<string, unknown>>
}

export const AT_ONCE = { durationMs: 0, outcome: 'completed' }
export const ALL_AT_ONCE = { signup: AT_ONCE, connection: AT_ONCE, connectionTest: AT_ONCE, dashboards: AT_ONCE }

/** One onboarding: its local service, its files, and every secret there is. */
export type Onboarded = Awaited<ReturnType<typeof onboarding>>

export async function onboarding({ onboarding = {}, now, config = {} }: Setting = {}) {
  const tokens = new Set<string>()
  const service = await startLocalService({
    ...(now === undefined ? {} : { now }),
    onboarding: {
      plans: ALL_AT_ONCE,
      ...onboarding,
      onCall: async (call) => {
        const { authorization = '', cookie = '' } = call.headers
        const token = /(?:Bearer |DASHSESS2=)([^;]+)/.exec(`${authorization};${cookie}`)?.[1]
        if (token !== undefined) tokens.add(token)
        await onboarding.onCall?.(call)
      },
    },
  })
  const work = await workFolder()
  const configFile = await work.file('onboard.json', { ...configOf(service.url), ...config })
  const journalFile = `${configFile}.journal`
  const resultFile = `${work.path}/result.json`
  let aheadMs = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const journal = (): string => (existsSync(journalFile) ? readFileSync(journalFile, 'utf8') : '')
  const resultText = (): string => (existsSync(resultFile) ? readFileSync(resultFile, 'utf8') : '')
  const checkSecrets = (...texts: readonly string[]): void => {
    for (const text of [...texts, journal(), resultText()]) {
      for (const secret of [...Object.values(SECRETS), ...tokens]) expect(text).not.toContain(secret)
    }
  }
  return {
    service,
    work,
    configFile,
    journalFile,
    resultFile,
    args: ['onboard', '--config', configFile, '--output', resultFile],
    /** Tokens that were sent. */
    tokens,
    /** All limits of the run are over: what it waits for is still heard. */
    passTime: () => void (aheadMs += LONG_MS),
    /** In this process. `options` as on the command line, without dashes. */
    async run(options: ArgumentValues = {}, signal = new AbortController().signal) {
      const told = await runHere({ config: configFile, output: resultFile, ...options }, signal, clock)
      checkSecrets(told.stdout, told.stderr)
      return told
    },
    result: () => (resultText() === '' ? undefined : (JSON.parse(resultText()) as Record<string, unknown>)),
    journal,
    /** How many of each there are. */
    made: () => madeBy(service),
    /** Fails if a text, the journal or the result holds a secret. */
    checkSecrets,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await work[Symbol.asyncDispose]()
    },
  }
}

async function runHere(options: ArgumentValues, signal: AbortSignal, clock: Clock) {
  const [stdout, stderr] = [new Said(), new Said()]
  const code = await onboardCommand(options, { ...ioOf(NO_INPUT, stdout, stderr), env: SECRETS, signal }, clock)
  return { code, stdout: await stdout.text(), stderr: await stderr.text() }
}

/** The end of a process, and its errors; both outputs are read to their end. */
export async function outcome(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  const words: Buffer[] = []
  child.stderr!.on('data', (chunk: Buffer) => words.push(chunk))
  child.stdout?.resume()
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stderr: Buffer.concat(words).toString() }
}

/** Of the clients that were signed up. */
function madeBy({ onboarding }: LocalService) {
  const clients = clientOverview(onboarding).filter(({ id }) => id !== 7)
  const count = (of: (client: (typeof clients)[number]) => readonly unknown[]): number =>
    clients.reduce((sum, client) => sum + of(client).length, 0)
  return {
    signups: signupOverview(onboarding).length,
    users: count(({ users }) => users),
    connections: count(({ connections }) => connections),
    dashboards: count(({ dashboards }) => dashboards),
  }
}

/** As JSON; secrets by reference. */
export function configOf(url: string): Readonly<Record<string, unknown>> {
  return {
    base_url: url,
    dashboard_url: url,
    login: {
      username: 'demo@example.com',
      password: '${PASSWORD}',
      client_id: 1,
      client_secret: '${CLIENT_SECRET}',
    },
    client: {
      tier: 'pro',
      company: 'Acme',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      role: 'owner',
      shop: { customer_id: 'c-1', subscription_id: 's-1' },
    },
    properties: {
      default_currency: 'EUR',
      timezone: 'Europe/Berlin',
      week_start_day: '1',
      shop_version: '2.4',
      stale_email_summary_action: 'none',
    },
    connection: {
      name: 'store',
      credentials: { password: '${DB_PASSWORD}' },
      properties: { dbName: 'shop', host: 'db.example.com', username: 'reader' },
    },
    dashboards: { package: 'basic' },
    polling: { first_seconds: 0.01, max_seconds: 0.02 },
    retry_for_seconds: 20,
  }
}
