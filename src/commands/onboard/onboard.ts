// `onboard`: provisions a client end to end, each part of it once. Reads the config, opens the journal, and lets onboarding/run.ts do
// the steps.

import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readOnboardConfig, type OnboardConfig } from '../../config/onboard/onboard-load.ts'
import { configError } from '../../config/load.ts'
import { readFileText } from '../../config/read-file.ts'
import { ConnectorError, NO_CODE, asConnectorError } from '../../core/errors.ts'
import type { Clock } from '../../core/types.ts'
import { plannedRequests } from '../../onboarding/dry-run.ts'
import { CREATING, isOpen } from '../../onboarding/journal-entries.ts'
import { openJournal, type Journal } from '../../onboarding/journal.ts'
import { openOnboardOutput, type OnboardOutput } from '../../onboarding/output/onboard-output.ts'
import { checkResultFile, writeResultFile } from '../../onboarding/output/result-file.ts'
import { readChoices, type Choices } from '../../onboarding/user-answers.ts'
import { runOnboarding } from '../../onboarding/run.ts'
import type { OnboardingPlan } from '../../onboarding/types.ts'
import type { Ended, Io } from '../../process/io.ts'
import { argumentTexts, argumentText, type ArgumentValues } from '../../process/read-arguments.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { Scrubber } from '../../secrets/scrubber.ts'
import { serviceRoute } from '../../service/http/proxy.ts'
import { createOnboardingApi } from '../../service/onboarding/onboarding-api.ts'
import type { OnboardingApi, OnboardingApiOptions } from '../../service/onboarding/onboarding-api.ts'
import { named } from '../../service/onboarding/onboarding-outcome.ts'
import { isWanted, wantedBy } from '../../telemetry/log.ts'
import { requestLog } from '../request-log.ts'
import { scrubbed } from '../../telemetry/summary/summary-scrub.ts'

/** `onboard` from the command line. @returns 2 after a message about wrong usage; else as `onboard` */
export async function onboardCommand(values: ArgumentValues, io: Io, clock?: Clock): Promise<Ended> {
  const text = (name: string): string | undefined => argumentText(values, name)
  const configFile = text('config') ?? ''
  const choices =
    configFile === ''
      ? { problem: 'It needs --config FILE; onboard --example prints one.' }
      : readChoices(text, argumentTexts(values, 'not-created') ?? [])
  if ('problem' in choices) {
    const { misuse } = await import('../help/render-help.ts')
    return misuse(io, choices.problem, 'onboard')
  }
  const files = { configFile, journalFile: text('journal'), outputFile: text('output') }
  const options = { ...files, json: values['json'] === true, dryRun: values['dry-run'] === true, choices }
  return await onboard(options, io, clock)
}

interface OnboardArguments {
  readonly configFile: string
  /** Beside the config when absent. */
  readonly journalFile: string | undefined
  /** The file that the result is also written to. `undefined` when it is only printed. */
  readonly outputFile: string | undefined
  readonly json: boolean
  readonly dryRun: boolean
  /** Answers to questions that earlier runs asked. */
  readonly choices: Choices
}

/** The exit code of a run that asks the user. */
const EXIT_ASKS = 3

/** Provisions a client, or in a dry run shows the requests of that.
 *  @returns 0; 1 after an error on stderr; 3 after a question there; `stopped` when the process was asked to stop. Never throws. */
export async function onboard(options: OnboardArguments, io: Io, clock: Clock = systemClock): Promise<Ended> {
  const { scrubber } = io
  const output = openOnboardOutput(io, options.json)
  try {
    const config = await loaded(options.configFile, io)
    const proxies = {
      baseProxy: serviceRoute(config.baseUrl, io),
      dashboardProxy: serviceRoute(config.dashboardUrl, io),
    }
    if (options.dryRun) {
      output.planned(plannedRequests(config))
      return 0
    }
    const journalFile = options.journalFile ?? (await besideConfig(options.configFile))
    using journal = openJournal(journalFile, { wallClock: Date.now, scrub: scrubber.scrub })
    // the journal exists by now, so that a link to it is found out
    if (options.outputFile !== undefined) {
      await checkResultFile(options.outputFile, [options.configFile, ...journal.files])
    }
    return await run({ plan: config, apiOptions: { ...config, ...proxies }, journal, output, options, clock }, io)
  } catch (error) {
    output.failed(asConnectorError(error).message)
    return 1
  } finally {
    await output.close()
  }
}

