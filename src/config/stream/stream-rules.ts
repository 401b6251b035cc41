// What the groups of options of `stream` say about one another. Never quotes a value.

import type { Findings } from '../findings.ts'
import { checkKafka } from './kafka-rules.ts'
import type { Problems } from '../read-service.ts'
import { checkRegistry } from './registry-rules.ts'
import { fitsSession } from './session-fit.ts'
import { readService } from '../read-service.ts'
import type { Partly } from '../read-tree.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicEntry } from './topic-rules.ts'
import { checkTopic } from './topic-rules.ts'
import { checkTopicRules } from './topics-rules.ts'
import type { ServiceConfig } from '../write-config.ts'
import type { OptionName } from '../write-options.ts'
import { writeOptions } from '../write-options.ts'

export interface Checked {
  /** Whole if nothing is wrong. */
  readonly service: Partial<ServiceConfig>
  /** Whole sentences. */
  readonly warnings: readonly string[]
}

/** @param options what is right of the file, one by one
 *  @param given the file itself: what it says and what it leaves to defaults
 *  @param findings grows */
export function checkStream(options: Partly<StreamOptions>, given: unknown, findings: Findings): Checked {
  const warnings: string[] = []
  const service = checkService(options, findings, warnings)
  checkKafka(options.kafka ?? {}, findings, warnings)
  checkDeadLetters(options, findings)
  const entries = (options.topics ?? []).map((topic, index): TopicEntry => {
    const entry = memberOf(memberOf(given, 'topics'), index)
    return { at: ['topics', index], options: topic ?? {}, isGiven: (option) => isThere(memberOf(entry, option)) }
  })
  const keepsLetters = isThere(memberOf(given, 'dead_letters'))
  for (const entry of entries) checkTopic(entry, keepsLetters, findings, warnings)
  const prefix = options.table_prefix ?? ''
  checkRegistry(options.schema_registry, entries, findings, warnings)
  checkTopicRules({ entries, prefix, deadLetterTopic: options.dead_letters?.topic }, findings, warnings)
  warnings.push(...timesOf(options))
  return { service, warnings }
}

function checkService(options: Partly<StreamOptions>, findings: Findings, warnings: string[]): Partial<ServiceConfig> {
  const problems: Problems = new Map()
  for (const [[name, ...rest], problem] of findings.problems)
    if (rest.length === 0 && isOptionName(name)) problems.set(name, problem)
  const service = readService(options, problems, warnings)
  for (const [option, problem] of problems) findings.add([option], problem)
  return service
}

function isOptionName(name: unknown): name is OptionName {
  return typeof name === 'string' && Object.hasOwn(writeOptions.shape, name)
}

function checkDeadLetters({ dead_letters: letters }: Partly<StreamOptions>, findings: Findings): void {
  if (letters === undefined) return
  const given = (['topic', 'file'] as const).filter(
    (option) => letters[option] !== undefined || findings.has(['dead_letters', option]),
  )
  if (given.length !== 1) findings.add(['dead_letters'], 'must be { topic: NAME } or { file: PATH }')
}

function timesOf(options: Partly<StreamOptions>): string[] {
  const warnings: string[] = []
  const { request_timeout_seconds: request, retry_for_seconds: retry, stall_deadline_seconds: stall } = options
  const { session_timeout_seconds: session, heartbeat_seconds: heartbeat } = options.kafka ?? {}
  if (request !== undefined && session !== undefined && heartbeat !== undefined)
    if (!fitsSession({ request, session, heartbeat }))
      warnings.push(
        `${tooLong(request, session, heartbeat)} than \`kafka.session_timeout_seconds\` (${session}): a request of a member that lost its partitions may land later than newer values of their next owner`,
      )
  if (stall !== undefined && retry !== undefined && stall < retry)
    warnings.push(
      `\`stall_deadline_seconds\` (${stall}) is shorter than \`retry_for_seconds\` (${retry}): while the service is down, the process ends after the former`,
    )
  return warnings
}

function tooLong(request: number, session: number, heartbeat: number): string {
  const words = `\`request_timeout_seconds\` (${request})`
  if (request > session) return `${words} is longer`
  return `${words} and two of \`kafka.heartbeat_seconds\` (${heartbeat}) are together longer`
}

function memberOf(given: unknown, name: string | number): unknown {
  const isGroup = typeof given === 'object' && given !== null && Object.hasOwn(given, name)
  return isGroup ? (given as Readonly<Record<PropertyKey, unknown>>)[name] : undefined
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}
