// Node's own debug output (NODE_DEBUG), which may hold secrets that are not known yet.

/** The most that is held, in UTF-16 units; what is beyond it is dropped. */
const MOST = 1_048_576

/** Holds lines that are printed while a secret is being fetched. */
export class HeldDebug {
  #holders = 0
  #lines: (() => void)[] = []
  #size = 0
  #left = 0
  #print: ((text: string) => void) | undefined

  /** Prints it, now or later. */
  print(text: string, print: (text: string) => void): void {
    if (this.#holders === 0) {
      print(text)
      return
    }
    this.#print = print
    this.#size += text.length
    if (this.#size > MOST) this.#left++
    else this.#lines.push(() => print(text))
  }

  /** From now on lines wait.
   *  @returns to be called once, at the end: `isKnown` when no secret is in them that the scrubber does not know; else they are
   *  left out, and their number is printed */
  hold(): (isKnown: boolean) => void {
    this.#holders++
    return (isKnown) => {
      this.#holders--
      if (!isKnown) this.leaveOut()
      if (this.#holders > 0) return
      const lines = this.#lines
      this.#lines = []
      for (const print of lines) print()
      this.#printLeft()
    }
  }

  /** Drops the lines that wait, as the secrets in them may never be known. */
  leaveOut(): void {
    this.#left += this.#lines.length
    this.#lines = []
    this.#printLeft()
  }

  #printLeft(): void {
    if (this.#left > 0) {
      this.#print?.(`(${this.#left} pieces of debug output are left out: a token that nobody knows may be in them)`)
    }
    this.#left = 0
    this.#size = 0
  }
}
