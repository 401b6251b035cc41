// How an address is reached from this environment, or that it cannot be.

import { ConnectorError } from '../../core/errors.ts'
import type { Environment, Proxy } from './proxy.ts'
import { routeTo } from './proxy.ts'
import type { Scrubber } from '../../secrets/scrubber.ts'

/** Tells the scrubber the proxy's secrets first.
 *  @returns the proxy, if there is one
 *  @throws ConnectorError config when the environment names one that cannot be used */
export function serviceRoute(
  baseUrl: string,
  { env, scrubber }: { readonly env: Environment; readonly scrubber: Scrubber },
): Proxy | undefined {
  const route = routeTo(baseUrl, env)
  if ('problem' in route) throw new ConnectorError('config', `The environment cannot be used: ${route.problem}.`)
  scrubber.learn(route.secrets)
  return route.proxy
}

export function throughProxy({ origin, variable }: Proxy): string {
  return `The service is reached through the proxy ${origin} (${variable}).`
}
