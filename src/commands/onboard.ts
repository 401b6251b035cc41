// `onboard`: a client provisioned end to end, once. A list of constructors.

import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { OnboardConfig } from '../config/onboard-config.ts'
import { readOnboardConfig } from '../config/onboard-load.ts'
import { readFileText } from '../config/read-file.ts'
import { asConnectorError } from '../core/as-connector-error.ts'
import { ConnectorError } from '../core/errors.ts'
import { lock } from '../local-service/sqlite-lock.ts'
import type { Choices } from '../onboarding/choices.ts'
import { openJournal } from '../onboarding/journal.ts'
import type { Journal } from '../onboarding/journal.ts'
import { CREATING } from '../onboarding/journal-entries.ts'
import { plannedRequests } from '../onboarding/dry-run.ts'
import { onboard as runOnboarding } from '../onboarding/run.ts'
import type { Onboarding } from '../onboarding/types.ts'
import { createOnboardingApi } from '../service/onboarding-api.ts'
import type { OnboardingOptions } from '../service/onboarding-api.ts'
import { routeTo } from '../service/proxy.ts'
import type { Scrubber } from '../telemetry/scrubber.ts'
import type { Ended, Io } from './io.ts'
import { openOnboardOutput } from './onboard-output.ts'
import type { OnboardOutput } from './onboard-output.ts'
import { checkResultFile, writeResultFile } from './onboard-result.ts'
import { systemClock } from './system-clock.ts'

export interface OnboardOptions {
  readonly configFile: string
  /** Absent: beside the config. */
  readonly journalFile: string | undefined
  readonly outputFile: string | undefined
  readonly json: boolean
  readonly dryRun: boolean
  readonly choices: Choices
}

const ASKS = 3
const GRACE_MS = 5_000

/** @returns 0; 1 after an error on stderr; 3 after a question there; `stopped` when the process was told to stop. Never
 *  throws. */
export async function onboard(options: OnboardOptions, io: Io): Promise<Ended> {
  const { scrubber } = io
  const output = openOnboardOutput(io, options.json)
  try {
    const config = await loaded(options.configFile, io)
    const plan = planOf(config)
    const routes = routesOf(config, io)
    if (options.dryRun) {
      output.planned(plannedRequests(plan))
      return 0
    }
    const journalFile = options.journalFile ?? (await besideConfig(options.configFile))
    if (options.outputFile !== undefined) await checkResultFile(options.outputFile, [options.configFile, journalFile])
    using journal = openJournal(journalFile, { lock, wallClock: Date.now, scrub: scrubber.scrub })
    return await run({ plan, config, routes, journal, output, options }, io)
  } catch (error) {
    output.failed(asConnectorError(error).message)
    return 1
  } finally {
    await output.close()
  }
}

interface Parts {
  readonly plan: Onboarding
  readonly config: OnboardConfig
  readonly routes: Pick<OnboardingOptions, 'baseProxy' | 'dashboardProxy'>
  readonly journal: Journal
  readonly output: OnboardOutput
  readonly options: OnboardOptions
}

async function run({ plan, config, routes, journal, output, options }: Parts, io: Io): Promise<Ended> {
  const { baseUrl, dashboardUrl, caCertificate, clientCertificate, clientKey } = config
  const tls = { caCertificate, clientCertificate, clientKey }
  const { scrub } = io.scrubber
  const api = createOnboardingApi({ baseUrl, dashboardUrl, ...routes, ...tls, scrub, wallClock: Date.now })
  const ended = await runOnboarding({
    plan,
    choices: options.choices,
    api,
    journal,
    progress: output.progress,
    clock: systemClock,
    scrub,
    learn: (secret) => io.scrubber.learn([secret]),
    signal: io.signal,
  })
  if (ended.status === 'stopped') {
    output.stopped(stoppedWords(journal))
    return 'stopped'
  }
  if (ended.status === 'asks') {
    output.asks(ended.question)
    return ASKS
  }
  const result = scrubbed(ended.value, scrub)
  if (options.outputFile !== undefined) await writeResultFile(options.outputFile, result)
  output.done(result, journal.path)
  return 0
}

function stoppedWords({ known, path }: Journal): string {
  const open = CREATING.filter((endpoint) => ['sent', 'unknown'].includes(known.made[endpoint].state))
  const question = open.length === 0 ? '' : ` It will ask what became of ${open.join(' and ')}.`
  return `Stopped. Run the same command again to go on; what is made already is noted in ${JSON.stringify(path)}.${question}`
}

async function loaded(file: string, { env, scrubber }: Io): Promise<OnboardConfig> {
  const text = await readFileText(file, '--config')
  const { config, problems, secrets } = await readOnboardConfig(text, { env, folder: dirname(file) })
  scrubber.learn(secrets)
  if (config !== undefined) return config
  const list = problems.map((problem) => `\n  ${problem}`).join('')
  throw new ConnectorError(
    'config',
    `The configuration ${JSON.stringify(file)} cannot be used (onboard --example shows one that can):${list}`,
  )
}

function planOf({ timing, ...config }: OnboardConfig): Onboarding {
  const { baseUrl, dashboardUrl, login, client, user, update, connection, test, dashboards } = config
  const all = { ...timing, graceMs: GRACE_MS }
  return { baseUrl, dashboardUrl, login, client, user, update, connection, test, dashboards, timing: all }
}

function routesOf({ baseUrl, dashboardUrl }: OnboardConfig, { env, scrubber }: Io): Parts['routes'] {
  const [baseProxy, dashboardProxy] = [baseUrl, dashboardUrl].map((address) => {
    const route = routeTo(address, env)
    if ('problem' in route) throw new ConnectorError('config', `The environment cannot be used: ${route.problem}.`)
    scrubber.learn(route.secrets)
    return route.proxy
  })
  return { baseProxy, dashboardProxy }
}

/** A config from a pipe has no place beside it. */
async function besideConfig(file: string): Promise<string> {
  if ((await stat(file)).isFile()) return `${file}.journal`
  throw new ConnectorError(
    'config',
    'The configuration is no ordinary file, so say where the journal goes: --journal FILE.',
  )
}

function scrubbed<T extends object>(result: T, scrub: Scrubber['scrub']): T {
  const members = Object.entries(result).map(([name, value]) => [
    name,
    typeof value === 'string' ? scrub(value) : value,
  ])
  return Object.fromEntries(members) as T
}
