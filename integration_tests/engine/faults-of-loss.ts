// Faults to plant where tracks are revoked or lost; each is what one law is there for.

import { fault, type Fault } from './plant.ts'

export const faultsOfLoss: readonly Fault[] = [
  fault('a lost track is committed', ['Ledger.take', /(if \(due)\S+ !== 'lost'/, '$1']),
  fault('what a lost track waits to repeat is sent', ['SendQueue.forget', /\S+#retries\.filter.*/, '']),
  fault('what a lost track had in flight is repeated', ['SendQueue.again', /if \(this\.#keepUnlost\(.*?\)\) /, '']),
  fault('what waited for its retry keeps its place when it is lost', [
    'SendQueue.#keepUnlost',
    /if \(.*\) \S+drop\(\)/,
    '',
  ]),
  fault('a point is kept for a track that is lost too', [
    'RevokedTracks.lose',
    'isLost',
    '(share) => isLost(share) && share.segment.state === states[0]',
  ]),
  fault('a run that fails hears of no loss', ['Delivery.#lose', /for .*/, 'if (this.#reading.signal.aborted) return']),
  fault('tracks that are lost together go one after another', [
    'Delivery.#lose',
    /for .*/,
    'if (tracks.length > 1) return tracks.forEach((one) => this.#lose([one]))',
  ]),
  fault('what still comes of a lost track is taken', ['Delivery.#take', /if \(.*isUnassigned\(.*continue/, '']),
  fault('what stands in for a reject of a lost track is sent', ['Rejecting.refused', /dropShares\(.*?\)/, 'false']),
  fault('what stands in for a bad record of a lost track is sent', [
    'Rejecting.unsent',
    /standIns && .* === 'lost'/,
    '!segment',
  ]),
  fault('of a track that is revoked only what is in flight is finished', [
    'RevokedTracks.revoke',
    'keptSegments(lines,',
    'keptSegments([],',
  ]),
  fault('what lies before the last record sent is let go of', [
    'keptSegments',
    /\S+add\(newlyKept\)/,
    'if (newlyKept === segment) $&',
  ]),
  fault('what a kept record goes out with is let go of', ['keptSegments', /if \(.*push\(other\)/, '{}']),
  fault('a track has left before its last commit', ['Ledger.closeIfDone', /if \(.*'revoked'.*return/, '']),
  fault('a track leaves before its last checkpoint is due', [
    'Ledger.settle',
    /(\S+#drainSegment\(.*\))\s+(\S+closeIfDone\(.*\))/,
    '$2\n    $1',
  ]),
  fault('what still comes of a track that leaves is taken', ['Ledger.close', "!== 'complete'", "=== 'lost'"]),
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
