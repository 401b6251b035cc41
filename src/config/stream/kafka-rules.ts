// What one option of the group `kafka` says about another. Never quotes a value.

import { isThisMachine } from '../../core/network.ts'
import type { Findings } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import type { StreamOptions } from './stream-options.ts'
import { shortSecret } from '../short-secret.ts'
import { tlsProblems } from '../tls-problems.ts'

type KafkaOptions = Partly<StreamOptions['kafka']>

/** @param warnings grows by whole sentences */
export function checkKafka(kafka: KafkaOptions, findings: Findings, warnings: string[]): void {
  checkTimes(kafka, findings)
  for (const [option, problem] of tlsProblems(kafka.tls ?? {})) findings.add(['kafka', 'tls', option], problem)
  checkSasl(kafka, findings, warnings)
  checkWay(kafka, findings)
}

function checkTimes(kafka: KafkaOptions, findings: Findings): void {
  const { session_timeout_seconds: session, rebalance_timeout_seconds: rebalance, heartbeat_seconds: heartbeat } = kafka
  if (session === undefined) return
  if (heartbeat !== undefined && heartbeat > session / 3) {
    findings.add(
      ['kafka', 'heartbeat_seconds'],
      `must be at most a third of \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  }
  if (rebalance !== undefined && rebalance < session) {
    findings.add(
      ['kafka', 'rebalance_timeout_seconds'],
      `must be at least \`kafka.session_timeout_seconds\`, which is ${session}`,
    )
  }
}

function checkSasl({ sasl }: KafkaOptions, findings: Findings, warnings: string[]): void {
  const mechanism = sasl?.mechanism
  if (sasl === undefined || mechanism === undefined) return
  const bearer = mechanism === 'oauthbearer'
  for (const option of ['username', 'password', 'token'] as const) {
    const path = ['kafka', 'sasl', option]
    const wanted = (option === 'token') === bearer
    if (wanted && sasl[option] === undefined) findings.add(path, `is required with the mechanism ${mechanism}`)
    if (!wanted && (sasl[option] !== undefined || findings.has(path)))
      findings.add(path, `does not go with the mechanism ${mechanism}`)
  }
  const secret = bearer ? 'token' : 'password'
  const oddity = sasl[secret] === undefined ? undefined : oddityOf(sasl[secret])
  if (oddity !== undefined) warnings.push(`\`kafka.sasl.${secret}\` ${oddity}`)
}

/** What a login by one of these sends is the secret itself. */
function checkWay({ sasl, tls, brokers = [], allow_insecure_login: allowed }: KafkaOptions, findings: Findings): void {
  const mechanism = sasl?.mechanism
  if (mechanism !== 'plain' && mechanism !== 'oauthbearer') return
  if (allowed === true || tls !== undefined || findings.has(['kafka', 'tls'])) return
  if (brokers.every((broker) => broker === undefined || isThisMachine(broker.replace(/:\d+$/, '')))) return
  const secret = mechanism === 'plain' ? 'password' : 'token'
  findings.add(
    ['kafka', 'sasl'],
    `sends the ${secret} as it stands (${mechanism}), and without \`kafka.tls\` others on the way to brokers can read it: set \`kafka.tls\`, choose a scram mechanism, or set \`kafka.allow_insecure_login\``,
  )
}

function oddityOf(secret: string): string | undefined {
  if (secret.trim() !== secret) return 'begins or ends with white space, which is sent as part of it'
  return shortSecret(secret)
}
