// Faults to plant where tracks are taken away; each is what one law is there for.

import { fault } from './plant.ts'
import type { Fault } from './plant.ts'

export const faultsOfLoss: readonly Fault[] = [
  fault('an abandoned track is committed', ['Ledger.take', /(if \(due)\S+ !== 'abandoned'/, '$1']),
  fault('what an abandoned track waits to repeat is sent', ['SendQueue.forget', /\S+#retries\.filter.*/, '']),
  fault('what an abandoned track had in flight is repeated', ['SendQueue.again', /if \(this\.#isWanted\(.*?\)\) /, '']),
  fault('what waited for its retry keeps its place when it is abandoned', [
    'SendQueue.#isWanted',
    /if \(.*\) \S+drop\(\)/,
    '',
  ]),
  fault('a point is kept for a track that is abandoned too', [
    'LeavingTracks.abandon',
    'isAbandoned',
    '(share) => isAbandoned(share) && share.segment.state === states[0]',
  ]),
  fault('a run that fails hears of no loss', [
    'Delivery.#abandon',
    /for .*/,
    'if (this.#reading.signal.aborted) return',
  ]),
  fault('tracks that are lost together go one after another', [
    'Delivery.#abandon',
    /for .*/,
    'if (taken.length > 1) return taken.forEach((one) => this.#abandon([one]))',
  ]),
  fault('what still comes of a lost track is taken', ['Delivery.#take', /if \(.*isGone\(.*continue/, '']),
  fault('what stands in for a reject of a lost track is sent', ['Rejecting.refused', /dropShares\(.*?\)/, 'false']),
  fault('what stands in for a bad record of a lost track is sent', [
    'Rejecting.unsent',
    /items && .* === 'abandoned'/,
    '!segment',
  ]),
  fault('of a track that is given away only what is in flight is finished', [
    'LeavingTracks.giveAway',
    'keptSegments(lines,',
    'keptSegments([],',
  ]),
  fault('what lies before the last record sent is let go of', [
    'KeptSegments.#keep',
    /\S+add\(one\)/,
    'if (one === segment) $&',
  ]),
  fault('what a kept record goes out with is let go of', [
    'KeptSegments.#keep',
    /if \(!(\S+has\((.*?)\))\) \S+push\(\2\)/,
    '$1',
  ]),
  fault('a track has left before its last commit', ['Ledger.closeIfDone', /if \(.*'leaving'.*return/, '']),
  fault('a track leaves before its last checkpoint is due', [
    'Ledger.settle',
    /(\S+#settled\(.*\))\s+(\S+closeIfDone\(.*\))/,
    '$2\n    $1',
  ]),
  fault('what still comes of a track that leaves is taken', ['Ledger.close', "!== 'complete'", "=== 'abandoned'"]),
  fault('a track that leaves is let go of as soon as one attempt fails', [
    'Delivery.#isVain',
    /now - (\S+) >= DOWN_MS/,
    'now >= $1',
  ]),
  fault('a track that leaves waits for the guard', [
    'Delivery.#isVain',
    /return (\S+isIdle) && (\S+) === 0/,
    'return $2 < 0',
  ]),
]
