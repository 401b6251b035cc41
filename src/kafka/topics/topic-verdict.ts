// What became of a record of a topic, and in which words. Knows no format.

/** made: an item stands in the slot. */
export type Made = 'made' | 'ignored' | 'rejected'

/** Of the record looked at last. */
export class Verdict {
  /** Why it is rejected, or the word it is counted under. */
  why = ''

  ignore(word: string): Made {
    this.why = word
    return 'ignored'
  }

  /** @param reason without data of the record */
  reject(reason: string): Made {
    this.why = reason
    return 'rejected'
  }
}
