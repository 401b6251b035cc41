// The service that a fleet shares: as slow, as limited and as faulty as its plan says. The client's own code reads its answers.

import { answer, EPOCH, failure } from '../exchanges.ts'
import { targetOf } from '../../../src/service/http/answer.ts'
import { outcomeOf } from '../../../src/service/http/failure.ts'
import { classify } from '../../../src/service/import/classify.ts'
import type { Outcome } from '../../../src/core/types.ts'
import type { Send, World } from './member.ts'

/** A status, or what happens in its place. */
export type Fault = 429 | 500 | 502 | 503 | 504 | 'reset' | 'refused' | 'timeout'

/** What a request gets that is not let through. */
export type Gate = (now: number, inFlight: number, random: () => number) => Outcome | undefined

export interface ServicePlan {
  /** Milliseconds from a request to its answer, whatever that is, give or take a tenth. */
  readonly ms: number | ((now: number) => number)
  /** Refuses what is too much. */
  readonly limit?: Gate
  /** Whatever is sent. */
  readonly fault?: Gate
  /** Requests stand in one line before so many workers, each of whom takes so many milliseconds for one. */
  readonly line?: Line | ((now: number) => Line | undefined)
  /** Milliseconds after which the client no longer waits for an answer that does not come. */
  readonly timeoutMs?: number
}

interface Line {
  readonly workers: number
  readonly ms: number
}

const TARGET = targetOf({ baseUrl: 'https://a.example', addressOption: 'url', clientId: 7, scrub: (text) => text })
const GOOD: Outcome = { status: 'delivered' }

/** @param retryAfter seconds, or text as the header has it */
export function read(fault: Fault, retryAfter?: number | string, now = 0): Outcome {
  const hint = retryAfter === undefined ? undefined : { text: String(retryAfter), until: () => 0 }
  const exchange = typeof fault === 'number' ? answer(fault, 'whole', hint) : failure(fault, fault !== 'refused')
  return exchange.kind === 'answer' ? classify(exchange, TARGET, EPOCH + now) : outcomeOf(exchange, TARGET)
}

export type Limiter = 'bucket' | 'second'

/** So many a second, a tenth of them saved up or so many seconds' worth, or so many in each second of the clock. */
export function perSecond(cap: number, by: Limiter, fault: Fault, retryAfter?: number, saved = 0.1): Gate {
  const refusal = read(fault, retryAfter)
  let [tokens, at] = [cap * saved, -1]
  return (now) => {
    if (by === 'bucket') tokens = Math.min(Math.max(1, cap * saved), tokens + ((now - at) * cap) / 1000)
    else if (Math.floor(at / 1000) < Math.floor(now / 1000)) tokens = cap
    at = now
    if (tokens < 1) return refusal
    tokens--
    return undefined
  }
}

export function atOnce(most: number, fault: Fault): Gate {
  const refusal = read(fault)
  return (_, inFlight) => (inFlight >= most ? refusal : undefined)
}

export function flaky(share: number, fault: Fault): Gate {
  const bad = read(fault)
  return (_, __, random) => (random() < share ? bad : undefined)
}

export function outage(from: number, to: number, fault: Fault): Gate {
  const bad = read(fault)
  return (now) => (now >= from && now < to ? bad : undefined)
}

/** Of each second: requests when they came, the rest when it was answered. `ms`: of good answers, summed. */
export type Seen = Readonly<Record<'sent' | 'good' | 'refused' | 'bad' | 'ms', Float64Array>>

export function serve(
  plan: ServicePlan,
  world: World,
  random: () => number,
  seconds: number,
): { send: Send; seen: Seen } {
  const count = (): Float64Array => new Float64Array(seconds + 1)
  const seen = { sent: count(), good: count(), refused: count(), bad: count(), ms: count() }
  const lineAt = (now: number): Line | undefined => (typeof plan.line === 'function' ? plan.line(now) : plan.line)
  let freeAt = new Float64Array(0)
  const jitter = (): number => 0.9 + 0.2 * random()
  let inFlight = 0
  const workedAt = (now: number): number => {
    const line = lineAt(now)
    if (!line) return now
    if (freeAt.length !== line.workers) freeAt = new Float64Array(line.workers)
    const worker = freeAt.indexOf(Math.min(...freeAt))
    return (freeAt[worker] = Math.max(now, freeAt[worker]!) + line.ms * jitter())
  }
  const endOf = (outcome: Outcome, now: number, way: number): number => {
    if (outcome === GOOD) return workedAt(now) + way
    if (outcome.status !== 'retry') return now + way
    if (outcome.cause === 'timeout') return now + (plan.timeoutMs ?? 60_000)
    // a refused connection is noticed at once
    return now + (outcome.cause === 'network' && !outcome.ambiguous ? 1 : way)
  }
  const send: Send = (then) => {
    const { now } = world
    seen.sent[Math.floor(now / 1000)]!++
    const bad = plan.fault?.(now, inFlight, random)
    const refusal = bad ? undefined : plan.limit?.(now, inFlight, random)
    const outcome = bad ?? refusal ?? GOOD
    const counts = seen[bad ? 'bad' : refusal ? 'refused' : 'good']
    const way = (typeof plan.ms === 'number' ? plan.ms : plan.ms(now)) * jitter()
    if (outcome === GOOD) inFlight++
    world.at(endOf(outcome, now, way), () => {
      const second = Math.floor(world.now / 1000)
      counts[second]!++
      if (outcome === GOOD) {
        inFlight--
        seen.ms[second]! += world.now - now
      }
      then(outcome)
    })
  }
  return { send, seen }
}
