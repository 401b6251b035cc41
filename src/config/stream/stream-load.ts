// Loads the config of `stream`, and checks its groups of options against each other. Never quotes a secret; connects to nothing.

import { dirname } from 'node:path'
import { isObject } from '../../json/is-object.ts'
import type { Findings, Path } from '../findings.ts'
import { configError, readConfig, type ConfigKind, type Reading } from '../load.ts'
import type { Partly } from '../read-tree.ts'
import { memberAt, type ConfigEnvironment } from '../references.ts'
import { readService, type ServiceConfig } from '../service-rules.ts'
import { warnOfIdleLimits } from '../reject-limits.ts'
import { checkKafka } from './kafka-options.ts'
import { checkRegistry } from './registry.ts'
import { streamConfigOf, type StreamConfig } from './stream-config.ts'
import { streamFileOptions, type StreamOptions } from './stream-options.ts'
import type { TopicEntry } from './topic-options.ts'
import { checkTopicRules } from './topic-rules.ts'

/** The file of a config, and what is around it. */
export interface StreamFile {
  readonly env: ConfigEnvironment['env']
  /** The path of the file. Paths in the config are relative to its folder. */
  readonly file: string
  /** Called with every secret before anything else is done with it, to mask it in all output. */
  readonly learn: NonNullable<ConfigEnvironment['learn']>
}

/** Reads the text of a config, and the files that it refers to. Throws one ConnectorError (config) that lists every problem. */
export async function loadStreamConfig(
  text: string,
  { env, file, learn }: StreamFile,
): Promise<Pick<Reading<StreamConfig>, 'warnings' | 'secrets'> & { readonly config: StreamConfig }> {
  const reading = await readStreamConfig(text, { env, folder: dirname(file), learn })
  const { config, warnings, secrets } = reading
  learn(secrets)
  if (config === undefined) throw configError('stream', file, reading)
  return { config, warnings, secrets }
}

/** Reads a config of `stream`, or finds all that is wrong with it. Never throws. */
export function readStreamConfig(text: string, environment: ConfigEnvironment): Promise<Reading<StreamConfig>> {
  return readConfig(text, KIND, environment)
}

const KIND: ConfigKind<typeof streamFileOptions, StreamConfig> = {
  schema: streamFileOptions,
  check(options, given, findings, environment) {
    if (isOfWrite(given)) findings.add([], 'looks like a config of write: stream needs `kafka` and `topics` too')
    const service = readService(options, given, findings)
    checkKafka(options.kafka ?? {}, findings)
    checkDeadLetters(options, findings)
    const entries = (options.topics ?? []).map((topic, index): TopicEntry => {
      const entry = memberAt(memberAt(given, 'topics'), index)
      return { at: ['topics', index], options: topic ?? {}, isGiven: (option) => isGiven(entry, option) }
    })
    checkRegistry(options.schema_registry, entries, findings, options.kafka)
    const keepsLetters = isGiven(given, 'dead_letters')
    // the default share of rejected records is no limit that the user asked for
    const share = isGiven(given, 'max_rejected_share') ? options.max_rejected_share : undefined
    if (!keepsLetters) warnOfIdleLimits({ ...options, max_rejected_share: share }, [], findings)
    checkTopicRules(entries, options, keepsLetters, findings)
    checkTimes(options, findings)
    // called only if nothing was found: then all options are there, and right
    return () => streamConfigOf(options as StreamOptions, service as ServiceConfig, given, environment)
  },
  placeOf: placeInFile,
}

/** Whether a file is a config of `write`, given by mistake. */
function isOfWrite(given: unknown): boolean {
  const has = (name: string): boolean => isObject(given) && Object.hasOwn(given, name)
  return has('client_id') && has('import_url') && !has('kafka') && !has('topics')
}

function checkDeadLetters({ dead_letters: letters }: Partly<StreamOptions>, findings: Findings): void {
  if (letters === undefined) return
  const given = findings.given(['topic', 'file'], letters, ['dead_letters'])
  if (given.length !== 1) findings.add(['dead_letters'], 'must be { topic: NAME } or { file: PATH }')
}

/** How many heartbeats have to fit into a session beside a request: where one fails, the next one keeps the session. */
const HEARTBEATS = 2

/** Whether a request can end, by its timeout at the latest, before the group gives the partitions of a silent member to others. A member
 *  begins a request only while the session will outlast it: by this rule it still can when one heartbeat has failed. */
export function fitsSession(times: Record<'request' | 'session' | 'heartbeat', number>): boolean {
  const { request, session, heartbeat } = times
  return request + HEARTBEATS * heartbeat <= session
}

function checkTimes(options: Partly<StreamOptions>, { warnings }: Findings): void {
  const { request_timeout_seconds: request, retry_for_seconds: retry, stall_deadline_seconds: stall } = options
  const { session_timeout_seconds: session, heartbeat_seconds: heartbeat } = options.kafka ?? {}
  if (request !== undefined && session !== undefined && heartbeat !== undefined)
    if (!fitsSession({ request, session, heartbeat }))
      warnings.push(
        `${tooLongWords(request, session, heartbeat)} than \`kafka.session_timeout_seconds\` (${session}): a request of a member that lost its partitions may land later than newer values of their next owner`,
      )
  if (stall !== undefined && retry !== undefined && stall < retry)
    warnings.push(
      `\`stall_deadline_seconds\` (${stall}) is shorter than \`retry_for_seconds\` (${retry}): while the service is down, the process ends after the former`,
    )
}

/** Words that `than` and the session timeout follow. */
function tooLongWords(request: number, session: number, heartbeat: number): string {
  const words = `\`request_timeout_seconds\` (${request})`
  if (request > session) return `${words} is longer`
  return `${words} and two of \`kafka.heartbeat_seconds\` (${heartbeat}) are together longer`
}

/** Maps a path of the options to the path in the file, where a list stands for the group `{ value: LIST }` of `keys`. */
function placeInFile(path: Path, given: unknown): Path {
  const keysIndex = path.findIndex((name, index) => name === 'keys' && path[index + 1] === 'value')
  if (path[0] !== 'topics' || keysIndex === -1) return path
  const keys = path.slice(0, keysIndex + 1)
  return Array.isArray(keys.reduce(memberAt, given)) ? [...keys, ...path.slice(keysIndex + 2)] : path
}

/** Whether the file gives an option. Null counts as not given, except for `unavailable`, where it is one of the values. */
function isGiven(group: unknown, option: string): boolean {
  const value = memberAt(group, option)
  return value !== undefined && (value !== null || option === 'unavailable')
}
