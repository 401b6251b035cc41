// Apache's broker with a listener OAUTH, whose logins are tokens that it checks against a token server's keys. Knows no case.

import type { Broker, StartBroker } from '../kafka/broker.ts'
import type { TokenServer } from './token-server.ts'

const LOGIN = 'org.apache.kafka.common.security.oauthbearer'

/** Who comes in by PLAINTEXT may do everything; whoever a token names, too. */
export function startIdentityBroker(startBroker: StartBroker, server: TokenServer): Promise<Broker> {
  const own = (name: string): string => `listener.name.oauth.oauthbearer.${name}`
  return startBroker({
    listeners: { OAUTH: 'SASL_PLAINTEXT' },
    loud: ['kafka.network.Processor'],
    javaArgs: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${server.jwksUrl}`],
    properties: {
      'listener.name.oauth.sasl.enabled.mechanisms': 'OAUTHBEARER',
      [own('sasl.server.callback.handler.class')]: `${LOGIN}.OAuthBearerValidatorCallbackHandler`,
      [own('sasl.jaas.config')]: `${LOGIN}.OAuthBearerLoginModule required;`,
      [own('connections.max.reauth.ms')]: '3600000',
      'sasl.oauthbearer.jwks.endpoint.url': server.jwksUrl,
      'sasl.oauthbearer.jwks.endpoint.refresh.ms': '60000',
      'sasl.oauthbearer.expected.issuer': server.issuer,
      'sasl.oauthbearer.expected.audience': 'kafka',
      'sasl.oauthbearer.clock.skew.seconds': '5',
    },
  })
}

/** How often the broker ended a connection because its session was over: what its metric `expired-connections-killed-count` counts. */
export async function expiredConnections(broker: Broker): Promise<number> {
  return (await broker.log()).split('Disconnecting expired channel').length - 1
}
