// A service of which somebody else chooses how each attempt ends, and when.

import type { Request } from '../../../src/core/types.ts'
import { answer, failure, hinted, type Exchange } from '../exchanges.ts'
import type { Laws } from '../laws.ts'
import { LAW, ModelService, type End } from '../model-service.ts'
import type { Fact } from '../script.ts'
import { SERVICE_OUTCOMES, isAmbiguous, isAnswered, type ServiceOutcome, type Way } from '../service-outcomes.ts'
import type { SteppedClock } from './stepped-clock.ts'

/** An attempt under way. */
export interface Visit {
  readonly facts: readonly Fact[]
  readonly end: (way: Way) => void
}

const CUT = { answered: 'whole', cut: 'lost', 'cut-silent': 'timeout' } as const
const RETRY_AFTER_S = { seconds: 3, date: 1 }

export class ChosenService extends ModelService {
  /** The oldest first. */
  readonly visits = new Set<Visit>()
  /** Stored, or on their way to be: these it does not refuse any more. */
  readonly accepted = new Set<Fact>()
  readonly #guardMs: number
  readonly #clock: SteppedClock
  readonly #laws: Laws
  /** Bodies that leave until the end, and what they were. */
  readonly #leaving: { readonly body: Uint8Array; readonly was: Buffer }[] = []

  constructor(parts: ConstructorParameters<typeof ModelService>, clock: SteppedClock) {
    super(...parts)
    this.#guardMs = parts[0].limits.guardMs
    this.#clock = clock
    this.#laws = parts[3]
  }

  override isQuiet(): boolean {
    return super.isQuiet() && this.#leaving.length === 0
  }

  /** Everything has left. */
  end(): void {
    for (const { body, was } of this.#leaving)
      if (!was.equals(body)) this.#laws.book.break(LAW, `${was.toString()} became ${Buffer.from(body).toString()}`)
  }

  protected override async attempt(facts: readonly Fact[], request: Request, _: Way, cut: AbortSignal): Promise<End> {
    const { attempts } = this.#laws
    const { promise, resolve } = Promise.withResolvers<Way>()
    const visit = { facts, end: resolve }
    this.visits.add(visit)
    cut.addEventListener('abort', () => resolve('silentNever'), { once: true })
    const way = await promise
    this.visits.delete(visit)
    if (way === 'throws') {
      attempts.broke(facts)
      throw new Error('the transport broke')
    }
    if (way === 'okSoon' || way === 'refusalSoon')
      this.#leaving.push({ body: request.body, was: Buffer.from(request.body) })
    const outcome: ServiceOutcome = SERVICE_OUTCOMES[way]
    const refusal = outcome.body === 'lost' ? undefined : this.refusal(facts, request)
    if (outcome.body !== 'lost' && !refusal) for (const fact of facts) this.accepted.add(fact)
    if (outcome.body === 'stored' && !refusal) attempts.stored(facts)
    // a moment before the guard ends: the engine cannot see it, so nothing is worse than the latest moment
    if (outcome.body === 'later' && !refusal) this.#clock.at(this.#guardMs - 1, () => attempts.stored(facts))
    const isRefusal = refusal !== undefined && outcome.end === 'answered'
    const exchange = isRefusal ? refusal : cut.aborted ? failure('aborted', true) : this.#exchange(outcome)
    return {
      exchange,
      isAmbiguous: exchange.kind === 'failure' ? exchange.begun : !isRefusal && isAmbiguous(outcome),
      pausedUntil: exchange.kind === 'answer' ? exchange.pausedUntil?.(this.#clock.time) : undefined,
    }
  }

  #exchange(outcome: ServiceOutcome): Exchange {
    if (isAnswered(outcome)) {
      const hint = outcome.hint && hinted(outcome.hint, RETRY_AFTER_S[outcome.hint], this.#clock.time)
      return answer(outcome.status, CUT[outcome.end], hint, outcome.page)
    }
    const { end, stale } = outcome
    if (end === 'silent' || end === 'unreachable') return failure('timeout', end === 'silent')
    return failure(end, end === 'reset', stale)
  }
}
