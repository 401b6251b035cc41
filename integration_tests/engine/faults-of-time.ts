// Faults to plant where time, permits and answers are concerned; each is what one law is there for.

import type { Fault } from './plant.ts'

export const faultsOfTime: readonly Fault[] = [
  {
    name: 'no late-write guard',
    edits: [{ file: 'send-queue.ts', from: 'if (at <= now) return', to: 'if (at > 0) return' }],
  },
  {
    name: 'the guard is forgotten by halves',
    edits: [{ file: 'batch.ts', from: 'this.ambiguousAt = ambiguousAt', to: 'this.ambiguousAt = undefined' }],
  },
  {
    name: 'the guard counts from the first ambiguous attempt',
    edits: [{ file: 'deliver.ts', from: 'batch.ambiguousAt = now', to: 'batch.ambiguousAt ??= now' }],
  },
  {
    name: 'timeouts are not ambiguous',
    edits: [
      {
        file: 'service/http/failure.ts',
        from: 'ambiguous: failure.begun,',
        to: "ambiguous: failure.begun && nature !== 'timeout',",
      },
    ],
  },
  {
    name: 'a gateway is not ambiguous',
    edits: [{ file: 'service/statuses.ts', from: "'504':  ['retry?',", to: "'504':  ['retry'," }],
  },
  {
    name: 'a body is written over as soon as it is answered',
    edits: [{ file: 'deliver.ts', from: 'this.#parts.transport.isQuiet?.()', to: 'true' }],
  },
  {
    name: 'a refused body is written over as soon as it is answered',
    edits: [{ file: 'deliver.ts', from: 'clock.now(), transport.isQuiet?.())', to: 'clock.now(), true)' }],
  },
  {
    name: 'a body is written over while it is sent',
    edits: [
      {
        file: 'pools.ts',
        from: 'pop()\n    if (!spare) return new Body',
        to: 'at(-1)\n    if (!spare) return new Body',
      },
    ],
  },
  {
    name: 'a body used again keeps its length',
    edits: [{ file: 'body.ts', from: '    this.length = 1\n', to: '' }],
  },
  {
    name: 'half an answer is enough',
    edits: [{ file: 'service/import/classify.ts', from: 'if (acknowledges(answer))', to: 'if (answer.status < 300)' }],
  },
  {
    name: 'pauses are ignored',
    edits: [{ file: 'gate.ts', from: 'return now < this.#pausedUntil', to: 'return now < -Infinity' }],
  },
  {
    name: 'a short pause ends a long one',
    edits: [
      {
        file: 'gate.ts',
        from: 'this.#pausedUntil = Math.max(this.#pausedUntil, now + outcome.afterMs)',
        to: 'this.#pausedUntil = now + outcome.afterMs',
      },
    ],
  },
  {
    name: 'a 503 pauses nothing',
    edits: [{ file: 'service/import/classify.ts', from: 'status === 429 || status === 503', to: 'status === 429' }],
  },
  {
    name: 'Retry-After is no date',
    edits: [
      {
        file: 'service/http/answer.ts',
        from: 'Number.isNaN(date) ? undefined : Math.max(0, date - now)',
        to: 'Number.isNaN(date - now) ? 0 : undefined',
      },
    ],
  },
  {
    name: 'the end of a pause wakes nobody',
    edits: [{ file: 'gate.ts', from: 'return at > now ? at : undefined', to: 'return at > now ? undefined : at' }],
  },
  {
    name: 'permits leak on 413',
    edits: [
      {
        file: 'gate.ts',
        from: "    if (outcome.status !== 'retry') return false\n",
        to: "    if (outcome.status === 'too-large') this.waiting += 2\n    if (outcome.status !== 'retry') return false\n",
      },
    ],
  },
  {
    name: 'permits leak on 400',
    edits: [
      {
        file: 'gate.ts',
        from: '    this.inFlight--\n',
        to: "    if (outcome.status !== 'refused') this.inFlight--\n",
      },
    ],
  },
  {
    name: 'permits come back twice',
    edits: [
      {
        file: 'gate.ts',
        from: '    this.inFlight--\n',
        to: '    this.inFlight = Math.max(0, this.inFlight - 2)\n',
      },
    ],
  },
  {
    name: 'fixed permits let no retry in beside others',
    edits: [
      {
        file: 'gate.ts',
        from: "if (kind === 'first' && gate.waiting >= this.#limit)",
        to: "if (kind === 'first' ? gate.waiting >= this.#limit : gate.inFlight > 0)",
      },
    ],
  },
  {
    name: 'a permit too many',
    edits: [{ file: 'gate.ts', from: 'gate.inFlight >= this.#limit', to: 'gate.inFlight > this.#limit' }],
  },
  {
    name: 'the ceiling is forgotten',
    edits: [
      {
        file: 'limit.ts',
        from: '    this.#limit = Math.min(this.#limit, LIMIT.ceiling)\n',
        to: '    this.#limit *= 16\n',
      },
    ],
  },
  {
    name: 'the rate is made up for',
    edits: [{ file: 'rate.ts', from: 'Math.max(this.#spacing, RATE.makeUpMs)', to: '10 * this.#spacing' }],
  },
  {
    name: 'no probes',
    edits: [{ file: 'send-queue.ts', from: 'Math.min(at, this.#lastEnd + PROBE_MS)', to: 'at' }],
  },
  {
    name: 'retries wait until nothing is in flight',
    edits: [
      {
        file: 'send-queue.ts',
        from: 'Math.min(at, this.#lastEnd + PROBE_MS) : at',
        to: 'Math.min(at, this.#lastEnd + PROBE_MS) : Infinity',
      },
    ],
  },
  {
    name: 'the retry budget starts anew with each attempt',
    edits: [
      {
        file: 'retry.ts',
        from: 'const deadline = batch.firstAt + retryForMs',
        to: 'const deadline = now + retryForMs',
      },
    ],
  },
  {
    name: 'a spent budget is called a fault of the config',
    edits: [{ file: 'retry.ts', from: "    'transient',\n", to: "    'config',\n" }],
  },
  {
    name: 'what is due must be looked at in its very instant',
    edits: [
      {
        file: 'send-queue.ts',
        from: 'while (this.#guarded.nextAt <= now)',
        to: 'while (this.#guarded.nextAt === now)',
      },
    ],
  },
  {
    name: 'a checkpoint waits until nothing is in flight',
    edits: [
      {
        file: 'deliver.ts',
        from: '    void this.#commit()\n',
        to: '    if (this.#queue.inFlight === 0) void this.#commit()\n',
      },
    ],
  },
  {
    name: 'the grace time does not end',
    edits: [
      {
        file: 'deliver.ts',
        from: 'await this.#parts.clock.wait(this.#parts.limits.graceMs, this.#life.signal)',
        to: 'await this.#parts.clock.wait(this.#parts.limits.graceMs + 3_600_000, this.#life.signal)',
      },
    ],
  },
  {
    name: 'a learnt rate falls to nothing',
    edits: [{ file: 'rate.ts', from: 'Math.max(RATE.slowest, perSecond * RATE.kept)', to: 'perSecond / 64' }],
  },
  {
    name: 'what hangs holds up the rest',
    edits: [
      { file: 'limit.ts', from: 'inFlight < LIMIT.start ? this.#takenAt + LIMIT.hangingMs : Infinity', to: 'Infinity' },
    ],
  },
  {
    name: 'the rate wakes nobody',
    edits: [{ file: 'limit.ts', from: 'Math.max(this.#gate.opensAt, this.#freeAt())', to: 'this.#freeAt()' }],
  },
  {
    name: 'probes come ever further apart',
    edits: [{ file: 'limit.ts', from: 'Math.min(LIMIT.longestProbeMs, LIMIT', to: 'Math.min(Infinity, LIMIT' }],
  },
]
