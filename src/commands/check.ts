// `check`: one CONNECTION_STATUS that names everything that is missing, what was found and what to do; at a terminal a line for each
// prerequisite instead. Decides what is asked although something else is wrong already; the asking is probe-service.ts's.

import { connectionStatus } from '../airbyte/emitter.ts'
import { readWriteConfig } from '../config/write/write-load.ts'
import type { WriteReading } from '../config/write/write-load.ts'
import { readFileText } from '../config/read-file.ts'
import type { Coded } from '../core/codes.ts'
import { ConnectorError } from '../core/errors.ts'
import { CheckReport, fail, failed, note, ok, warn } from '../kafka/check/check-report.ts'
import type { CheckFinding } from '../kafka/check/check-report.ts'
import type { Io } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import type { Paint } from '../process/paint.ts'
import { checkRejectFile } from '../rejects/reject-file-check.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { DIRECT, routeTo } from '../service/http/proxy.ts'
import type { Environment } from '../service/http/proxy.ts'
import { nameProblem, PATIENCE, probeService } from '../service/import/probe-service.ts'
import type { Patience } from '../service/import/probe-service.ts'
import { counted } from '../text/figures.ts'
import { asSentence } from '../text/printable.ts'

export interface CheckOptions {
  readonly configFile: string
  /** Environment for the proxy; absent when there is none. */
  readonly env?: Environment
  /** Ends the asking early; the message is written all the same. */
  readonly signal: AbortSignal
  readonly patience?: Partial<Patience>
  /** Learns every secret. */
  readonly scrubber?: Scrubber
  /** The terminal where a person looks; absent when there is none. */
  readonly terminal?: CheckTerminal | undefined
  /** Whether a program goes by the exit code. */
  readonly tellsByCode?: boolean
}

interface CheckTerminal {
  readonly columns: number
  /** Whether the message would come there too: then the text is all. */
  readonly isAll?: boolean
  readonly paint?: Paint
  write(text: string): Promise<void>
}

interface Verdict {
  readonly status: 'SUCCEEDED' | 'FAILED'
  readonly message: string
  /** The same, a prerequisite each. */
  readonly findings: readonly CheckFinding[]
}

/** Writes exactly one CONNECTION_STATUS message, also for a file that cannot be read, or only text for a person at a
 *  terminal. Resolves to the exit code, 0 for FAILED too unless it is to tell; rejects only when `write` does. */
export async function check(options: CheckOptions, io: { write(line: string): Promise<void> }): Promise<number> {
  const { status, message, findings } = await verdictOn(options)
  const { terminal, scrubber = new Scrubber(), tellsByCode = false } = options
  const coded = findings.flatMap(({ level, text, code }) =>
    code === undefined ? [] : [{ level, code, message: scrubber.scrub(text) }],
  )
  if (terminal?.isAll !== true) await io.write(connectionStatus(status, message, coded))
  if (terminal) await show(findings, terminal, scrubber)
  return tellsByCode && status === 'FAILED' ? 1 : 0
}

/** Standard output, or else standard error. */
export function checkTerminal(io: Io): CheckTerminal | undefined {
  const { stdout, stderr, columns, errorSize } = io
  const isAll = columns !== undefined
  const width = columns ?? errorSize?.()?.columns
  if (width === undefined) return undefined
  const write = (text: string): Promise<void> => (isAll ? stdout : stderr).write(text)
  return { columns: width, isAll, paint: paintFor(io, true), write }
}

