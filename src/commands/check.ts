// `check`: one CONNECTION_STATUS that names everything that is missing, what was found and what to do; at a terminal a line for each
// prerequisite instead. Decides what is still looked at when something is wrong already. probe-service.ts asks the service.

import { connectionStatus } from '../airbyte/emitter.ts'
import { readWriteConfig, type WriteReading } from '../config/write/write-load.ts'
import { readFileText } from '../config/read-file.ts'
import type { Coded } from '../core/codes.ts'
import { ConnectorError } from '../core/errors.ts'
import { CheckReport, fail, failed, note, ok, warn, type CheckFinding } from '../kafka/check/check-report.ts'
import type { Io } from '../process/io.ts'
import type { Output } from '../process/output.ts'
import { paintFor } from '../process/paint.ts'
import { checkRejectFile } from '../rejects/reject-file.ts'
import { DIRECT, routeTo } from '../service/http/proxy.ts'
import { nameProblem, PATIENCE, probeService, type Patience } from '../service/import/probe-service.ts'
import { counted } from '../text/figures.ts'
import { asSentence } from '../text/printable.ts'

export interface CheckOptions {
  readonly configFile: string
  /** Whether the exit code says what was found; else it is 0. */
  readonly tellsByCode?: boolean
  /** How long to wait for the service, where not as usual. */
  readonly patience?: Partial<Patience>
}

/** Tells a program by one CONNECTION_STATUS message, also when the file cannot be read, and a person by text on standard error where that
 *  is a terminal. Where standard output is one, there is only the text, and it goes there. Aborting `io.signal` breaks off what is asked.
 *  @returns the exit code: 1 for FAILED if it is to tell, else 0; rejects only when the message cannot be written */
export async function check(options: CheckOptions, io: Io): Promise<number> {
  const findings = await findAll(options, io)
  const { status, message } = verdict(findings)
  const { stdout, stderr, columns, errorSize, scrubber } = io
  const isAtTerminal = columns !== undefined
  if (!isAtTerminal) {
    const coded = findings.flatMap(({ level, text, code }) =>
      code === undefined ? [] : [{ level, code, message: scrubber.scrub(text) }],
    )
    await stdout.write(connectionStatus(status, scrubber.scrub(message), coded))
  }
  const width = columns ?? errorSize?.()?.columns
  // the last column stays empty, because some terminals break a line there
  if (width !== undefined) await show(findings, isAtTerminal ? stdout : stderr, width - 1, io)
  return options.tellsByCode === true && status === 'FAILED' ? 1 : 0
}

async function show(findings: readonly CheckFinding[], terminal: Output, width: number, io: Io): Promise<void> {
  const write = (text: string): Promise<void> => terminal.write(text).catch(() => {})
  const report = new CheckReport({ scrub: io.scrubber.scrub, width, paint: paintFor(io, true), write })
  await report.add(findings)
  const { failures } = report
  const end = failures === 0 ? 'write can start.' : `${counted(failures, 'problem')} to fix before write can start.`
  await write(`\n${end}\n`)
}

/** Finds what is right and wrong, a prerequisite each. */
async function findAll({ configFile, patience }: CheckOptions, io: Io): Promise<readonly CheckFinding[]> {
  const { env, signal, scrubber } = io
  try {
    const reading = readWriteConfig(await readFileText(configFile, '--config'))
    scrubber.learn(reading.secrets)
    const { service, requestTimeoutMs } = reading
    const route = service.baseUrl === undefined ? DIRECT : routeTo(service.baseUrl, env)
    const hasRoute = !('problem' in route)
    if (hasRoute) scrubber.learn(route.secrets)
    const waits = { ...PATIENCE, ...patience }
    const serviceProblems = hasRoute
      ? await probeService({ ...service, proxy: route.proxy, requestTimeoutMs }, scrubber.scrub, signal, waits)
      : [{ code: 'config.variable', text: `${route.problem}.` } as const]
    // the host is there when only http: is wrong with the address
    const { httpHost, addressOption = '' } = service
    const unresolved = httpHost && (await hostNameProblem(httpHost, addressOption, io))
    const problems = unresolved ? [...serviceProblems, unresolved] : serviceProblems
    return findingsOf(configFile, reading, await rejectFileFindings(reading), problems)
  } catch (error) {
    return [failed(checkFault(error))]
  }
}

/** The problem with the name of an http: address, to which nothing is sent. `undefined` when there is none, or a proxy looks it up. */
async function hostNameProblem(host: string, addressOption: string, { env, signal }: Io): Promise<Coded | undefined> {
  const route = routeTo(`http://${host}`, env)
  return 'problem' in route || route.proxy !== undefined ? undefined : nameProblem(host, addressOption, signal)
}

/** Judges the file for rejected records, if there is to be one. */
async function rejectFileFindings({ rejects }: WriteReading): Promise<CheckFinding[]> {
  if (rejects?.policy !== 'file') return []
  const problem = await checkRejectFile(rejects.path)
  if (problem !== undefined) return [fail('rejects.file-unusable', problem)]
  return [ok('The file for rejected records can be written.')]
}

function findingsOf(
  configFile: string,
  { problems, code, warnings, service, config }: WriteReading,
  rejectFile: readonly CheckFinding[],
  serviceProblems: readonly Coded[],
): CheckFinding[] {
  const hasAddress = service.baseUrl !== undefined
  return [
    ...(problems.length === 0 ? [ok(`The configuration ${JSON.stringify(configFile)} can be used.`)] : []),
    ...problems.map((problem) => fail(code, asSentence(problem))),
    ...warnings.map((warning) => warn('config.warning', asSentence(warning))),
    ...rejectFile,
    ...serviceProblems.map(failed),
    ...(serviceProblems.length === 0 && hasAddress && config ? [ok(success(config))] : []),
    ...(hasAddress ? [] : [note('The service was not contacted: fix the settings above first.')]),
  ]
}

/** Sums findings up in one message: what is wrong, or else the last that is right (that the service takes the key), and then notes. */
function verdict(findings: readonly CheckFinding[]): { status: 'SUCCEEDED' | 'FAILED'; message: string } {
  const textsOf = (wanted: CheckFinding['level']): string[] =>
    findings.flatMap(({ level, text }) => (level === wanted ? [text] : []))
  const wrong = textsOf('FAIL')
  // '' is the level of what is said of the check itself
  const notes = [...textsOf(''), ...textsOf('warn').map((warning) => `Note: ${warning}`)]
  if (wrong.length === 0) return { status: 'SUCCEEDED', message: [...textsOf('ok').slice(-1), ...notes].join('\n') }
  if (wrong.length === 1) return { status: 'FAILED', message: [...wrong, ...notes].join('\n') }
  const list = wrong.map((problem, index) => `${index + 1}. ${problem}`)
  return { status: 'FAILED', message: [`${wrong.length} things are wrong:`, ...list, ...notes].join('\n') }
}

function success({ service }: NonNullable<WriteReading['config']>): string {
  const { origin } = new URL(service.baseUrl)
  const sandbox = service.sandbox ? ' This is the sandbox: nothing will be stored.' : ''
  return `${origin} is working and accepts the key for client ${service.clientId}.${sandbox}`
}

/** Says why the check itself failed, in words that the caller must scrub. */
export function checkFault(error: unknown): Coded {
  const code = 'program.fault'
  if (error instanceof ConnectorError) return { code: error.code ?? code, text: error.message }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { code, text: `The check itself failed, which is a bug in this program: please report it. ${words}` }
}
