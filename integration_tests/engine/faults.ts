// Faults to plant into a copy of the engine: each names a member of a source and the smallest text there that it changes. The tests
// are good when none survives.

import { fault, type Fault } from './plant.ts'
import { faultsOfLoss } from './faults-of-loss.ts'
import { faultsOfRefusal } from './faults-of-refusal.ts'
import { faultsOfTime } from './faults-of-time.ts'

/** The ones the design fears most. */
const FEARED: readonly Fault[] = [
  fault('keep-last by delete-and-set', [
    'Tables.add',
    'return',
    `{
      const { body } = newest
      if (!body) return
      this.#takeOut(state, newest, body)
      newest.age = now
      this.#place(state, newest, item)
      return
    }`,
  ]),
  fault(
    'fence dropped during a retry',
    ['Delivery.#retry', /this\.#queue\.again\(.*?\)/, '{ this.#tables.drop(batch.body); $& }'],
    [
      'Tables.#stateOf',
      /^/,
      `drop(body: Body<O>): void {
    for (const point of body.points)
      if (point.fence !== undefined) this.#unfence(this.#stateOf(point.table), point)
  }

  `,
    ],
    [
      'Tables.#unfence',
      /(\{.*\}): (Point.*\{)/,
      `point: $2
    if (point.fence === undefined || state.fences.get(point.fence) !== point) return
    const $1 = point`,
    ],
  ),
  fault(
    'checkpoint counted at send',
    [
      'Delivery.#attempt',
      /started = .*/,
      "$&\n    if (batch.attempts === 0) settlePoints(batch.body, this.#ledger, 'written')",
    ],
    ['Delivery.#follow', /settlePoints\(.*/, ''],
  ),
  fault('superseded records are not settled', ['Body.replace', 'this.isPlain = false', '']),
  fault('records of another segment are settled in the first', [
    'Body.add',
    /point\.segment !== .*\]/,
    'this.points.length === 0',
  ]),
  fault('what a point stands for is not settled', ['Body.add', /if \(!point\.isPlain\).*/, '']),
  fault('one record too many is settled', ['settlePoints', 'points.length', 'points.length + 1']),
  fault('superseded records pass for sent ones', ['settlePoints', /: share\.count\n/, ': 0\n']),
  fault('the version that is sent counts as superseded', ['settlePoints', '- 1', '']),
  fault('lost rejection: never settled', ['Rejecting.refused', /settlePoints\(.*/, '']),
  fault('lost rejection: settled as written', ['Rejecting.refused', "'rejected'", "'written'"]),
  fault('age reset on supersede', [
    'Tables.add',
    'return',
    `{
      newest.age = now
      if (newest.body) newest.body.age = Math.min(...newest.body.points.map(({ age }) => age))
      return
    }`,
  ]),
  fault('split forgets a half', ['SendQueue.split', /\bcut\(.*(?=\))/, '$&.slice(0, 1)']),
  fault('GLOBAL waits for one stream only', ['Ledger.#advance', 'busy === 0', 'busy < Math.max(1, epoch.lines.size)']),
  fault('a checkpoint that counts nothing waits for nothing', ['Ledger.#endSpans', / && \S+unsettled === 0/, '']),
  fault('a checkpoint that counts nothing waits for what comes behind it', [
    'Ledger.#open',
    'current?.span === this.#newestSpan',
    'current',
  ]),
  fault('a checkpoint that counts nothing waits for ever', ['Ledger.settle', /if \(segment\.span.*/, '']),
  fault('what such a checkpoint came behind is counted nowhere', [
    'Ledger.#drain',
    /else if \(next\).*/,
    'else if (next) void 0',
  ]),
  fault('superseded never settled', ['Point.supersede', /this\.older = .*/, 'this.older = undefined']),
]

/** Where the tests might have slept. */
const DOUBTED: readonly Fault[] = [
  fault('fence before keep-last ignored: merges by fence', [
    'Tables.#supersede',
    /exact !== exactOf/,
    'fence !== fenceOf',
  ]),
  fault('keep_last: false merges', ['Tables.#supersede', /!\S+keepLast \|\| /, '']),
  fault('only the first of a chain is fenced', ['Tables.#queue', '.last ?? first', '']),
  fault('full bodies wait without a timer', ['Tables.nextDue', /\S+ > 0 \? -Infinity : /, '']),
  fault('records wait for a reject in their chunk', ['Delivery.#take', 'this.#turn()', '']),
  fault('the budget is ignored', ['Delivery.#isFull', />= \S+bufferBytes/, '>= Infinity']),
  fault('reading is not resumed', ['Delivery.#readOn', /\S+notify\(\)/, '']),
  fault('a blank leaves its comma', ['Body.#blank', ' + 1)', ')']),
  fault('a compacted point is not where it is said to be', ['Body.compact', 'point.from = at', '']),
  fault('a rewritten point overfills its body', ['Tables.#rewrite', /crowded && (\S+) > 1/, '$1 < 0']),
  fault('tracks overtake a checkpoint of all', ['Ledger.#drain', /epoch !== \S+ \|\| /, '']),
  fault('the reject forgets whom it superseded', ['rejected', /superseded: \S+\)/, 'superseded: 0']),
  fault('rejected, although its reject failed', ['Delivery.#rejectItem', /if \(!.*\s*throw .*/, 'void error']),
  fault('a failure is swallowed', ['Delivery.run', /if \(.*\) throw .*/, '']),
  fault('a closed track is settled too early', ['Ledger.closeIfDone', /\S+ > 0 \|\| /, '']),
  fault('retries go on after a stop', ['Delivery.#turn', 'this.#stopIfTableRefused()', '$&\n    this.#startAll(now)']),
  fault('commits overlap', ['Delivery.#commit', /this\.#isCommitting \|\| (?=this)/, '']),
  fault('nothing is committed once stopped', ['Delivery.#commit', 'let due =', '$& this.#stopping ||']),
  fault('bytes are not copied in time', ['Tables.#setAside', /aside = \{ head.*\}/, 'aside = { ...pieces }']),
]

export const faults: readonly Fault[] = [...FEARED, ...DOUBTED, ...faultsOfTime, ...faultsOfRefusal, ...faultsOfLoss]
