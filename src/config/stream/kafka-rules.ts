// Checks the group `kafka`: its times, its certificates, and its login. Never quotes a value.

import { isThisMachine } from '../address.ts'
import type { Findings } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import { shortSecret } from '../secrets.ts'
import { checkTls } from '../tls.ts'
import { SENT_AS_IT_STANDS } from './kafka-options.ts'
import { checkOauth } from './oauth.ts'
import type { StreamOptions } from './stream-options.ts'

type KafkaOptions = Partly<StreamOptions['kafka']>

export function checkKafka(kafka: KafkaOptions, findings: Findings): void {
  const { session_timeout_seconds: session = Infinity, rebalance_timeout_seconds: rebalance = Infinity } = kafka
  if ((kafka.heartbeat_seconds ?? 0) > session / 3)
    findings.add(
      ['kafka', 'heartbeat_seconds'],
      `must be at most a third of \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  if (rebalance < session && session !== Infinity)
    findings.add(
      ['kafka', 'rebalance_timeout_seconds'],
      `must be at least \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  checkTls(kafka.tls ?? {}, ['kafka', 'tls'], findings)
  checkSasl(kafka, findings)
  checkWay(kafka, findings)
}

/** Options of each kind of login, which is called by the option that its secret comes from. */
const LOGINS: Record<'password' | 'token' | 'oauth', Record<'required' | 'optional', readonly string[]>> = {
  password: { required: ['username', 'password'], optional: [] },
  token: { required: ['token'], optional: ['oauth', 'extensions'] },
  oauth: { required: ['oauth'], optional: ['extensions'] },
}

function checkSasl({ sasl }: KafkaOptions, findings: Findings): void {
  if (sasl?.mechanism === undefined) return
  const { mechanism } = sasl
  const login = mechanism !== 'oauthbearer' ? 'password' : sasl.oauth === undefined ? 'token' : 'oauth'
  const { required, optional } = LOGINS[login]
  const cannot = `cannot be combined with ${login === 'oauth' ? '`oauth`' : `the mechanism ${mechanism}`}`
  for (const option of ['username', 'password', 'token', 'oauth', 'extensions'] as const) {
    const path = ['kafka', 'sasl', option]
    const isThere = sasl[option] !== undefined
    if (required.includes(option) && !isThere) findings.add(path, `is required with the mechanism ${mechanism}`)
    const isOfLogin = [...required, ...optional].includes(option)
    if (!isOfLogin && (isThere || findings.has(path))) findings.add(path, cannot)
  }
  if (login === 'oauth') return checkOauth(sasl.oauth!, ['kafka', 'sasl', 'oauth'], findings)
  const secret = sasl[login]?.reveal()
  if (secret === undefined) return
  const padded = 'begins or ends with white space, which is sent as part of it'
  findings.warn(['kafka', 'sasl', login], secret.trim() === secret ? shortSecret(secret) : padded)
}

/** Refuses a login that sends its secret itself over a way on which others can read it. */
function checkWay({ sasl, tls, brokers = [], allow_insecure_login: allowed }: KafkaOptions, findings: Findings): void {
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
