// Faults to plant into a copy of the engine: exact replacements, each of which must match once. The tests are good when
// none survives.

import type { Fault } from './fault.ts'
import { faultsOfRefusal } from './faults-of-refusal.ts'
import { faultsOfTime } from './faults-of-time.ts'

/** The ones the design fears most. */
const FEARED: readonly Fault[] = [
  {
    name: 'keep-last by delete-and-set',
    edits: [
      {
        file: 'tables.ts',
        from: 'if (newest !== undefined && this.#supersede(state, newest, item, segment)) return',
        to: `if (newest !== undefined && this.#supersede(state, newest, item, segment)) {
      const { body } = newest
      if (!body) return
      this.#takeOut(state, newest, body)
      newest.age = now
      this.#place(state, newest, item)
      return
    }`,
      },
    ],
  },
  {
    name: 'fence dropped during a retry',
    edits: [
      {
        file: 'deliver.ts',
        from: "else if (then.kind === 'again') agenda.again(batch, then.at)",
        to: "else if (then.kind === 'again') { this.#tables.drop(batch.body); agenda.again(batch, then.at) }",
      },
      {
        file: 'tables.ts',
        from: '  #begin(table: Table)',
        to: `  drop(body: Body<O>): void {
    for (const point of body.points) if (point.fence !== undefined) this.#unfence(point, point.fence)
  }

  #begin(table: Table)`,
      },
      {
        file: 'tables.ts',
        from: '    const { next } = point\n',
        to: '    if (state.heads.get(fence) !== point) return\n    const { next } = point\n',
      },
    ],
  },
  {
    name: 'checkpoint counted at send',
    edits: [
      {
        file: 'deliver.ts',
        from: '    const started = clock.now()\n',
        to: "    const started = clock.now()\n    if (batch.attempts === 0) settlePoints(batch.body.points, this.#ledger, 'written')\n",
      },
      {
        file: 'deliver.ts',
        from: "      settlePoints(batch.body.points, this.#ledger, 'written')\n",
        to: '',
      },
    ],
  },
  {
    name: 'lost rejection: never settled',
    edits: [{ file: 'rejecting.ts', from: "else settlePoints(body.points, this.#ledger, 'rejected')", to: '' }],
  },
  {
    name: 'lost rejection: settled as written',
    edits: [
      {
        file: 'rejecting.ts',
        from: "settlePoints(body.points, this.#ledger, 'rejected')",
        to: "settlePoints(body.points, this.#ledger, 'written')",
      },
    ],
  },
  {
    name: 'age reset on supersede',
    edits: [
      {
        file: 'tables.ts',
        from: 'if (newest !== undefined && this.#supersede(state, newest, item, segment)) return',
        to: `if (newest !== undefined && this.#supersede(state, newest, item, segment)) {
      newest.age = now
      if (newest.body) newest.body.age = Math.min(...newest.body.points.map(({ age }) => age))
      return
    }`,
      },
    ],
  },
  {
    name: 'split forgets a half',
    edits: [
      {
        file: 'agenda.ts',
        from: 'for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)))',
        to: 'for (const half of this.#tables.cut(batch.body, Math.ceil(batch.body.points.length / 2)).slice(0, 1))',
      },
    ],
  },
  {
    name: 'GLOBAL waits for one stream only',
    edits: [{ file: 'ledger.ts', from: 'epoch.busy === 0', to: 'epoch.busy < Math.max(1, epoch.lines.size)' }],
  },
  {
    name: 'superseded never settled',
    edits: [
      {
        file: 'point.ts',
        from: 'this.older = { segment: this.segment, count: this.count, older: this.older }',
        to: 'this.older = undefined',
      },
    ],
  },
]

