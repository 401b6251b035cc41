// `stream --check`: tests everything a run depends on before anything starts, and reports all that is missing at once: each part
// is checked even when another has failed. Sends and commits nothing.

import { dirname } from 'node:path'
import { readFileText } from '../../config/read-file.ts'
import type { RegistryConfig, StreamConfig } from '../../config/stream/stream-config.ts'
import { readStreamConfig } from '../../config/stream/stream-load.ts'
import { deadLetterFileFindings } from '../../kafka/check/check-dead-letters.ts'
import { KafkaCheck } from '../../kafka/check/check-kafka.ts'
import { failed, note, ok, warn, CheckReport, type CheckFinding } from '../../kafka/check/check-report.ts'
import { registryFinding } from '../../kafka/check/check-registry.ts'
import type { OpenSchemas } from '../../kafka/source/registry-route.ts'
import type { ReadSecret } from '../../core/secret.ts'
import type { OpenLogins } from '../../kafka/source/fetch-tokens.ts'
import { openLogins } from '../../kafka/source/open-logins.ts'
import type { Ended, Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { paintFor } from '../../process/paint.ts'
import { serviceRoute } from '../../service/http/proxy.ts'
import { PATIENCE, probeService } from '../../service/import/probe-service.ts'
import { asSentence } from '../../text/printable.ts'
import { checkFault } from '../check.ts'

const NOTHING_ELSE =
  'Nothing else was checked, because that needs a configuration. stream --example shows a configuration.'

/** Checks, and prints what was found as it is found.
 *  @returns 0 when a run can start, 1 when something is in its way; `stopped` when the process was asked to stop. Never throws. */
export async function streamCheck(configFile: string, io: Io): Promise<Ended> {
  const { scrub } = io.scrubber
  // what fails because the process was stopped says nothing of the set-up
  const write = (text: string): Promise<void> =>
    io.signal.aborted ? Promise.resolve() : io.stdout.write(text).catch(() => {})
  const paint = paintFor(io, io.columns !== undefined)
  const report = new CheckReport({ scrub, write, width: io.columns ?? Infinity, paint })
  try {
    const config = await configOf(configFile, io, report)
    if (config) await checkAll(config, io, report)
  } catch (error) {
    await report.add([failed(checkFault(error))])
  }
  return io.signal.aborted ? 'stopped' : report.end()
}

/** Reads the config and reports on it. `undefined` when it cannot be used. */
async function configOf(file: string, io: Io, report: CheckReport): Promise<StreamConfig | undefined> {
  const text = await readFileText(file, '--config')
  const learn = (secrets: readonly string[], of?: string): void => io.scrubber.learn(secrets, of)
  const environment = { env: io.env, folder: dirname(file), learn }
  const { config, problems, code, warnings, secrets } = await readStreamConfig(text, environment)
  // the secrets there are now; `environment.learn` is called again whenever the check reads a secret file anew
  learn(secrets)
  await report.add(problems.map((problem) => failed({ code, text: `Configuration: ${asSentence(problem)}` })))
  await report.add(warnings.map((warning) => warn('config.warning', `Configuration: ${warning}.`)))
  if (config) await report.add([ok(`The configuration ${JSON.stringify(file)} can be used.`)])
  else await report.add([note(NOTHING_ELSE)])
  return config
}

/** Asks the service while the rest is checked. The rest goes in order, as the registry needs logins, and Kafka needs both. Kafka is not
 *  asked while a token is missing. */
async function checkAll(config: StreamConfig, io: Io, report: CheckReport): Promise<void> {
  const service = serviceFindings(config, io).catch((error: unknown) => [failed(checkFault(error))])
  try {
    using logins = await openLogins(config, { io, log: async () => {}, clock: systemClock })
    // the same config, but its logins can read their secrets, also tokens of a token server
    const { config: usable, tokens } = logins
    await checkTokens(tokens, io.signal, report)
    await using registry = usable.registry && (await openRegistry(usable.registry, usable, io, report))
    const parts = { config: usable, report, schemas: registry?.store, signal: io.signal }
    if (tokens.every((token) => token.last !== undefined)) await new KafkaCheck(parts).run()
  } finally {
    await report.add(await deadLetterFileFindings(config))
    await report.add(await service)
  }
}

/** Opens the registry for the rest of the check, and reports whether it can be asked. @returns `undefined` when it cannot */
async function openRegistry(
  registry: RegistryConfig<ReadSecret>,
  { limits: { requestTimeoutMs, maxRequestBytes: mostBytes } }: Pick<StreamConfig, 'limits'>,
  io: Io,
  report: CheckReport,
): Promise<OpenSchemas | undefined> {
  const { openSchemas } = await import('../../kafka/source/registry-route.ts')
  const { scrub } = io.scrubber
  await using stack = new AsyncDisposableStack()
  try {
    const proxy = serviceRoute(registry.url, io)
    const opened = stack.use(openSchemas({ ...registry, proxy, requestTimeoutMs, mostBytes, scrub }, async () => {}))
    const finding = await registryFinding(opened, io.signal)
    await report.add([finding])
    if (finding.level !== 'ok') return undefined
    // nothing is disposed of here: the caller does that by `opened`
    stack.move()
    return opened
  } catch (error) {
    await report.add([failed(checkFault(error))])
    return undefined
  }
}

/** How long the check waits for tokens of the token servers. */
const TOKEN_MS = 6_000

async function checkTokens(tokens: OpenLogins['tokens'], signal: AbortSignal, report: CheckReport): Promise<void> {
  if (tokens.length === 0) return
  const { tokenFinding } = await import('../../kafka/check/check-token.ts')
  const end = AbortSignal.any([signal, AbortSignal.timeout(TOKEN_MS)])
  await report.add(await Promise.all(tokens.map((token) => tokenFinding(token, end))))
}

async function serviceFindings({ service, limits }: StreamConfig, io: Io): Promise<CheckFinding[]> {
  const proxy = serviceRoute(service.baseUrl, io)
  const { requestTimeoutMs } = limits
  const problems = await probeService({ ...service, proxy, requestTimeoutMs }, io.scrubber.scrub, io.signal, PATIENCE)
  if (problems.length > 0) return problems.map(failed)
  const { origin } = new URL(service.baseUrl)
  const through = proxy ? `, through the proxy ${proxy.origin} (${proxy.variable})` : ''
  const sandbox = service.sandbox ? ' This is the sandbox: nothing will be stored.' : ''
  return [ok(`${origin} is working${through}, and accepts the key for client ${service.clientId}.${sandbox}`)]
}
