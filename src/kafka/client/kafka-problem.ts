// Finds out what an error of kafkajs means: whether a retry can help, and the message for the user. kafkajs wraps errors in others, so each
// function looks through an error and its causes, and the first that says something counts.

import type { Code } from '../../core/codes.ts'
import { ConnectorError } from '../../core/errors.ts'
import { tlsProblem, withoutAdvice } from './tls-problem.ts'

export interface ProblemContext {
  readonly brokers: readonly string[]
  /** The group that messages name. `undefined` when what was asked is about none. */
  readonly group?: string | undefined
  /** The last error that a broker answered with, from kafkajs's log: what kafkajs throws after it asked several brokers lacks theirs. */
  readonly brokerError?: string | undefined
}

export type KafkaProblem =
  /** No retry can help. */
  | { readonly kind: 'final'; readonly error: ConnectorError }
  /** A refusal. At the start it means that the set-up must be changed; later it may come from a broker that is just starting. */
  | { readonly kind: 'refused'; readonly error: ConnectorError }
  /** A refusal that brokers also give for a moment while a topic or a group is created, or while they shut down. */
  | { readonly kind: 'absent'; readonly error: ConnectorError }
  /** A problem at which a retry may succeed. `code` and `remedy` (whole sentences) are for the case that it lasts. */
  | { readonly kind: 'passing'; readonly text: string; readonly code?: Code; readonly remedy?: string | undefined }

/** One error of a chain of causes. What it does not have is `undefined`. */
interface Cause {
  readonly name: string
  readonly message: string
  /** The protocol's name of the error, e.g. UNKNOWN_MEMBER_ID. */
  readonly type: string | undefined
  /** A code of Node, or of an error of ours: WANTS_… and …_BROKER (port-answers.ts), OPEN_LOGIN (sasl-login.ts), NO_TOKEN (identity/). */
  readonly code: string | undefined
  readonly broker: string | undefined
  readonly remedy: string | undefined
}

/** The most errors of a chain that are looked at: one may be its own cause. */
const MOST_CAUSES = 8
/** kafkajs's name of the error for a refused login. */
const LOGIN_REFUSED = 'KafkaJSSASLAuthenticationError'
/** Matches "Not authorized to access group: Group authorization failed". */
const AUTHORISATION = /authoriz/i
/** A login that failed with its connection, which kafkajs also reports as a refusal. */
const LOGIN_CUT_OFF = /failed: (?:Closed connection|Connection |Not connected|Request .* timed out)/
/** Endings of messages about a connection that was closed, and a clause that says what that may mean. */
const CLOSED: readonly (readonly [ending: string, why: string])[] = [
  [
    'Closed connection',
    'which a broker also does when its port wants TLS or a login and gets none (kafka.tls, kafka.sasl)',
  ],
  ['before secure TLS connection was established', 'as a port does that speaks no TLS (kafka.tls)'],
]

/** Finds out what an error means. The texts of the problem may hold what a broker sent, so scrub them before they are shown. */
export function kafkaProblem(error: unknown, context: ProblemContext): KafkaProblem {
  if (error instanceof ConnectorError) return { kind: 'final', error }
  const causes = [...causesOf(error)]
  for (const cause of causes) {
    const problem = problemOf(cause, context)
    if (problem) return problem
  }
  const last = causes.at(-1)
  const text = last ? last.message || last.name : 'something unknown'
  const why = CLOSED.find(([ending]) => text.endsWith(ending))?.[1]
  return { kind: 'passing', text: why === undefined ? text : `${text}, ${why}` }
}

/** The code of a problem; for a passing one, the code that it has if it lasts. */
export function problemCode(problem: KafkaProblem): Code {
  return problem.kind === 'passing' ? (problem.code ?? 'kafka.unreachable') : problem.error.code!
}

/** The message of a problem. It may end with a full stop or without one. */
export function problemText(problem: KafkaProblem): string {
  return problem.kind === 'passing' ? problem.text : problem.error.message
}

/** The protocol's name of the error, e.g. UNKNOWN_MEMBER_ID. `undefined` when neither the error nor a cause of it has one. */
export function kafkaErrorType(error: unknown): string | undefined {
  return [...causesOf(error)].find(({ type }) => type !== undefined)?.type
}

