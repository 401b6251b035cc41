// Counts a needle in bytes that come in pieces. Slow enough to be kept out of timed rounds.

export interface OccurrenceCounter {
  /** How many more were completed by this piece. */
  feed(piece: Buffer): number
  /** Forgets the half of a needle seen so far: what follows is another text. */
  reset(): void
}

/** The needle must not overlap itself in the texts counted (`"keys"` cannot, in JSON). */
export function createOccurrenceCounter(needle: string): OccurrenceCounter {
  const wanted = Buffer.from(needle)
  let tail = Buffer.alloc(0)
  return {
    feed(piece) {
      const bytes = tail.length === 0 ? piece : Buffer.concat([tail, piece])
      let count = 0
      for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + wanted.length)) count++
      tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - wanted.length + 1)))
      return count
    },
    reset() {
      tail = Buffer.alloc(0)
    },
  }
}
