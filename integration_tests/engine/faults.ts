// Faults to plant into a copy of the engine: exact replacements, each of which must match once. The tests are good when
// none survives.

import type { Fault } from './plant.ts'
import { faultsOfLoss } from './faults-of-loss.ts'
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
        from: "if (typeof at === 'number') this.#queue.again(batch, at, now)",
        to: "if (typeof at === 'number') { this.#tables.drop(batch.body); this.#queue.again(batch, at, now) }",
      },
      {
        file: 'tables.ts',
        from: '  #stateOf(table: Table)',
        to: `  drop(body: Body<O>): void {
    for (const point of body.points)
      if (point.fence !== undefined) this.#unfence(this.#stateOf(point.table), point)
  }

  #stateOf(table: Table)`,
      },
      {
        file: 'tables.ts',
        from: '  #unfence(state: TableState<O>, { entry, next, last }: Point<O>): void {\n',
        to: `  #unfence(state: TableState<O>, point: Point<O>): void {
    if (point.fence === undefined || state.fences.get(point.fence) !== point) return
    const { entry, next, last } = point\n`,
      },
    ],
  },
  {
    name: 'checkpoint counted at send',
    edits: [
      {
        file: 'deliver.ts',
        from: '    const started = clock.now()\n',
        to: "    const started = clock.now()\n    if (batch.attempts === 0) settlePoints(batch.body, this.#ledger, 'written')\n",
      },
      {
        file: 'deliver.ts',
        from: "      settlePoints(batch.body, this.#ledger, 'written')\n",
        to: '',
      },
    ],
  },
  {
    name: 'superseded records are not settled',
    edits: [
      {
        file: 'body.ts',
        from: '  replace(point: Point<O>, pieces: Pieces): void {\n    this.isPlain = false\n',
        to: '  replace(point: Point<O>, pieces: Pieces): void {\n',
      },
    ],
  },
  {
    name: 'records of another segment are settled in the first',
    edits: [{ file: 'body.ts', from: 'point.segment !== this.segment || ', to: '' }],
  },
  {
    name: 'what a point stands for is not settled',
    edits: [{ file: 'body.ts', from: ' || !point.isPlain) this', to: ') this' }],
  },
  {
    name: 'one record too many is settled',
    edits: [
      {
        file: 'shares.ts',
        from: 'ledger.settle(one!, points.length, how)',
        to: 'ledger.settle(one!, points.length + 1, how)',
      },
    ],
  },
  {
    name: 'superseded records pass for sent ones',
    edits: [{ file: 'shares.ts', from: ' : share.count\n', to: ' : 0\n' }],
  },
  {
    name: 'the version that is sent counts as superseded',
    edits: [{ file: 'shares.ts', from: 'share.count - 1 :', to: 'share.count :' }],
  },
  {
    name: 'lost rejection: never settled',
    edits: [{ file: 'rejecting.ts', from: "return settlePoints(body, this.#ledger, 'rejected')", to: 'return' }],
  },
  {
    name: 'lost rejection: settled as written',
    edits: [
      {
        file: 'rejecting.ts',
        from: "settlePoints(body, this.#ledger, 'rejected')",
        to: "settlePoints(body, this.#ledger, 'written')",
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
        file: 'send-queue.ts',
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
        file: 'body.ts',
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
    edits: [{ file: 'tables.ts', from: 'const newest = first.last ?? first\n', to: 'const newest = first\n' }],
  },
  {
    name: 'full bodies wait without a timer',
    edits: [{ file: 'tables.ts', from: 'this.#full.length > 0 ? -Infinity : this.#old', to: 'this.#old' }],
  },
  {
    name: 'records wait for a reject in their chunk',
    edits: [
      {
        file: 'deliver.ts',
        from: '    // the rest of the chunk need not wait for the rejects\n    this.#turn()\n',
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
    edits: [{ file: 'deliver.ts', from: '    this.#room.notify()\n', to: '' }],
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
    edits: [{ file: 'rejecting.ts', from: 'superseded: point.superseded(), ', to: 'superseded: 0, ' }],
  },
  {
    name: 'rejected, although its reject failed',
    edits: [
      {
        file: 'deliver.ts',
        from: '      if (!this.#stopping) this.#ledger.drop(segment, 1)\n      throw asConnectorError(error)\n',
        to: '      void error\n',
      },
    ],
  },
  {
    name: 'a failure is swallowed',
    edits: [{ file: 'deliver.ts', from: '    if (this.#error) throw this.#error\n', to: '' }],
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
        from: '    this.#judge()\n',
        to: '    this.#judge()\n    this.#startAll(now)\n',
      },
    ],
  },
  {
    name: 'commits overlap',
    edits: [{ file: 'deliver.ts', from: 'this.isCommitting || this.#commitFailed', to: 'this.#commitFailed' }],
  },
  {
    name: 'nothing is committed once stopped',
    edits: [
      {
        file: 'deliver.ts',
        from: 'let due = this.isCommitting ||',
        to: 'let due = this.#stopping || this.isCommitting ||',
      },
    ],
  },
  {
    name: 'bytes are not copied in time',
    edits: [
      {
        file: 'tables.ts',
        from: '    point.aside = { head: bytes, headFrom: 0, headTo: 0, bytes, from: 0, to: bytes.length }\n',
        to: '    point.aside = { ...pieces }\n',
      },
    ],
  },
]

export const faults: readonly Fault[] = [...FEARED, ...DOUBTED, ...faultsOfTime, ...faultsOfRefusal, ...faultsOfLoss]
