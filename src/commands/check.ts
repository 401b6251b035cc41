// `check`: one CONNECTION_STATUS that names everything that is missing, what was found and what to do.
// Decides what is asked although something else is wrong already; the asking is import-api.ts's.

import { connectionStatus } from '../airbyte/emitter.ts'
import { readWriteConfig } from '../config/load.ts'
import type { WriteReading } from '../config/load.ts'
import { readFileText } from '../config/read-file.ts'
import { ConnectorError } from '../core/errors.ts'
import { checkRejectFile } from '../rejects/reject-file.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { DIRECT, routeTo } from '../service/http/proxy.ts'
import type { Environment } from '../service/http/proxy.ts'
import { PATIENCE, probeService } from '../service/import/import-api.ts'
import type { Patience } from '../service/import/import-api.ts'
import { asSentence } from '../text/printable.ts'

export interface CheckOptions {
  readonly configFile: string
  /** For the proxy; absent: none. */
  readonly env?: Environment
  /** Ends the asking early; the message is written all the same. */
  readonly signal: AbortSignal
  readonly patience?: Partial<Patience>
  /** Is told every secret. */
  readonly scrubber?: Scrubber
}

interface Verdict {
  readonly status: 'SUCCEEDED' | 'FAILED'
  readonly message: string
}

/** Writes exactly one CONNECTION_STATUS message, also for a file that cannot be read. Resolves to the exit code, 0 for
 *  FAILED too; rejects only when `write` does. */
export async function check(options: CheckOptions, io: { write(line: string): Promise<void> }): Promise<number> {
  const { status, message } = await verdictOn(options)
  await io.write(connectionStatus(status, message))
  return 0
}

async function verdictOn(options: CheckOptions): Promise<Verdict> {
  const { configFile, env = {}, signal, patience, scrubber = new Scrubber() } = options
  const { scrub } = scrubber
  try {
    const reading = readWriteConfig(await readFileText(configFile, '--config'))
    scrubber.learn(reading.secrets)
    const { service, requestTimeoutMs } = reading
    const route = service.baseUrl === undefined ? DIRECT : routeTo(service.baseUrl, env)
    const failed = 'problem' in route
    if (!failed) scrubber.learn(route.secrets)
    const found = failed
      ? [`${route.problem}.`]
      : await probeService({ ...service, proxy: route.proxy, requestTimeoutMs }, scrub, signal, {
          ...PATIENCE,
          ...patience,
        })
    const { status, message } = verdict(reading, [...(await rejectFileProblems(reading)), ...found])
    return { status, message: scrub(message) }
  } catch (error) {
    return { status: 'FAILED', message: scrub(checkFault(error)) }
  }
}

/** Of a file that would be used. */
async function rejectFileProblems({ rejects }: WriteReading): Promise<string[]> {
  if (rejects?.onRejected !== 'divert' || rejects.file === undefined) return []
  const problem = await checkRejectFile(rejects.file)
  return problem === undefined ? [] : [problem]
}

function verdict({ problems, warnings, service, config }: WriteReading, found: readonly string[]): Verdict {
  const wrong = [...problems.map((problem) => `${problem}.`), ...found]
  const notes = warnings.map((warning) => `Note: ${asSentence(warning)}`)
  if (wrong.length === 0 && config !== undefined)
    return { status: 'SUCCEEDED', message: [success(config), ...notes].join('\n') }
  const unseen = service.baseUrl === undefined ? ['The service was not asked, as it is not clear how to reach it.'] : []
  if (wrong.length === 1) return { status: 'FAILED', message: [...wrong, ...unseen, ...notes].join('\n') }
  const list = wrong.map((problem, index) => `${index + 1}. ${problem}`)
  return { status: 'FAILED', message: [`${wrong.length} things are wrong:`, ...list, ...unseen, ...notes].join('\n') }
}

function success({ service }: NonNullable<WriteReading['config']>): string {
  const { origin } = new URL(service.baseUrl)
  const sandbox = service.sandbox ? ' This is the sandbox: nothing will be stored.' : ''
  return `${origin} is working and takes the key for client ${service.clientId}.${sandbox}`
}

/** To be scrubbed. */
export function checkFault(error: unknown): string {
  if (error instanceof ConnectorError) return error.message
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `The check itself failed, which is a defect of this program: please report it. ${words}`
}
