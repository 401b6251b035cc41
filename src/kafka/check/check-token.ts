// Whether the token server gives a token, and what may be wrong with one that the brokers refuse.

import { ConnectorError } from '../../core/errors.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import { oddities } from '../../identity/token-claims.ts'
import { until } from '../../process/waiting.ts'
import { span } from '../../text/figures.ts'
import { SHORTEST_SESSION_MS } from './check-cluster.ts'
import type { CheckFinding } from './check-report.ts'
import { fail, ok, warn } from './check-report.ts'

/** Never throws. @param end aborts when it is to be waited for no longer */
export async function tokenFinding(
  held: Pick<HeldToken, 'ready' | 'last' | 'facts'>,
  end: AbortSignal,
): Promise<CheckFinding> {
  const { place } = held.facts
  try {
    await until(held.ready(), end)
  } catch (error) {
    if (error instanceof ConnectorError) return fail(error.code!, error.message)
    const why = held.facts.cause ?? 'no answer in time'
    return fail(
      'identity.unreachable',
      `The token server ${place} gives no token: ${why}. Check its address, and the network.`,
    )
  }
  const { lifeMs, lacks } = held.last!
  const given = `The token server ${place} gives tokens that live ${span(lifeMs)}`
  const advice: string[] = []
  // a login takes a token with half of its life left
  if (lifeMs < 2 * SHORTEST_SESSION_MS)
    advice.push('Sessions with brokers would be shorter than 6 s, which they end. Let it give tokens that live longer')
  if (lacks.length > 0)
    advice.push(`It did not say that it gave the scope ${lacks.join(' ')}. Correct oauth.scope, or let it give that`)
  return advice.length === 0 ? ok(`${given}.`) : warn('config.warning', `${[given, ...advice].join('. ')}.`)
}

/** Oddities of the token in hand, as `oddities` finds them. `undefined` when there is no token. */
export function oddToken({ last }: Pick<HeldToken, 'last'>, now = Date.now()): string | undefined {
  return last && oddities(last.token.reveal(), now, last.serverDate)
}
