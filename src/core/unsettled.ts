// How many records of a track never came to an end. Decides nothing.

import type { TrackState } from './segment.ts'

/** Outstanding ones, and those that were forgotten when a record of their track ended the run: they are not settled either.
 *  @param state undefined: the track had no records */
export function unsettled(state: TrackState | undefined): number {
  return state === undefined ? 0 : state.received - state.written - state.rejected
}
