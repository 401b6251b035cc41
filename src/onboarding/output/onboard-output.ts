// Writes the output of `onboard`: progress and result to standard output, errors and questions to standard error. With --json everything
// goes to standard output as JSON lines, and errors and questions go to standard error too.

import { escapeObeyed } from '../../json/strings.ts'
import type { Io } from '../../process/io.ts'
import { printable, wrap } from '../../text/printable.ts'
import type { PlannedRequest } from '../dry-run.ts'
import type { OnboardingResult } from '../run.ts'
import { jsonProgress, lineProgress } from './progress.ts'

/** Its members do not throw. If standard output is closed early, that is reported on standard error, and the run goes on. */
export type OnboardOutput = ReturnType<typeof openOnboardOutput>

/** Makes what prints a run of `onboard`. @param json whether --json was given */
export function openOnboardOutput(io: Pick<Io, 'stdout' | 'stderr' | 'scrubber' | 'columns' | 'size'>, json: boolean) {
  const { scrub } = io.scrubber
  // line breaks come from this program; other control characters, which `printable` escapes, may come from the config or the service
  const complain = (text: string): void =>
    void io.stderr.write(`${scrub(text).split('\n').map(printable).join('\n')}\n`).catch(() => {})
  let isUnread = false
  const onUnread = (): void => {
    if (!isUnread) complain('Standard output can no longer be written. The onboarding continues without it.')
    isUnread = true
  }
  const put = (text: string): void => void io.stdout.write(text).catch(onUnread)
  const write = (text: string): void => put(scrub(text))
  // each string is scrubbed of secrets by itself: in the whole line, a secret such as `true` or `:` would break the JSON
  const event = (object: object): void =>
    put(
      `${escapeObeyed(JSON.stringify(object, (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value)))}\n`,
    )
  const endWith = (kind: string, member: string, text: string): void => {
    if (json) event({ event: kind, [member]: text })
    complain(kind === 'error' ? `onboard: ${text}` : text)
  }
  return {
    progress: json ? jsonProgress(event) : lineProgress((line) => write(`${line}\n`)),
    planned(requests: readonly PlannedRequest[]): void {
      if (json) for (const request of requests) event({ event: 'request', ...request })
      else write(requests.map(shown).join('\n'))
    },
    done(result: OnboardingResult, journalFile: string): void {
      if (json) event({ event: 'result', ...result })
      else write(onboardSummary(result, journalFile, io.size?.()?.columns ?? io.columns ?? Infinity))
    },
    failed: (message: string) => endWith('error', 'message', message),
    asks: (question: string) => endWith('asks', 'question', question),
    stopped: (text: string) => endWith('stopped', 'message', text),
    /** Called last: waits until everything is written. */
    async close(): Promise<void> {
      await io.stdout.flush().catch(onUnread)
      await io.stderr.flush().catch(() => {})
    },
  }
}

/** A request as text, as it would stand in HTTP. */
function shown({ endpoint, method, url, headers, body }: PlannedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`# ${endpoint}`, `${method} ${url}`, ...lines, ...(body === undefined ? [] : ['', body]), ''].join('\n')
}

/** Writes what was created, and what to do next.
 *  @param width columns of the terminal, Infinity for none */
function onboardSummary(result: OnboardingResult, journal: string, width: number): string {
  const { client_id: client, job_id: job } = result
  const rows: readonly (readonly [string, string])[] = [
    ['client', `${client} (${result.company})`],
    ['user', `${result.user_id} (${result.user_email})`],
    ['connection', `${result.connection_id} (${result.connection_name})`],
    ...(job === undefined ? [] : [['connection test', `job ${job}`] as const]),
    ['dashboards', `job ${result.dashboard_id}`],
  ]
  const lines = rows.map(([label, value]) => `  ${label.padEnd(16)} ${printable(value)}`)
  const next = [
    `  1. Create an import key in the product: in the connections area of client ${client}, add a data source of the import kind. On the local service, press New key on its page.`,
    `  2. Put the key into a config for write, as api_key beside client_id ${client} and import_url, and run check --config FILE.`,
    ...(result.pubkey === undefined
      ? []
      : ['  3. If the database is reached through SSH, allow this key there (also as pubkey in --output):']),
  ]
  return [
    '',
    'The client is onboarded.',
    '',
    ...lines,
    '',
    'Next:',
    ...next.map((line) => wrap(line, width - 1, '     ')),
    // unwrapped, so that it can be copied
    ...(result.pubkey === undefined ? [] : [`     ${printable(result.pubkey)}`]),
    '',
    wrap(
      `${JSON.stringify(journal)} records what was created: with it, the same command creates nothing twice.`,
      width - 1,
      '',
    ),
    '',
  ].join('\n')
}
