// What became of some records, in numbers.

import type { Counts } from './types.ts'

export const NO_RECORDS: Counts = { written: 0, rejected: 0, superseded: 0 }

export function sum(some: Counts, more: Counts): Counts {
  return {
    written: some.written + more.written,
    rejected: some.rejected + more.rejected,
    superseded: some.superseded + more.superseded,
  }
}