/** Where the tests might have slept. */
const DOUBTED: readonly Fault[] = [
  {
    name: 'fence before keep-last ignored: merges by fence',
    edits: [
      { file: 'tables.ts', from: 'newest.exact !== exactOf(item.key)', to: 'newest.fence !== fenceOf(item.key)' },
    ],
  },
  { name: 'keep_last: false merges', edits: [{ file: 'tables.ts', from: '!item.table.keepLast || ', to: '' }] },
  {
    name: 'only the first of a chain is fenced',
    edits: [{ file: 'tables.ts', from: 'const newest = head.last ?? head\n', to: 'const newest = head\n' }],
  },
  {
    name: 'full bodies wait without an alarm',
    edits: [{ file: 'tables.ts', from: 'this.#full.length > 0 ? -Infinity : this.#old', to: 'this.#old' }],
  },
  {
    name: 'being due is reckoned in two ways',
    edits: [
      { file: 'tables.ts', from: 'if (this.#oldestOpen + waited > now)', to: 'if (this.#oldestOpen > now - waited)' },
    ],
  },
  {
    name: 'records wait for a reject in their chunk',
    edits: [
      {
        file: 'deliver.ts',
        from: '    // the rest of the chunk does not wait for them\n    this.#turn()\n',
        to: '',
      },
    ],
  },
  {
    name: 'the budget is ignored',
    edits: [{ file: 'deliver.ts', from: '>= this.#parts.limits.bufferBytes', to: '>= Infinity' }],
  },
  {
    name: 'reading is not resumed',
    edits: [{ file: 'deliver.ts', from: '    if (this.#closing || !this.#isFull()) this.#room.notify()\n', to: '' }],
  },
  {
    name: 'a blank leaves its comma',
    edits: [
      { file: 'body.ts', from: 'fill(SPACE, point.from, point.to + 1)', to: 'fill(SPACE, point.from, point.to)' },
    ],
  },
  {
    name: 'a compacted point is not where it is said to be',
    edits: [{ file: 'body.ts', from: '      point.from = at\n', to: '' }],
  },
  {
    name: 'a rewritten point overfills its body',
    edits: [{ file: 'tables.ts', from: 'crowded && body.points.length > 1 && ', to: 'body.points.length < 0 && ' }],
  },
  {
    name: 'tracks overtake a checkpoint of all',
    edits: [{ file: 'ledger.ts', from: 'if (epoch !== this.#epochs.peek() || ', to: 'if (' }],
  },
  {
    name: 'the reject forgets whom it superseded',
    edits: [{ file: 'rejecting.ts', from: 'superseded: point.superseded() }', to: 'superseded: 0 }' }],
  },
  {
    name: 'rejected, although its reject failed',
    edits: [
      {
        file: 'deliver.ts',
        from: '      if (!this.#stopping) this.#ledger.drop(segment, 1)\n      throw error\n',
        to: '      void error\n',
      },
    ],
  },
  {
    name: 'a failure is swallowed',
    edits: [{ file: 'deliver.ts', from: '    if (this.#error) throw this.#error\n', to: '' }],
  },
  {
    name: 'an abandoned track is committed',
    edits: [{ file: 'ledger.ts', from: "if (due.state?.phase !== 'abandoned') return due", to: 'if (due) return due' }],
  },
  {
    name: 'a closed track is settled too early',
    edits: [{ file: 'ledger.ts', from: 'state.outstanding > 0 || ', to: '' }],
  },
  {
    name: 'retries go on after a stop',
    edits: [
      {
        file: 'deliver.ts',
        from: '    if (!this.#stopping) {\n      this.#startAll(now)\n',
        to: '    this.#startAll(now)\n    if (!this.#stopping) {\n',
      },
    ],
  },
  {
    name: 'commits overlap',
    edits: [{ file: 'deliver.ts', from: 'this.#committing || this.#commitFailed', to: 'this.#commitFailed' }],
  },
  {
    name: 'nothing is committed once stopped',
    edits: [
      {
        file: 'deliver.ts',
        from: 'let due = this.#committing ||',
        to: 'let due = this.#stopping || this.#committing ||',
      },
    ],
  },
  {
    name: 'bytes are not copied in time',
    edits: [
      {
        file: 'tables.ts',
        from: '    point.aside = bytes\n',
        to: '    point.aside = pieces.headTo === pieces.headFrom ? pieces.bytes.subarray(pieces.from, pieces.to) : bytes\n',
      },
    ],
  },
]

export const faults: readonly Fault[] = [...FEARED, ...DOUBTED, ...faultsOfTime, ...faultsOfRefusal]
