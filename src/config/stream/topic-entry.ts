// An entry of `topics` as it was read, for its checks.

import type { z } from 'zod'

import type { Path } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import type { topicOptions } from './topic-options.ts'

export type TopicOptions = Partly<z.output<typeof topicOptions>>

/** An entry as it was read, and which options the file gives. */
export interface TopicEntry {
  readonly at: Path
  readonly options: TopicOptions
  /** Whether the file itself names an option. */
  readonly isGiven: (option: string) => boolean
}
