// Faults to plant where time, permits and answers are concerned; each is what one law is there for.

import { fault, type Fault } from './plant.ts'

export const faultsOfTime: readonly Fault[] = [
  fault('no late-write guard', ['SendQueue.free', '<= now', '> 0']),
  fault('the guard is forgotten by halves', ['Batch.constructor', '= ambiguousAt', '= undefined']),
  fault('the guard counts from the first ambiguous attempt', ['Delivery.#retry', 'ambiguousAt =', 'ambiguousAt ??=']),
  fault('timeouts are not ambiguous', ['outcomeOf', 'failure.begun', "$& && nature !== 'timeout'"]),
  fault('a gateway is not ambiguous', ['statuses.ts:TABLE', /(504':\s*\[)'retry\?'/, "$1'retry'"]),
  fault('a body is written over as soon as it is answered', ['Delivery.#follow', /\S+isQuiet\?\.\(\)/, 'true']),
  fault('a refused body is written over as soon as it is answered', [
    'Delivery.#rejectPoint',
    /\S+isQuiet\?\.\(\)/,
    'true',
  ]),
  fault('a body is written over while it is sent', ['BodyPool.take', 'pop()', 'at(-1)']),
  fault('a body used again keeps its length', ['Body.renew', 'this.length = 1', '']),
  fault('half an answer is enough', ['classify.ts:success', /acknowledges\(.*?\)/, 'answer.status < 300']),
  fault('many small bodies linger longer than a record may', ['Linger.cut', /Math\.min\((wanted), \w+\)/, '$1 * 100']),
  fault('pauses are ignored', ['FixedPermits.isPaused', /< \S+/, '< -Infinity']),
  fault('a short pause ends a long one', ['FixedPermits.give', /Math\.max\(\S+, (.*)\)/, '$1']),
  fault('a 503 pauses nothing', ['classify.ts:retry', '|| status === 503', '']),
  fault('Retry-After is no date', [
    'retryAfterMs',
    'isNaN(date) ? undefined : Math.max(0, date - now)',
    'isNaN(date - now) ? 0 : undefined',
  ]),
  fault('the end of a pause wakes nobody', ['FixedPermits.nextChange', '? this.opensAt', '? undefined']),
  fault('permits leak on 413', [
    'FixedPermits.give',
    "if (outcome.status !== 'retry')",
    "if (outcome.status === 'too-large') this.waiting += 2\n    $&",
  ]),
  fault('permits leak on 400', ['FixedPermits.give', 'this.inFlight--', "if (outcome.status !== 'refused') $&"]),
  fault('permits come back twice', [
    'FixedPermits.give',
    'this.inFlight--',
    'this.inFlight = Math.max(0, this.inFlight - 2)',
  ]),
  fault('fixed permits let no retry in beside others', [
    'FixedPermits.take',
    /&& (this\.waiting >= [^)]*)/,
    '? $1 : this.inFlight > 0',
  ]),
  fault('a permit too many', ['FixedPermits.take', 'inFlight >=', 'inFlight >']),
  fault(
    'the ceiling is forgotten',
    ['AdaptivePermits.#grow', /= Math\.min\(\S+, LIMIT\.ceiling\)/, '*= 16'],
    ['AdaptivePermits.#freeAt', 'LIMIT.ceiling', '16 * LIMIT.ceiling'],
  ),
  fault('the rate is made up for', ['FixedPermits.take', 'RATE.makeUpMs', '(10 * SECOND_MS) / this.#perSecond()']),
  fault('no probes', ['SendQueue.nextRetryAt', /Math\.min\(at, .*?\)/, 'at']),
  fault('retries wait until nothing is in flight', ['SendQueue.nextRetryAt', ': at', ': Infinity']),
  fault('the retry budget starts anew with each attempt', ['nextAttempt', 'batch.firstAt', 'now']),
  fault('a spent budget is called a fault of the config', ['retriesSpent', "'transient'", "'config'"]),
  fault('what is due must be looked at in its very instant', ['SendQueue.next', 'nextAt <=', 'nextAt ===']),
  fault('a checkpoint waits until nothing is in flight', [
    'Delivery.#turn',
    'void this.#commit()',
    'if (this.#queue.inFlight === 0) $&',
  ]),
  fault('the grace time does not end', ['Delivery.#endGrace', /\S+graceMs/, '$& + 3_600_000']),
  fault('a learnt rate falls to nothing', ['LearntRate.cut', /Math\.max\(RATE\.slowest, (\w+) .*?\)/, '$1 / 64']),
  fault('what hangs holds up the rest', ['AdaptivePermits.#freeAt', 'this.#takenAt + SECOND_MS', 'Infinity']),
  fault('the rate wakes nobody', ['AdaptivePermits.nextChange', /Math\.max\(\S+, (this\.#freeAt)\)/, '$1']),
  fault('probes come ever further apart', ['AdaptivePermits.#freeAt', 'Math.min(SECOND_MS', 'Math.min(Infinity']),
]
