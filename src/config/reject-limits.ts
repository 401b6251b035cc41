// The options for how many records may be rejected where rejected records are kept, for all streams and topics and for single ones.

import { z } from 'zod'

import type { Findings, Path } from './findings.ts'
import { overriding, whole } from './option-types.ts'

/** For all. */
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

/** For a single one. */
export const ownRejectLimits = {
  max_rejected: overriding(rejectLimits.max_rejected),
  max_rejected_share: overriding(rejectLimits.max_rejected_share),
}

export const DEFAULT_SHARE = rejectLimits.max_rejected_share.parse(undefined)

type Limits = { readonly [Name in keyof typeof ownRejectLimits]?: unknown }

/** Warns of limits where no rejected records are kept.
 *  @param given `undefined` when it is not known */
export function warnOfIdleLimits(given: Limits | undefined, at: Path, findings: Findings): void {
  for (const option of ['max_rejected', 'max_rejected_share'] as const)
    if (given?.[option] !== undefined)
      findings.warn(
        [...at, option],
        'has no effect: rejected records are not kept, so the first one ends the run anyway',
      )
}
