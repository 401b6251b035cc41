// The group `kafka`: its options, and the rules between them, about times, certificates and the login. Never quotes a value.

import { z } from 'zod'
import { isThisMachine } from '../address.ts'
import type { Findings } from '../findings.ts'
import { certificates, oneHeader, oneLine, reloadedSecret, secondsBetween } from '../option-types.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'
import { checkOauth, oauthOptions } from './oauth.ts'

const broker = z
  .string()
  .regex(/^[A-Za-z0-9._-]+:0*[1-9]\d{0,4}$/, {
    error: 'must be a host name (or IPv4 address) and a port, as in kafka.example.com:9092, without a scheme',
  })
  .refine((text) => Number(/\d+$/.exec(text)?.[0]) < 65_536, { error: 'has a port above 65535' })

/** The login mechanisms, each with the option whose secret it sends as it stands: without TLS, others on the way could log in with it.
 *  `undefined` for a mechanism that sends no secret. `token` includes the token that `oauth` fetches. */
export const SENT_AS_IT_STANDS = {
  plain: 'password',
  'scram-sha-256': undefined,
  'scram-sha-512': undefined,
  oauthbearer: 'token',
} as const
export type SaslMechanism = keyof typeof SENT_AS_IT_STANDS

/** Names and values beside the token, as RFC 7628, 3.1 allows them. */
const extensions = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z]+$/, { error: 'is no name of an extension: these are letters (A–Z, a–z) alone' })
      .refine((name) => name.toLowerCase() !== 'auth', { error: 'is where the token itself stands: leave it out' }),
    oneHeader,
  )
  .optional()
  .meta({
    title: 'Extensions',
    description: 'For oauthbearer: names and values that the cluster wants beside the token.',
    examples: [{ logicalCluster: 'lkc-1234', identityPoolId: 'pool-1234' }],
  })

// Of the metadata, here and in other files, `examples` is JSON Schema's own. spec/ reads the rest: `also` is a second schema that a value may
// have, `example` a value for the example of a config, which has an optional group only where it is `shown`. Messages hold examples too
const sasl = z.strictObject({
  mechanism: z.preprocess(inSmallLetters, z.enum(Object.keys(SENT_AS_IT_STANDS) as SaslMechanism[])).meta({
    title: 'Mechanism',
    description: 'Login mechanism, in lower or upper case.',
    example: 'scram-sha-512',
    also: { enum: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] },
  }),
  username: oneLine.optional().meta({
    title: 'User name',
    description: 'For every mechanism except oauthbearer.',
    example: 'warehouse',
  }),
  password: reloadedSecret('Password', 'For every mechanism except oauthbearer.', 'login', {
    example: '${KAFKA_PASSWORD}',
  }),
  token: reloadedSecret('Token', 'For oauthbearer: sent as it is.', 'login'),
  oauth: oauthOptions.optional().meta({
    title: 'OAuth',
    description:
      'For oauthbearer, instead of a token: where to fetch one, and renew it (OpenID Connect, client credentials).',
  }),
  extensions,
})

export const kafkaOptions = z.strictObject({
  brokers: z.preprocess(brokerList, z.array(broker).min(1)).meta({
    title: 'Brokers',
    description:
      'Some brokers of the cluster, each as host:port; the others are discovered. A comma-separated string works too.',
    examples: [['kafka-1.example.com:9092', 'kafka-2.example.com:9092']],
    also: { type: 'string', minLength: 1 },
  }),
  group: oneLine.meta({
    title: 'Consumer group',
    description: 'Consumer group. Its members share the partitions; offsets are committed in its name.',
    examples: ['warehouse'],
  }),
  client_id: oneLine.default('destination-analytics-service').meta({
    title: 'Client ID',
    description: "Name of this member in the brokers' logs and quotas.",
  }),
  session_timeout_seconds: secondsBetween(1, 1_800).default(30).meta({
    title: 'Session timeout (seconds)',
    description:
      'A member without heartbeats for this long loses its partitions and sends nothing new. Brokers usually allow 6 to 1800.',
  }),
  rebalance_timeout_seconds: secondsBetween(1, 3_600).default(60).meta({
    title: 'Rebalance timeout (seconds)',
    description: 'How long members may take to finish requests in flight in a rebalance. At least the session timeout.',
  }),
  heartbeat_seconds: secondsBetween(0.1, 600).default(3).meta({
    title: 'Heartbeat (seconds)',
    description: 'Time between heartbeats. At most a third of the session timeout.',
  }),
  broker_deadline_seconds: secondsBetween(60, 604_800).default(900).meta({
    title: 'Broker deadline (seconds)',
    description: 'The process ends after this time without a reachable broker, to be restarted.',
  }),
  topic_refresh_seconds: secondsBetween(1, 86_400).default(60).meta({
    title: 'Look for topics (seconds)',
    description: 'How often to look for new topics that match a pattern.',
  }),
  tls: z
    // the inner `optional` takes `false`, which becomes `undefined`; the outer one a group that is not given
    .preprocess(tlsGroup, z.strictObject(certificates({ peer: 'brokers', trusted: 'instead of' })).optional())
    .optional()
    .meta({
      title: 'TLS',
      description: 'Encrypted connections: true, or a group with certificates.',
      example: true,
      also: { anyOf: [{ type: 'boolean' }, { $ref: '#/definitions/variable' }] },
    }),
  sasl: sasl
    .optional()
    .meta({ title: 'SASL', description: 'Login of this member. Without it, there is no login.', shown: true }),
  allow_insecure_login: z.boolean().default(false).meta({
    title: 'Allow a login without TLS',
    description:
      'Allow plain or oauthbearer without TLS to brokers on other machines. Password or token are then sent unencrypted.',
  }),
})

