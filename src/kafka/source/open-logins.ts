// Opens the logins of a run, to brokers and registry: connections get a config whose logins can each read their secret, also where a token
// server has to give it.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { ReadSecret } from '../../core/secret.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import { until } from '../../process/waiting.ts'
import type { LoginParts, OpenLogins } from './fetch-tokens.ts'

/** Opens the logins of a config. What fetches tokens is loaded only where a login takes one.
 *  @throws ConnectorError config when the environment names a proxy that cannot be used */
export async function openLogins(config: StreamConfig, parts: LoginParts): Promise<OpenLogins> {
  if (readsSecretsItself(config)) return { config, tokens: [], outages: [], [Symbol.dispose]: () => {} }
  const { fetchTokens } = await import('./fetch-tokens.ts')
  return fetchTokens(config, parts)
}

/** Whether the secret of each login is in a file or a variable, so that no token server is asked. */
function readsSecretsItself(config: StreamConfig): config is StreamConfig<ReadSecret> {
  const logins = [config.kafka.sasl, config.registry?.login]
  return logins.every((login) => login === undefined || typeof login.secret === 'function')
}

/** Resolves once each of these has a token, or when `signal` aborts.
 *  @throws ConnectorError when one of them will never have one */
export async function tokensReady(tokens: readonly Pick<HeldToken, 'ready'>[], signal: AbortSignal): Promise<void> {
  await until(Promise.all(tokens.map((token) => token.ready())), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
