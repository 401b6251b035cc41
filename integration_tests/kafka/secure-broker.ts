// A broker with a listener for every way in: encrypted or not, with a login or without, with certificates that are wrong. Who
// comes in by PLAINTEXT may do everything; users may do what a test allows them.

import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import kafkajs from 'kafkajs'
import { Secret } from '../../src/core/secret.ts'
import type { KafkaTlsConfig } from '../../src/config/stream/stream-config.ts'
import type { Broker, StartBroker } from './broker.ts'
import type { KafkaClient } from './client.ts'
import { until } from './until.ts'

export interface Certificate {
  /** PEM. */
  readonly certificate: string
  readonly key: string
}

/** Each signed by itself. */
export const certificates = JSON.parse(
  readFileSync(new URL('../../src/service/http/certificates.test.json', import.meta.url), 'utf8'),
) as Readonly<Record<'trusted' | 'otherHost' | 'expired' | 'client', Certificate>>

/** What trusts one certificate alone. */
export function caOf({ certificate }: Certificate, client?: Certificate): KafkaTlsConfig {
  return {
    caCertificate: certificate,
    clientCertificate: client?.certificate,
    clientKey: client && new Secret(client.key),
  }
}

const SERVER_CERTIFICATES = {
  TLS: certificates.trusted,
  OTHERHOST: certificates.otherHost,
  EXPIRED: certificates.expired,
  MTLS: certificates.trusted,
  SASLTLS: certificates.trusted,
} as const

/** What no output may hold. One is special to SCRAM. */
export const PASSWORDS = {
  alice: 'canary-secret-alice',
  bob: 'canary-secret-bob',
  'odd=name': 'canary-secret =% =',
} as const

export type User = keyof typeof PASSWORDS

const LOGIN = 'org.apache.kafka.common.security'
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** Listeners: PLAINTEXT, SASL, SASLTLS (login and TLS), TLS, OTHERHOST, EXPIRED, MTLS (wants the client's certificate). SCRAM
 *  and PLAIN know the users of `PASSWORDS`; OAUTHBEARER takes any unsigned token (`tokenFor`). SASLTLS knows PLAIN alone. */
export function startSecureBroker(startBroker: StartBroker): Promise<Broker> {
  const plain = Object.entries(PASSWORDS)
    .filter(([user]) => /^\w+$/.test(user))
    .map(([user, password]) => `user_${user}=${quoted(password)}`)
  const plainLogin = `${LOGIN}.plain.PlainLoginModule required ${plain.join(' ')};`
  return startBroker({
    listeners: {
      SASL: 'SASL_PLAINTEXT',
      SASLTLS: 'SASL_SSL',
      TLS: 'SSL',
      OTHERHOST: 'SSL',
      EXPIRED: 'SSL',
      MTLS: 'SSL',
    },
    properties: {
      'sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512,PLAIN,OAUTHBEARER',
      'listener.name.sasltls.sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.sasl.scram-sha-256.sasl.jaas.config': `${LOGIN}.scram.ScramLoginModule required;`,
      'listener.name.sasl.scram-sha-512.sasl.jaas.config': `${LOGIN}.scram.ScramLoginModule required;`,
      'listener.name.sasl.plain.sasl.jaas.config': plainLogin,
      'listener.name.sasltls.plain.sasl.jaas.config': plainLogin,
      'listener.name.sasl.oauthbearer.sasl.jaas.config': `${LOGIN}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
      ...Object.fromEntries(Object.entries(SERVER_CERTIFICATES).flatMap(([name, made]) => keyStore(name, made))),
      'listener.name.mtls.ssl.client.auth': 'required',
      'listener.name.mtls.ssl.truststore.type': 'PEM',
      'listener.name.mtls.ssl.truststore.certificates': oneLine(certificates.client.certificate),
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS;User:alice',
    },
    formatArgs: Object.entries(PASSWORDS).flatMap(([user, password]) =>
      [256, 512].flatMap((bits) => [
        '--add-scram',
        `SCRAM-SHA-${bits}=[name=${quoted(user)},password=${quoted(password)}]`,
      ]),
    ),
  })
}

function keyStore(listener: string, { certificate, key }: Certificate): [string, string][] {
  const prefix = `listener.name.${listener.toLowerCase()}.ssl.keystore.`
  const pkcs8 = createPrivateKey(key).export({ format: 'pem', type: 'pkcs8' })
  return [
    [`${prefix}type`, 'PEM'],
    [`${prefix}key`, oneLine(String(pkcs8))],
    [`${prefix}certificate.chain`, oneLine(certificate)],
  ]
}

/** Kafka finds its PEM in any line. */
function oneLine(pem: string): string {
  return pem.slice(pem.indexOf('-----BEGIN')).replaceAll('\n', ' ').trim()
}

/** @param more claims of it @returns an unsigned JWT */
export function tokenFor(user: string, more: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const parts = [{ alg: 'none' }, { sub: user, iat: now, exp: now + 3600, ...more }]
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
}

export type Operation = 'READ' | 'WRITE' | 'DESCRIBE'

/** Allows a user operations on one topic or group, and waits until the broker knows: that comes a moment after it took the request.
 *  @param client one that came in by PLAINTEXT */
export async function allow(
  client: KafkaClient,
  user: string,
  operations: readonly Operation[],
  on: 'TOPIC' | 'GROUP',
  name: string,
): Promise<void> {
  const rule = {
    resourceType: kafkajs.AclResourceTypes[on],
    resourceName: name,
    resourcePatternType: kafkajs.ResourcePatternTypes.LITERAL,
    permissionType: kafkajs.AclPermissionTypes.ALLOW,
    principal: `User:${user}`,
    host: '*',
  }
  const acl = operations.map((operation) => ({ ...rule, operation: kafkajs.AclOperationTypes[operation] }))
  await client.admin.createAcls({ acl })
  await until(
    async () => {
      const { resources } = await client.admin.describeAcls({ ...rule, operation: kafkajs.AclOperationTypes.ANY })
      return resources.flatMap(({ acls }) => acls).length >= operations.length
    },
    () => `the broker does not know what ${user} may do with ${name}`,
  )
}
