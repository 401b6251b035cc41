// Where everything `onboard` says goes: progress and result to standard output, what stops it to standard error; as JSON
// lines all of it to standard output, and the words for people to standard error besides.

import type { PlannedRequest } from '../onboarding/dry-run.ts'
import type { OnboardingResult } from '../onboarding/outcome.ts'
import type { Progress } from '../onboarding/types.ts'
import type { Io } from './io.ts'
import { jsonProgress } from './onboard-json.ts'
import { lineProgress } from './onboard-lines.ts'
import { onboardSummary } from './onboard-summary.ts'
import { terminalProgress } from './onboard-terminal.ts'
import { systemClock } from './system-clock.ts'

/** Nothing here throws: who reads only the first lines changes nothing. */
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
  const say = (text: string): void => void io.stdout.write(scrub(text)).catch(() => {})
  const complain = (text: string): void => void io.stderr.write(`${scrub(text)}\n`).catch(() => {})
  // by its texts: a secret that is a word of JSON's grammar would break it
  const event = (object: object): void =>
    void io.stdout
      .write(`${JSON.stringify(object, (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value))}\n`)
      .catch(() => {})
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
      await Promise.allSettled([io.stdout.flush(), io.stderr.flush()])
    },
  }
}

/** As HTTP would have it. */
function shown({ endpoint, method, url, headers, body }: PlannedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`# ${endpoint}`, `${method} ${url}`, ...lines, ...(body === undefined ? [] : ['', body]), ''].join('\n')
}
