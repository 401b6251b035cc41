// How a stream's facts and its log reach whoever watches it, on a terminal or not. Type only.

import type { Log } from '../log.ts'
import type { StreamFacts } from './stream-facts.ts'

/** Has no timer of its own. Nothing here throws. Disposing it shows the last facts once more; then only `log` is used. */
export interface StreamProgress extends Disposable {
  readonly log: Log
  /** Called with every snapshot, once a second. */
  show(facts: StreamFacts): void
}
