// The finding of `stream --check` on a token server: whether it gives a token, and what of its tokens would trouble a run later.

import { ConnectorError } from '../../core/errors.ts'
import type { HeldToken } from '../../identity/held-token.ts'
import { SKEW_MS } from '../../identity/token-claims.ts'
import { until } from '../../process/waiting.ts'
import { secondsText, span } from '../../text/figures.ts'
import { SHORTEST_SESSION_MS } from './check-cluster.ts'
import { fail, ok, warn, type CheckFinding } from './check-report.ts'

/** Waits for the first token and judges it. A fault of the server is a finding, and never thrown.
 *  @param end aborts to stop waiting
 *  @param now milliseconds since 1970 */
export async function tokenFinding(
  held: Pick<HeldToken, 'ready' | 'last' | 'facts'>,
  end: AbortSignal,
  now: () => number = Date.now,
): Promise<CheckFinding> {
  const { place } = held.facts
  try {
    await until(held.ready(), end)
  } catch (error) {
    // HeldToken gives each of its errors a code
    if (error instanceof ConnectorError) return fail(error.code!, error.message)
    const why = held.facts.cause ?? 'no answer in time'
    const text = `The token server ${place} gives no token: ${why}. Check its address, and the network.`
    return fail('identity.unreachable', text)
  }
  // the first token, as `ready` has resolved; with the scopes that it lacks, and the server's clock in milliseconds since 1970
  const { lifeMs, lacks, serverDate } = held.last!
  const skewMs = Math.abs((serverDate ?? now()) - now())
  const given = `The token server ${place} gives tokens that live ${span(lifeMs)}`
  const advice: string[] = []
  // a session lasts no longer than its token, of whose life only half may be left at the login
  const tooShort = `Brokers end a session with its token, so some would last less than ${span(SHORTEST_SESSION_MS)}, and no login keeps up with that. Let the server give tokens that live longer`
  if (lifeMs < 2 * SHORTEST_SESSION_MS) advice.push(tooShort)
  if (lacks.length > 0)
    advice.push(`It did not say that it gave the scope ${lacks.join(' ')}. Correct oauth.scope, or let it give that`)
  if (skewMs > SKEW_MS)
    advice.push(`Its clock and that of this machine differ by ${secondsText(skewMs)}. Correct the one that is wrong`)
  return advice.length === 0 ? ok(`${given}.`) : warn('config.warning', `${[given, ...advice].join('. ')}.`)
}
