// The login of onboarding, so that no debug output shows a token: the scrubber learns those in the answer, and debug output waits
// until then. Where a token may have been made that is not known, the output of that time is left out.

import type { Scrubber } from '../../secrets/scrubber.ts'
import type { OnboardingApi } from '../../service/onboarding/onboarding-api.ts'

type CreateToken = OnboardingApi['createToken']

export function hidingTokens(createToken: CreateToken, scrubber: Pick<Scrubber, 'debug' | 'learn'>): CreateToken {
  return async (...given) => {
    const end = scrubber.debug.hold()
    let mayShow = false
    try {
      const outcome = await createToken(...given)
      if (outcome.status === 'answered') {
        const { access_token: token, refresh_token: refresh } = outcome.value
        scrubber.learn(typeof refresh === 'string' ? [token, refresh] : [token])
      }
      mayShow = outcome.status !== 'unclear' && !('ambiguous' in outcome && outcome.ambiguous)
      return outcome
    } finally {
      end(mayShow)
    }
  }
}