/** Whether a broker refused the user or password. */
export function isLoginRefused(error: unknown): boolean {
  return [...causesOf(error)].some(({ name }) => name === LOGIN_REFUSED)
}

function* causesOf(error: unknown): Generator<Cause> {
  for (let cause = error, depth = 0; cause instanceof Error && depth < MOST_CAUSES; cause = cause.cause, depth++) {
    const { type, code, broker, remedy } = cause as Partial<Record<keyof Cause, unknown>>
    yield {
      name: cause.name,
      message: inOneLine(cause.message),
      type: textOf(type),
      code: textOf(code),
      broker: textOf(broker),
      remedy: textOf(remedy),
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A message in one line. OpenSSL's "80…:error:0A…:SSL routines::wrong version number:../deps/….c:354:" becomes "wrong version number". */
function inOneLine(message: string): string {
  const words = message
    .replace(/\b[0-9A-F]+:error:[0-9A-F]+:SSL routines:\w*:/g, '')
    .replace(/:\.\.\/deps\/[^:\s]*:\d+:/g, ' ')
  return words.replaceAll(/\s+/g, ' ').trim()
}

const problemOfKind =
  (kind: 'final' | 'refused' | 'absent') =>
  (code: Code, message: string): KafkaProblem => ({
    kind,
    error: new ConnectorError('config', code, `Kafka: ${message}`),
  })
const final = problemOfKind('final')
const refused = problemOfKind('refused')
const absent = problemOfKind('absent')

/** The problem that one error of the chain says; `undefined` when it says nothing that is known here. */
function problemOf(cause: Cause, context: ProblemContext): KafkaProblem | undefined {
  const { name, message, code } = cause
  const broker = cause.broker ?? context.brokers.join(', ')
  if (name === LOGIN_REFUSED && !LOGIN_CUT_OFF.test(message)) return loginRefused(message)
  if (code === 'NO_TOKEN') return { kind: 'passing', text: message, code: 'identity.unreachable', remedy: cause.remedy }
  if (code === 'WANTS_TLS')
    return refused(
      'kafka.tls-failed',
      `${broker} speaks TLS and nothing else. Set kafka.tls, or name another port in kafka.brokers.`,
    )
  if (code === 'OPEN_LOGIN')
    return refused(
      'kafka.login-unsafe',
      `The cluster sends its clients on to ${broker}. kafka.sasl sends a secret in plain text, and without kafka.tls others on the way there can read it, so it was not sent. Set kafka.tls, choose a scram mechanism, or set kafka.allow_insecure_login.`,
    )
  if (code === 'OLD_BROKER')
    return refused(
      'kafka.version',
      `${broker} is older than Kafka 2.3 (${withoutAdvice(message)}). Kafka 2.3 or newer is needed: upgrade the brokers.`,
    )
  if (code === 'NEW_BROKER')
    return refused(
      'kafka.version',
      `${broker} is too new for this program (${withoutAdvice(message)}). Look for a newer version of the program.`,
    )
  // `absent` and not `refused`, since a broker that is shutting down does the same
  if (code === 'WANTS_LOGIN')
    return absent(
      'kafka.login-missing',
      `${broker} closes the connection as soon as it is asked something, as a port does that wants a login. Set kafka.sasl, or name another port in kafka.brokers.`,
    )
  const tlsText = name === 'KafkaJSConnectionError' ? tlsProblem(cause, broker) : undefined
  if (tlsText !== undefined) return refused('kafka.tls-failed', tlsText)
  // a group that this user may not use; only the broker's own error says that this is why
  if (name === 'KafkaJSGroupCoordinatorNotFound' && AUTHORISATION.test(context.brokerError ?? ''))
    return groupRefused(context.group ?? '', context.brokerError ?? '')
  return cause.type === undefined ? undefined : problemFor(cause.type, cause, context)
}

function problemFor(
  type: string,
  { message }: Cause,
  { brokers, group = '' }: ProblemContext,
): KafkaProblem | undefined {
  switch (type) {
    case 'SASL_AUTHENTICATION_FAILED':
      return loginRefused(message)
    case 'UNSUPPORTED_SASL_MECHANISM':
      return refused(
        'kafka.login-refused',
        `The brokers refused the login: ${withoutFullStop(message)}. Choose a kafka.sasl.mechanism that this port of theirs has (sasl.enabled.mechanisms).`,
      )
    case 'ILLEGAL_SASL_STATE':
      return refused(
        'kafka.login-refused',
        `The brokers ${brokers.join(', ')} accept no login on this port: ${withoutFullStop(message)}. Leave kafka.sasl out, or name a port in kafka.brokers that takes one.`,
      )
    case 'TOPIC_AUTHORIZATION_FAILED':
      return refused(
        'topic.refused',
        `This user may not read topics: ${withoutFullStop(message)}. Allow it the operations Read and Describe on them.`,
      )
    case 'GROUP_AUTHORIZATION_FAILED':
    case 'CLUSTER_AUTHORIZATION_FAILED':
      return groupRefused(group, message)
    case 'INCONSISTENT_GROUP_PROTOCOL':
      return absent(
        'kafka.group-unusable',
        `Group ${group} is in use by consumers of another kind: ${withoutFullStop(message)}. Choose another kafka.group.`,
      )
    case 'INVALID_GROUP_ID':
    case 'INVALID_SESSION_TIMEOUT':
    case 'GROUP_MAX_SIZE_REACHED':
      return refused('kafka.group-unusable', `Group ${group} cannot be joined: ${withoutFullStop(message)}.`)
    case 'INVALID_TOPIC_EXCEPTION':
      return final('topic.missing', `A topic has a name that is not valid: ${withoutFullStop(message)}.`)
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      return absent(
        'topic.missing',
        `Topics do not exist: ${withoutFullStop(message)}. Create them, or leave them out of topics: until then nothing is read.`,
      )
    case 'UNSUPPORTED_VERSION':
      return refused(
        'kafka.version',
        `The brokers are too new or too old for this client: ${withoutFullStop(message)}.`,
      )
    default:
      return undefined
  }
}

function loginRefused(message: string): KafkaProblem {
  const remedy = /OAUTHBEARER/.test(message)
    ? 'Check kafka.sasl.token: it may have expired. Where kafka.sasl.oauth fetches it, stream --check looks at it'
    : 'Check kafka.sasl.username and kafka.sasl.password, and that the brokers know this user for this mechanism'
  return refused('kafka.login-refused', `The brokers refused the login: ${withoutFullStop(message)}. ${remedy}.`)
}

function groupRefused(group: string, message: string): KafkaProblem {
  const remedy = 'Allow this user the operation Read on that group, or choose another kafka.group'
  return refused('kafka.group-refused', `The brokers refuse group ${group}: ${withoutFullStop(message)}. ${remedy}.`)
}

function withoutFullStop(message: string): string {
  return message.replace(/(?<![.\s])[.\s]+$/, '')
}

const ABOUT_TOPICS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED'])
/** The most topics that a message names. */
const MOST_NAMED = 5

/** Names the topics that an error is about, out of `topics`: brokers say that one is missing or not allowed, but not which.
 *  @param cluster lists those that this user may see @returns an error with names as its message; `error` if there are none to name */
export async function namingTopics(
  error: Error,
  topics: readonly string[],
  cluster: { topics(): Promise<readonly string[]> },
): Promise<Error> {
  const type = kafkaErrorType(error)
  if (type === undefined || !ABOUT_TOPICS.has(type)) return error
  const visible = await cluster.topics().catch(() => undefined)
  if (!visible) return error
  const missing = topics.filter((topic) => !visible.includes(topic))
  // a visible topic may still not be readable
  if (missing.length === 0 && type === 'UNKNOWN_TOPIC_OR_PARTITION') return error
  const names = missing.length > 0 ? missing : someOf(topics)
  return Object.assign(new Error(names.join(', '), { cause: error }), { type })
}

/** Words for one topic out of these, e.g. "one of a", "b", "or one of 7 more". */
function someOf(topics: readonly string[]): readonly string[] {
  if (topics.length <= 1) return topics
  const others = topics.length > MOST_NAMED ? [`or one of ${topics.length - MOST_NAMED} more`] : []
  return [`one of ${topics[0]}`, ...topics.slice(1, MOST_NAMED), ...others]
}
