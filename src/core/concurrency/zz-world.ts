import { nextAttempt } from '../retry.ts'
import { Timed } from '../queues.ts'
import { again, delivered } from '../testing/outcomes.ts'
import type { Outcome, Permits } from '../types.ts'
class World {
  now = 0
  readonly #events = new Timed<() => void>()
  #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  /** [0, 1), the same in every run. */
  random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed / 2_147_483_648
  }

  at(time: number, then: () => void): void {
    this.#events.put(time, then)
  }

  run(until: number): void {
    while (this.#events.nextAt <= until) {
      this.now = Math.max(this.now, this.#events.nextAt)
      this.#events.take()!()
    }
    this.now = until
  }
}

/** Answers a request, later. */
type Service = (world: World, answer: (outcome: Outcome) => void) => void

/** Servers side by side with one queue before them. */
function servers(capacity: (now: number) => number, ms: (world: World) => number): Service {
  let busy = 0
  const queue: (() => void)[] = []
  return (world, answer) => {
    const serve = (): void => {
      busy++
      world.at(world.now + ms(world), () => {
        busy--
        while (queue.length > 0 && busy < capacity(world.now)) queue.shift()!()
        answer(delivered)
      })
    }
    if (busy < capacity(world.now)) serve()
    else queue.push(serve)
  }
}

/** So many a second, a second's worth saved up. */
function bucket(perSecond: number, inner: Service, afterMs?: number): Service {
  let [tokens, at] = [perSecond, 0]
  return (world, answer) => {
    tokens = Math.min(perSecond, tokens + ((world.now - at) * perSecond) / 1000)
    at = world.now
    if (tokens < 1) return world.at(world.now + 1, () => answer(again('throttled', true, afterMs)))
    tokens--
    return inner(world, answer)
  }
}

/** So many in each second of the clock. */
function bySecond(count: number, inner: Service): Service {
  let [used, second] = [0, -1]
  return (world, answer) => {
    if (Math.floor(world.now / 1000) !== second) [used, second] = [0, Math.floor(world.now / 1000)]
    if (used++ < count) return inner(world, answer)
    return world.at(world.now + 1, () => answer(again('throttled', true)))
  }
}

function outage(from: number, to: number, afterMs: number, outcome: Outcome, inner: Service): Service {
  return (world, answer) => {
    if (world.now < from || world.now >= to) return inner(world, answer)
    return world.at(world.now + afterMs, () => answer(outcome))
  }
}

/** Every attempt has this chance to be refused, whatever the load. */
function flaky(chance: number, outcome: Outcome, inner: Service): Service {
  return (world, answer) => {
    if (world.random() >= chance) return inner(world, answer)
    return world.at(world.now + 1, () => answer(outcome))
  }
}

interface Second {
  delivered: number
  refused: number
  /** Of the delivered, summed. */
  ms: number
}

/** Endless input for so many seconds. */
function run(permits: Permits, service: Service, seconds: number, seed = 1): Second[] {
  const world = new World(seed)
  const now = (): number => Math.floor(world.now)
  const retries = new Timed<{ attempts: number }>()
  const counts: Second[] = Array.from({ length: seconds + 1 }, () => ({ delivered: 0, refused: 0, ms: 0 }))
  let [inFlight, lastEnd, timer] = [0, -Infinity, Infinity]
  const retryAt = (): number => (inFlight === 0 ? Math.min(retries.nextAt, lastEnd + 2000) : retries.nextAt)
  const isRetryDue = (): boolean => retries.size > 0 && retryAt() <= now()
  const end = (batch: { attempts: number }, outcome: Outcome, started: number): void => {
    const ended = now()
    inFlight--
    lastEnd = ended
    permits.give(outcome, ended - started, ended)
    const count = counts[Math.floor(ended / 1000)]!
    if (outcome.status === 'delivered') {
      count.delivered++
      count.ms += ended - started
    } else count.refused++
    if (outcome.status === 'retry') {
      const attempted = { table: { name: 't' }, track: { name: 's' }, firstAt: ended, wasStale: false, ...batch }
      const at = nextAttempt(outcome, attempted, 900_000, ended, world.random())
      if (typeof at === 'number') retries.put(at, batch)
    }
    turn()
  }
  const attempt = (batch: { attempts: number }): void => {
    inFlight++
    batch.attempts++
    const started = now()
    service(world, (outcome) => end(batch, outcome, started))
  }
  const turn = (): void => {
    while (permits.take(isRetryDue() ? 'retry' : 'first', now()))
      attempt(isRetryDue() ? retries.take()! : { attempts: 0 })
    const change = permits.nextChange(now()) ?? Infinity
    const at = Math.ceil(Math.min(change, isRetryDue() || retries.size === 0 ? Infinity : retryAt()))
    if (at >= timer) return
    timer = at
    world.at(at, () => {
      if (timer !== at) return
      timer = Infinity
      turn()
    })
  }
  turn()
  world.run(seconds * 1000)
  return counts
}

/** Of the seconds `from` to `to`. */
function over(counts: readonly Second[], from: number, to: number): { perSecond: number; refused: number; ms: number } {
  const sum = { delivered: 0, refused: 0, ms: 0 }
  for (const count of counts.slice(from, to)) {
    sum.delivered += count.delivered
    sum.refused += count.refused
    sum.ms += count.ms
  }
  const answers = sum.delivered + sum.refused
  return { perSecond: sum.delivered / (to - from), refused: sum.refused / answers, ms: sum.ms / sum.delivered }
}


export { World, servers, bucket, bySecond, outage, flaky, run, over }
export type {Service}