interface OnboardParts {
  readonly plan: OnboardingPlan
  readonly apiOptions: Omit<OnboardingApiOptions, 'scrub' | 'wallClock' | 'onExchange'>
  readonly journal: Journal
  readonly output: OnboardOutput
  readonly options: OnboardArguments
  readonly clock: Clock
}

async function run({ plan, apiOptions, journal, output, options, clock }: OnboardParts, io: Io): Promise<Ended> {
  const { scrub } = io.scrubber
  const onExchange = requestNotes(io, output.progress)
  const service = createOnboardingApi({ ...apiOptions, scrub, wallClock: Date.now, onExchange })
  const api = { ...service, createToken: withTokensHidden(service.createToken, io.scrubber) }
  const ended = await runOnboarding({
    plan,
    choices: options.choices,
    api,
    journal,
    progress: output.progress,
    clock,
    scrub,
    // a step that was begun is finished on the first stop signal: a half-made client is worse than an unreported one
    signal: io.stopAsked ?? io.signal,
  })
  if (ended.status === 'stopped') {
    output.stopped(stoppedWords(journal))
    return 'stopped'
  }
  if (ended.status === 'asks') {
    output.asks(ended.question)
    return EXIT_ASKS
  }
  const result = scrubbed(ended.value, scrub)
  try {
    if (options.outputFile !== undefined) await writeResultFile(options.outputFile, result)
  } finally {
    // the client exists even if its result file could not be written
    output.done(result, journal.path)
  }
  return 0
}

/** Logs requests as notes between the steps. `undefined` when LOG_LEVEL does not ask for that. */
function requestNotes({ env }: Io, progress: OnboardOutput['progress']): OnboardingApiOptions['onExchange'] {
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  if (problem !== undefined) progress.note(problem)
  return isWanted('debug', least) ? requestLog(async (_level, message) => progress.note(message)) : undefined
}

/** Words for a run that was stopped: how to go on, and what the next run does about a request whose outcome is unknown. */
function stoppedWords({ known, path }: Journal): string {
  const endpoint = CREATING.find((creating) => isOpen(known.made[creating].state))
  // a connection or a connection test, which the service lists
  const asks = endpoint === 'A6' || endpoint === 'A8' ? 'look in the list of the service, or ask you,' : 'ask you'
  const next = endpoint === undefined ? '' : ` It will ${asks} whether ${named(endpoint)} was carried out.`
  return `Stopped. Run the same command again to continue; ${JSON.stringify(path)} records what was created already.${next}`
}

/** Reads the config, whose secrets it has the scrubber learn first. Throws a ConnectorError (config) that lists every problem. */
async function loaded(file: string, { env, scrubber }: Io): Promise<OnboardConfig> {
  const text = await readFileText(file, '--config')
  const reading = await readOnboardConfig(text, { env, folder: dirname(file) })
  scrubber.learn(reading.secrets)
  if (reading.config !== undefined) return reading.config
  throw configError('onboard', file, reading)
}

/** The journal's place when none is given. Throws a ConnectorError (config) where the config is no file, such as a pipe. */
async function besideConfig(file: string): Promise<string> {
  if ((await stat(file)).isFile()) return `${file}.journal`
  const message = 'The configuration is not a regular file, so say where to put the journal: --journal FILE.'
  throw new ConnectorError('config', NO_CODE, message)
}

type CreateToken = OnboardingApi['createToken']

/** Keeps tokens out of debug output, which waits until the scrubber knows those in the answer. Where a token may have been made that is
 *  not known, that output is left out. */
function withTokensHidden(createToken: CreateToken, scrubber: Pick<Scrubber, 'debug' | 'learn'>): CreateToken {
  return async (...given) => {
    const release = scrubber.debug.hold()
    let mayShow = false
    try {
      const outcome = await createToken(...given)
      if (outcome.status === 'answered') {
        const { access_token: token, refresh_token: refresh } = outcome.value
        scrubber.learn(typeof refresh === 'string' ? [token, refresh] : [token])
      }
      mayShow = outcome.status !== 'unclear' && !('ambiguous' in outcome && outcome.ambiguous)
      return outcome
    } finally {
      release(mayShow)
    }
  }
}
