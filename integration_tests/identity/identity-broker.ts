// Apache's broker with a listener OAUTH, whose logins are tokens that it checks against a token server's keys, and BRIEF, the same with
// sessions of four seconds. Knows no case.

import type { Broker, BrokerOptions, StartBroker } from '../kafka/broker.ts'
import type { TokenServer } from './token-server.ts'

const LOGIN = 'org.apache.kafka.common.security.oauthbearer'

/** Everything is allowed that no rule of access is about. A token's `sub` is its principal. */
export function startIdentityBroker(
  startBroker: StartBroker,
  server: TokenServer,
  more: Pick<BrokerOptions, 'port' | 'ports' | 'folder' | 'signal'> = {},
): Promise<Broker> {
  const listener = (name: string, sessionMs: number) => ({
    [`listener.name.${name}.sasl.enabled.mechanisms`]: 'OAUTHBEARER',
    [`listener.name.${name}.oauthbearer.sasl.server.callback.handler.class`]: `${LOGIN}.OAuthBearerValidatorCallbackHandler`,
    [`listener.name.${name}.oauthbearer.sasl.jaas.config`]: `${LOGIN}.OAuthBearerLoginModule required;`,
    [`listener.name.${name}.oauthbearer.connections.max.reauth.ms`]: String(sessionMs),
  })
  return startBroker({
    ...more,
    listeners: { OAUTH: 'SASL_PLAINTEXT', BRIEF: 'SASL_PLAINTEXT' },
    loud: ['kafka.network.Processor'],
    javaArgs: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${server.jwksUrl}`],
    properties: {
      ...listener('oauth', 3_600_000),
      ...listener('brief', 4_000),
      'sasl.oauthbearer.jwks.endpoint.url': server.jwksUrl,
      'sasl.oauthbearer.jwks.endpoint.refresh.ms': '60000',
      'sasl.oauthbearer.expected.issuer': server.issuer,
      'sasl.oauthbearer.expected.audience': 'kafka',
      'sasl.oauthbearer.clock.skew.seconds': '5',
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'allow.everyone.if.no.acl.found': 'true',
      'super.users': 'User:ANONYMOUS',
    },
  })
}

/** How often the broker ended a connection because its session was over: what its metric `expired-connections-killed-count` counts. */
export async function expiredConnections(broker: Broker): Promise<number> {
  return (await broker.log()).split('Disconnecting expired channel').length - 1
}
