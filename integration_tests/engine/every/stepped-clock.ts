// Time that passes only when it is told to, from one deadline of the process to the next.

import { Random } from '../random.ts'
import { VirtualClock, type Timer } from '../virtual-clock.ts'

export class SteppedClock extends VirtualClock {
  constructor() {
    super(new Random(0), { whole: true, lateMs: 0, pauses: [] })
  }

  /** Half of each pause that is up to chance. */
  override random(): number {
    return 0.5
  }

  /** The process's next deadline; Infinity: none. */
  get deadline(): number {
    return Math.min(...this.#own().map(({ at }) => at))
  }

  /** Waits without a deadline, see `wait`: each ends when it is told to. */
  get open(): readonly Timer[] {
    return this.#own().filter(({ at }) => at === Infinity)
  }

  /** What happens next happens a moment later, unless a deadline would pass. */
  tick(): void {
    if (this.deadline > this.time + 1) this.goOn(this.time + 1)
  }

  /** Goes to the deadline, before or beyond it, and wakes nobody. */
  pass(lateMs: number): void {
    this.goOn(Math.max(this.time, this.deadline + lateMs))
  }

  /** Nobody waits for a time, but time passes. */
  idle(ms: number): void {
    this.goOn(this.time + ms)
  }

  /** Goes to the deadline, and wakes those whose time has come. */
  wake(): void {
    this.pass(0)
    for (const timer of this.#own()) if (timer.at <= this.time) timer.ring()
  }

  /** What the world does yet. */
  end(): void {
    this.goOn(Infinity)
  }

  #own(): Timer[] {
    return [...this.timers].filter(({ isWorld }) => !isWorld)
  }
}
