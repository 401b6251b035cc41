// Where everything `onboard` says goes: progress and result to standard output, what stops it to standard error; as JSON
// lines all of it to standard output, and the words for people to standard error besides.

import type { PlannedRequest } from '../dry-run.ts'
import type { OnboardingResult } from '../outcome.ts'
import type { Progress } from '../types.ts'
import { printable } from '../../text/printable.ts'
import type { Io } from '../../process/io.ts'
import { jsonProgress } from './onboard-json.ts'
import { lineProgress } from './onboard-lines.ts'
import { onboardSummary } from './onboard-summary.ts'
import { terminalProgress } from './onboard-terminal.ts'
import { systemClock } from '../../process/system-clock.ts'

/** Nothing here throws: who reads only the first lines is told so on standard error, and changes nothing. */
export interface OnboardOutput {
  readonly progress: Progress
  planned(requests: readonly PlannedRequest[]): void
  done(result: OnboardingResult, journalFile: string): void
  failed(message: string): void
  asks(question: string): void
  stopped(text: string): void
  /** Nothing may be said any more. */
  close(): Promise<void>
}

const SLIM = 20

export function openOnboardOutput(
  io: Pick<Io, 'stdout' | 'stderr' | 'scrubber' | 'isTty' | 'columns'>,
  json: boolean,
): OnboardOutput {
  const { scrub } = io.scrubber
  // its lines are ours, what stands in them is the config's and the service's
  const complain = (text: string): void =>
    void io.stderr.write(`${scrub(text).split('\n').map(printable).join('\n')}\n`).catch(() => {})
  let isUnread = false
  const onUnread = (): void => {
    if (!isUnread) complain('Nobody can read standard output any more. The onboarding goes on without it.')
    isUnread = true
  }
  const put = (text: string): void => void io.stdout.write(text).catch(onUnread)
  const say = (text: string): void => put(scrub(text))
  // by its texts: a secret that is a word of JSON's grammar would break it
  const event = (object: object): void =>
    put(`${JSON.stringify(object, (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value))}\n`)
  const columns = Math.max(SLIM, io.columns ?? 80)
  const terminal = !json && io.isTty ? terminalProgress({ write: say, columns, clock: systemClock }) : undefined
  const told = (kind: string, member: string, text: string): void => {
    terminal?.[Symbol.dispose]()
    if (json) event({ event: kind, [member]: text })
    complain(kind === 'error' ? `onboard: ${text}` : text)
  }
  return {
    progress: terminal ?? (json ? jsonProgress(event) : lineProgress((line) => say(`${line}\n`))),
    planned: (requests) =>
      json
        ? requests.forEach((request) => event({ event: 'request', ...request }))
        : say(requests.map(shown).join('\n')),
    done(result, journalFile) {
      terminal?.[Symbol.dispose]()
      if (json) event({ event: 'result', ...result })
      else say(onboardSummary(result, journalFile, io.columns === undefined ? Infinity : columns))
    },
    failed: (message) => told('error', 'message', message),
    asks: (question) => told('asks', 'question', question),
    stopped: (text) => told('stopped', 'message', text),
    async close() {
      terminal?.[Symbol.dispose]()
      await io.stdout.flush().catch(onUnread)
      await io.stderr.flush().catch(() => {})
    },
  }
}

/** As HTTP would have it. */
function shown({ endpoint, method, url, headers, body }: PlannedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`# ${endpoint}`, `${method} ${url}`, ...lines, ...(body === undefined ? [] : ['', body]), ''].join('\n')
}