/** Makes a list of brokers in one text, separated by commas, as a variable of the environment holds them. */
function brokerList(value: unknown): unknown {
  const list = typeof value === 'string' ? value.split(',').filter((broker) => broker.trim() !== '') : value
  return Array.isArray(list) ? list.map((one: unknown) => (typeof one === 'string' ? one.trim() : one)) : list
}

/** Makes an empty group of `true`, and no group of `false`. */
function tlsGroup(value: unknown): unknown {
  if (value === true || value === 'true') return {}
  return value === false || value === 'false' ? undefined : value
}

function inSmallLetters(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

export type KafkaOptions = Partly<z.output<typeof kafkaOptions>>

/** Checks the rules between options of the group. */
export function checkKafka(kafka: KafkaOptions, findings: Findings): void {
  const { session_timeout_seconds: session, rebalance_timeout_seconds: rebalance, heartbeat_seconds: heartbeat } = kafka
  if (session !== undefined && heartbeat !== undefined && heartbeat > session / 3)
    findings.add(
      ['kafka', 'heartbeat_seconds'],
      `must be at most a third of \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  if (session !== undefined && rebalance !== undefined && rebalance < session)
    findings.add(
      ['kafka', 'rebalance_timeout_seconds'],
      `must be at least \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  checkTls(kafka.tls ?? {}, ['kafka', 'tls'], findings)
  checkSasl(kafka, findings)
  checkUnencryptedLogin(kafka, findings)
}

const LOGIN_OPTIONS = ['username', 'password', 'token', 'oauth', 'extensions'] as const

/** For each kind of login, called by the option that its secret comes from, the options that it needs and those that it may have. */
const LOGINS: Record<'password' | 'token' | 'oauth', Record<'required' | 'optional', readonly string[]>> = {
  password: { required: ['username', 'password'], optional: [] },
  // a faulty `oauth` reads as `undefined`, so the login looks like one by token: it is allowed here because it is reported already
  token: { required: ['token'], optional: ['oauth', 'extensions'] },
  oauth: { required: ['oauth'], optional: ['extensions'] },
}

function checkSasl({ sasl }: KafkaOptions, findings: Findings): void {
  if (sasl?.mechanism === undefined) return
  const { mechanism } = sasl
  const bearerLogin = sasl.oauth === undefined ? 'token' : 'oauth'
  const login = mechanism === 'oauthbearer' ? bearerLogin : 'password'
  const { required, optional } = LOGINS[login]
  const cannot = `cannot be combined with ${login === 'oauth' ? '`oauth`' : `the mechanism ${mechanism}`}`
  const path = ['kafka', 'sasl']
  const given = findings.given(LOGIN_OPTIONS, sasl, path)
  for (const option of LOGIN_OPTIONS) {
    const isGiven = given.includes(option)
    if (required.includes(option) && !isGiven)
      findings.add([...path, option], `is required with the mechanism ${mechanism}`)
    if (isGiven && ![...required, ...optional].includes(option)) findings.add([...path, option], cannot)
  }
  if (login === 'oauth') return checkOauth(sasl.oauth!, ['kafka', 'sasl', 'oauth'], findings)
  const secret = sasl[login]?.reveal()
  if (secret === undefined) return
  const isPadded = secret.trim() !== secret
  const oddity = isPadded ? 'begins or ends with white space, which is sent as part of it' : shortSecret(secret)
  findings.warn(['kafka', 'sasl', login], oddity)
}

/** Refuses a login that sends its secret itself over a way on which others can read it. */
function checkUnencryptedLogin(kafka: KafkaOptions, findings: Findings): void {
  const { sasl, tls, brokers = [], allow_insecure_login: allowed } = kafka
  const mechanism = sasl?.mechanism
  const secret = mechanism && SENT_AS_IT_STANDS[mechanism]
  if (secret === undefined) return
  if (allowed === true || tls !== undefined || findings.has(['kafka', 'tls'])) return
  if (brokers.every((broker) => broker === undefined || isThisMachine(broker.replace(/:\d+$/, '')))) return
  findings.add(
    ['kafka', 'sasl'],
    `sends the ${secret} in plain text (${mechanism}), and without \`kafka.tls\` others on the way to brokers can read it: set \`kafka.tls\`, choose a scram mechanism, or set \`kafka.allow_insecure_login\``,
  )
}
