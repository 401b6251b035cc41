// A wake-up call between coroutines of one process: no queue, no value, nothing kept once woken.

/** `wait` resolves at the next `notify`; a notify nobody waits for is remembered once. */
export class Wakeup {
  #waiting: (() => void) | undefined
  #pending = false

  notify(): void {
    if (!this.#waiting) {
      this.#pending = true
      return
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting()
  }

  /** One waiter at a time. */
  wait(): Promise<void> {
    if (this.#pending) {
      this.#pending = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }
}
