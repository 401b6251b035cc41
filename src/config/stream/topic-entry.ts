// An entry of `topics` as it was read, for its checks.

import type { Path } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import type { StreamOptions } from './stream-options.ts'

export type TopicOptions = Partly<StreamOptions['topics'][number]>

/** An entry as it was read, and which options the file gives. */
export interface TopicEntry {
  readonly at: Path
  readonly options: TopicOptions
  /** Whether the file itself names an option. */
  readonly isGiven: (option: string) => boolean
}
