// Keeps a token out of the debug output that precedes its being known. Knows no request.

import type { OnboardingApi } from '../../service/onboarding/onboarding-api.ts'
import type { Called } from '../../service/onboarding/onboarding-outcome.ts'
import type { Scrubber } from '../../secrets/scrubber.ts'

type CreateToken = OnboardingApi['createToken']

/** While it logs in, debug output waits; where a token may have been made that nobody got to know, it is left out. */
export function tokenUnseen(createToken: CreateToken, scrubber: Pick<Scrubber, 'debug' | 'learn'>): CreateToken {
  return async (...given) => {
    const end = scrubber.debug.hold()
    let isKnown = false
    try {
      const called = await createToken(...given)
      if (called.status === 'answered') scrubber.learn(tokensOf(called.value))
      isKnown = !mayHoldAnother(called)
      return called
    } finally {
      end(isKnown)
    }
  }
}

function tokensOf({
  access_token: token,
  refresh_token: refresh,
}: {
  access_token: string
  refresh_token?: unknown
}): string[] {
  return typeof refresh === 'string' ? [token, refresh] : [token]
}

function mayHoldAnother(called: Called<unknown>): boolean {
  return called.status === 'unclear' || ('ambiguous' in called && called.ambiguous)
}
