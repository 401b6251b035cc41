// What became of a record of a topic, and in which words. Knows no format.

/** made: an item stands in the slot. */
export type RecordOutcome = 'made' | 'ignored' | 'rejected'

/** Of the record looked at last. */
export class RecordVerdict {
  /** Why it is rejected, or the word it is counted under. */
  why = ''

  ignore(word: string): RecordOutcome {
    this.why = word
    return 'ignored'
  }

  /** @param reason without data of the record */
  reject(reason: string): RecordOutcome {
    this.why = reason
    return 'rejected'
  }
}
