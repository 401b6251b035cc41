// The options that limit how many records may be rejected, in a run that keeps such records: for every stream and topic, and for one.

import { z } from 'zod'
import type { Findings, Path } from './findings.ts'
import { overriding, whole } from './option-types.ts'

/** The general options. */
export const rejectLimits = {
  max_rejected: whole(0, 1_000_000_000_000)
    .optional()
    .meta({
      title: 'Max rejected records',
      description:
        'Where rejected records are kept: the most of one stream or topic in one run. One more ends the run with an error. Leave empty for no such limit.',
      examples: [1000],
    }),
  max_rejected_share: z.number().min(0).max(1).default(0.5).meta({
    title: 'Max share of rejected records',
    description:
      'Where rejected records are kept: the run ends with an error when more than this share of a stream or topic is rejected, of its last 10,000 records and of all in this run. 1: never.',
  }),
}

/** The same for a single stream or topic. */
export const ownRejectLimits = {
  max_rejected: overriding(rejectLimits.max_rejected),
  max_rejected_share: overriding(rejectLimits.max_rejected_share),
}

export const DEFAULT_SHARE = rejectLimits.max_rejected_share.parse(undefined)

type Limits = { readonly [Name in keyof typeof ownRejectLimits]?: unknown }

/** Warns of limits that are given; to be called where no rejected records are kept.
 *  @param group the options that may hold limits. `undefined` when they could not be read
 *  @param path of the group */
export function warnOfIdleLimits(group: Limits | undefined, path: Path, findings: Findings): void {
  for (const option of ['max_rejected', 'max_rejected_share'] as const)
    if (group?.[option] !== undefined)
      findings.warn(
        [...path, option],
        'has no effect: rejected records are not kept, so the first one ends the run anyway',
      )
}