async function show(
  findings: readonly CheckFinding[],
  { columns, paint, ...terminal }: CheckTerminal,
  { scrub }: Scrubber,
): Promise<void> {
  const write = (text: string): Promise<void> => terminal.write(text).catch(() => {})
  const report = new CheckReport({ scrub, width: columns - 1, paint, write })
  await report.add(findings)
  const { failures } = report
  const end = failures === 0 ? 'write can start.' : `${counted(failures, 'problem')} to fix before write can start.`
  await write(`\n${end}\n`)
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
      ? [{ code: 'config.variable', text: `${route.problem}.` } as const]
      : await probeService({ ...service, proxy: route.proxy, requestTimeoutMs }, scrub, signal, {
          ...PATIENCE,
          ...patience,
        })
    const { httpHost, addressOption = '' } = service
    const name = httpHost && (await nameOfHost(httpHost, addressOption, env, signal))
    const all = name ? [...found, name] : found
    const findings = findingsOf(configFile, reading, await rejectFileProblems(reading), all)
    const { status, message } = verdict(findings)
    return { status, message: scrub(message), findings }
  } catch (error) {
    const { code, text } = checkFault(error)
    const message = scrub(text)
    return { status: 'FAILED', message, findings: [fail(code, message)] }
  }
}

/** Looks up the name of an address that is not asked, for its http:. A proxy would look its name up itself. */
async function nameOfHost(
  host: string,
  addressOption: string,
  env: Environment,
  signal: AbortSignal,
): Promise<Coded | undefined> {
  const route = routeTo(`http://${host}`, env)
  return 'problem' in route || route.proxy !== undefined ? undefined : nameProblem(host, addressOption, signal)
}

/** @returns `undefined` when no file would be used */
async function rejectFileProblems({ rejects }: WriteReading): Promise<string[] | undefined> {
  if (rejects?.policy !== 'file') return undefined
  const problem = await checkRejectFile(rejects.path)
  return problem === undefined ? [] : [problem]
}

function findingsOf(
  configFile: string,
  { problems, code, warnings, service, config }: WriteReading,
  rejectFile: readonly string[] | undefined,
  found: readonly Coded[],
): CheckFinding[] {
  const unseen = service.baseUrl === undefined
  return [
    ...(problems.length === 0 ? [ok(`The configuration ${JSON.stringify(configFile)} can be used.`)] : []),
    ...problems.map((problem) => fail(code, asSentence(problem))),
    ...warnings.map((warning) => warn('config.warning', asSentence(warning))),
    ...(rejectFile?.length === 0 ? [ok('The file for rejected records can be written.')] : []),
    ...(rejectFile ?? []).map((problem) => fail('rejects.file-unusable', problem)),
    ...found.map(failed),
    ...(found.length === 0 && !unseen && config ? [ok(success(config))] : []),
    ...(unseen ? [note('The service was not contacted: fix the settings above first.')] : []),
  ]
}

/** The message of a success is the last finding: that the service takes the key. */
function verdict(findings: readonly CheckFinding[]): Verdict {
  const of = (wanted: CheckFinding['level']): string[] =>
    findings.flatMap(({ level, text }) => (level === wanted ? [text] : []))
  const wrong = of('FAIL')
  const rest = [...of(''), ...of('warn').map((warning) => `Note: ${warning}`)]
  if (wrong.length === 0) return { status: 'SUCCEEDED', message: [...of('ok').slice(-1), ...rest].join('\n'), findings }
  if (wrong.length === 1) return { status: 'FAILED', message: [...wrong, ...rest].join('\n'), findings }
  const list = wrong.map((problem, index) => `${index + 1}. ${problem}`)
  return { status: 'FAILED', message: [`${wrong.length} things are wrong:`, ...list, ...rest].join('\n'), findings }
}

function success({ service }: NonNullable<WriteReading['config']>): string {
  const { origin } = new URL(service.baseUrl)
  const sandbox = service.sandbox ? ' This is the sandbox: nothing will be stored.' : ''
  return `${origin} is working and accepts the key for client ${service.clientId}.${sandbox}`
}

/** To be scrubbed. */
export function checkFault(error: unknown): Coded {
  const code = 'program.fault'
  if (error instanceof ConnectorError) return { code: error.code ?? code, text: error.message }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { code, text: `The check itself failed, which is a bug in this program: please report it. ${words}` }
}
