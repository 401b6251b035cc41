// Where a record's data stands, as the scanner located it.

/** Levels of data that are stored, and of what goes beside it (decisions.md#data-deeper-than-1024-is-rejected). */
export const DEEPEST = 1024

const NOTHING = Buffer.alloc(0)
const NO_MEMBERS = new Int32Array(0)

/** The object bytes[from, to) and its members (json/scanner.ts). A place that is filled again and again: one a record would
 *  be most of a run's garbage. */
export class RecordData {
  bytes: Buffer = NOTHING
  from = 0
  to = 0
  /** `count` of them from index `first`; with more than MOST_MEMBERS the table has not all of them. */
  members: Int32Array = NO_MEMBERS
  first = 0
  count = 0
  /** Nested deeper than DEEPEST. */
  tooDeep = false
  /** The text of emitted_at; empty when absent or null, as in whatever comes from a topic. */
  emittedFrom = 0
  emittedTo = 0
  /** The record's `meta` object; empty when there is none. */
  metaFrom = 0
  metaTo = 0
}
