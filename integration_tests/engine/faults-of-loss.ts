// Faults to plant where tracks are taken away; each is what one law is there for.

import type { Fault } from './fault.ts'

export const faultsOfLoss: readonly Fault[] = [
  {
    name: 'an abandoned track is committed',
    edits: [{ file: 'ledger.ts', from: "if (due.state?.phase !== 'abandoned') return due", to: 'if (due) return due' }],
  },
  {
    name: 'what an abandoned track waits to repeat is sent',
    edits: [{ file: 'agenda.ts', from: '    this.#retries.filter((batch) => this.#isWanted(batch, now))\n', to: '' }],
  },
  {
    name: 'what an abandoned track had in flight is repeated',
    edits: [{ file: 'agenda.ts', from: 'if (this.#isWanted(batch, now)) this.#retries.put', to: 'this.#retries.put' }],
  },
  {
    name: 'what waited for its retry keeps its place when it is abandoned',
    edits: [{ file: 'agenda.ts', from: '    if (batch.attempts > 0) this.#parts.permits.drop()\n', to: '' }],
  },
  {
    name: 'a point is kept for a track that is abandoned too',
    edits: [
      {
        file: 'intake.ts',
        from: 'tables.forget(isAbandoned)',
        to: 'tables.forget((share) => isAbandoned(share) && share.segment.state === states[0])',
      },
    ],
  },
  {
    name: 'a run that fails hears of no loss',
    edits: [
      {
        file: 'intake.ts',
        from: '    for (const { track } of taken) this.#held.delete(track)\n',
        to: '    if (this.#engine.signal.aborted) return\n',
      },
    ],
  },
  {
    name: 'tracks that are lost together go one after another',
    edits: [
      {
        file: 'intake.ts',
        from: '    for (const { track } of taken) this.#held.delete(track)\n',
        to: '    if (taken.length > 1) return taken.forEach((one) => this.#abandon([one]))\n',
      },
    ],
  },
  {
    name: 'what still comes of a lost track is taken',
    edits: [
      {
        file: 'intake.ts',
        from: "      if (item.kind !== 'checkpoint' && this.#engine.ledger.isAbandoned(item.track)) continue\n",
        to: '',
      },
    ],
  },
  {
    name: 'what stands in for a reject of a lost track is sent',
    edits: [{ file: 'rejecting.ts', from: 'dropShares(point, isAbandoned, dropped)', to: 'false' }],
  },
  {
    name: 'what stands in for a bad record of a lost track is sent',
    edits: [{ file: 'rejecting.ts', from: "if (items && segment.state.phase === 'abandoned')", to: 'if (!segment)' }],
  },
]
