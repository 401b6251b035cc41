// When a table's body is cut. Values, no behaviour.

export interface TableLimits {
  readonly maxPoints: number
  readonly maxBytes: number
  /** An open body this old is first in line. */
  readonly maxWaitMs: number
  /** An open body this old is cut when a permit is idle. */
  readonly lingerMs: number
}
