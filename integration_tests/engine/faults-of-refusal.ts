// Faults to plant where refusals are told apart and rejects find their place; each is what one law is there for.

import { fault, type Fault } from './plant.ts'

export const faultsOfRefusal: readonly Fault[] = [
  fault('a part of a refused request is forgotten', ['Bisection.#push', 'toReversed()', 'slice(0, 1)']),
  fault('a refused point is never rejected', ['TableQuarantine.refused', /#refused\.push\(.*?\)/, '#refused.slice()']),
  fault('what is refused of a quarantined table is forgotten', [
    'TableQuarantine.#startNext',
    /\S+push\(\.\.\.(.*)\)/,
    '$1',
  ]),
  fault('what is refused of a table is forgotten once the table is cleared', [
    'TableQuarantine.#accept',
    /\S+push\(.*/,
    '',
  ]),
  fault('what waited for a quarantined table is forgotten', [
    'TableQuarantine.#accept',
    'this.#bisections.add(waiting)',
    'void waiting',
  ]),
  fault('a table that is refused is never told from points', [
    'TableQuarantine.refusedTable',
    />= DISTINCT_REFUSALS/,
    '> 1e9',
  ]),
  fault('a verdict about a table does not wait for what is under way', [
    'TableQuarantine.refusedTable',
    /this\.#isQuiet\((\w+), (\w+)\)/,
    '$1 !== $2',
  ]),
  fault('two points make a table', ['DISTINCT_REFUSALS', '3', '2']),
  fault('a table that was accepted is quarantined', [
    'TableQuarantine.#quarantineOf',
    /if \(this\.#accepted.*return undefined/,
    '',
  ]),
  fault('versions of one row are counted as points', [
    'TableQuarantine.#hold',
    /\bexact === undefined \|\| !.*?\)/,
    'true',
  ]),
  fault('a quarantined table goes on as if nothing were', [
    'TableQuarantine.isQuarantined',
    /return .*/,
    'return table === undefined',
  ]),
  fault('what is too large of a quarantined table is halved as if nothing were', [
    'TableQuarantine.tooLarge',
    '!quarantined || isAlone',
    'quarantined !== null',
  ]),
  fault('a table of rejects goes on as if nothing were', [
    'TableQuarantine.refused',
    'this.#quarantineOf',
    'body.points[0]!.isStandIn ? undefined : $&',
  ]),
  fault('a point that a table of rejects refuses waits for a verdict about the table', [
    'TableQuarantine.refused',
    /\((!quarantined) \|\| .*?isStandIn\)/,
    '$1',
  ]),
  fault('what stands in for a rejected record counts as written', [
    'settlePoints',
    /isStandIn \? 'rejected' : (how, superseded\)\n\}$)/,
    '$1',
  ]),
  fault('the first part of a reject settles it', ['Rejecting.#addStandIns', 'items.length - 1', '0']),
  fault('a reject that is refused itself passes for one', ['Delivery.#pointNotRejected', /[^\s(]+isStandIn \|\| /, '']),
  fault('a rejected record stops what was read before it', ['Delivery.#pointNotRejected', '#fail', '#stop']),
  fault('a rejected point keeps its key', ['Delivery.#rejectPoint', 'if (!this.#stopping)', 'if (this.#stopping)']),
  fault('a bad record is passed over', ['Delivery.#fail', /\S+ \?\?=/, 'void']),
  fault('the reject names the oldest version first', ['SupersededPlaces.newestFirst', '.reverse()', '']),
  fault('a superseded version is named by the place of the newer one', [
    'Point.supersede',
    'this.origin)',
    'item.origin)',
  ]),
  fault('a point that is used again names what it superseded before', ['Point.clear', 'this.places = undefined', '']),
]
