// Faults to plant where tracks are taken away; each is what one law is there for.

import type { Fault } from './plant.ts'

export const faultsOfLoss: readonly Fault[] = [
  {
    name: 'an abandoned track is committed',
    edits: [{ file: 'ledger.ts', from: "if (due.state?.phase !== 'abandoned') break", to: 'if (due) break' }],
  },
  {
    name: 'what an abandoned track waits to repeat is sent',
    edits: [
      { file: 'send-queue.ts', from: '    this.#retries.filter((batch) => this.#isWanted(batch, now))\n', to: '' },
    ],
  },
  {
    name: 'what an abandoned track had in flight is repeated',
    edits: [
      { file: 'send-queue.ts', from: 'if (this.#isWanted(batch, now)) this.#retries.put', to: 'this.#retries.put' },
    ],
  },
  {
    name: 'what waited for its retry keeps its place when it is abandoned',
    edits: [{ file: 'send-queue.ts', from: '    if (batch.attempts > 0) this.#parts.permits.drop()\n', to: '' }],
  },
  {
    name: 'a point is kept for a track that is abandoned too',
    edits: [
      {
        file: 'leaving.ts',
        from: 'this.#letGo(states, isAbandoned, now)',
        to: 'this.#letGo(states, (share) => isAbandoned(share) && share.segment.state === states[0], now)',
      },
    ],
  },
  {
    name: 'a run that fails hears of no loss',
    edits: [
      {
        file: 'deliver.ts',
        from: '    for (const { track } of taken) this.#held.delete(track)\n    this.#leaving.abandon',
        to: '    if (this.#reading.signal.aborted) return\n    this.#leaving.abandon',
      },
    ],
  },
  {
    name: 'tracks that are lost together go one after another',
    edits: [
      {
        file: 'deliver.ts',
        from: '    for (const { track } of taken) this.#held.delete(track)\n    this.#leaving.abandon',
        to: '    if (taken.length > 1) return taken.forEach((one) => this.#abandon([one]))\n    this.#leaving.abandon',
      },
    ],
  },
  {
    name: 'what still comes of a lost track is taken',
    edits: [
      {
        file: 'deliver.ts',
        from: "      if (item.kind !== 'checkpoint' && this.#ledger.isGone(item.track)) continue\n",
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
  {
    name: 'of a track that is given away only what is in flight is finished',
    edits: [
      {
        file: 'leaving.ts',
        from: 'keptSegments(lines, this.#tables.unsent())',
        to: 'keptSegments([], this.#tables.unsent())',
      },
    ],
  },
  {
    name: 'what lies before the last record sent is let go of',
    edits: [
      {
        file: 'leaving.ts',
        from: '      this.#kept.add(one)\n',
        to: '      if (one === segment) this.#kept.add(one)\n',
      },
    ],
  },
  {
    name: 'what a kept record goes out with is let go of',
    edits: [
      {
        file: 'leaving.ts',
        from: 'if (!this.#kept.has(share.segment)) this.#sent.push(share.segment)',
        to: 'this.#kept.has(share.segment)',
      },
    ],
  },
  {
    name: 'a track has left before its last commit',
    edits: [{ file: 'ledger.ts', from: "    if (state.phase === 'leaving' && this.#isDue(state)) return\n", to: '' }],
  },
  {
    name: 'a track leaves before its last checkpoint is due',
    edits: [
      {
        file: 'ledger.ts',
        from: '    this.#settled(segment)\n    this.closeIfDone(segment.state)\n',
        to: '    this.closeIfDone(segment.state)\n    this.#settled(segment)\n',
      },
    ],
  },
  {
    name: 'what still comes of a track that leaves is taken',
    edits: [{ file: 'ledger.ts', from: "if (phase !== 'complete') {", to: "if (phase === 'abandoned') {" }],
  },
  {
    name: 'a track that leaves is let go of as soon as one attempt fails',
    edits: [{ file: 'deliver.ts', from: 'now - this.#failingSince >= DOWN_MS', to: 'now >= this.#failingSince' }],
  },
  {
    name: 'a track that leaves waits for the guard',
    edits: [
      {
        file: 'deliver.ts',
        from: 'return this.#queue.isIdle && this.rejecting === 0',
        to: 'return this.rejecting < 0',
      },
    ],
  },
]
