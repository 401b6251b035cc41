// An object of a record as the scanner located it, filled again and again. Knows no format.

const NOTHING = Buffer.alloc(0)
const NO_MEMBERS = new Int32Array(0)

/** The object bytes[from, to) and its `count` members from index `first` (json/scanner.ts). */
export class Located {
  bytes: Buffer = NOTHING
  from = 0
  to = 0
  members: Int32Array = NO_MEMBERS
  first = 0
  count = 0
  /** Nested deeper than 1,024. */
  tooDeep = false
  /** What comes from a topic has neither emitted_at nor meta. */
  emittedFrom = 0
  emittedTo = 0
  metaFrom = 0
  metaTo = 0

  /** Becomes the same object. */
  take(other: Located): void {
    this.bytes = other.bytes
    this.from = other.from
    this.to = other.to
    this.members = other.members
    this.first = other.first
    this.count = other.count
    this.tooDeep = other.tooDeep
  }
}
