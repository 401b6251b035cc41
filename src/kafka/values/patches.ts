// Texts in the place of ranges of an object; everything else stays byte for byte.

/** Collected in ascending order, apart from each other. */
export class Patches {
  readonly #ranges: number[] = []
  readonly #texts: string[] = []
  /** Characters of the texts so far. */
  length = 0

  get isEmpty(): boolean {
    return this.#texts.length === 0
  }

  clear(): void {
    this.#ranges.length = this.#texts.length = this.length = 0
  }

  add(from: number, to: number, text: string): void {
    this.#ranges.push(from, to)
    this.#texts.push(text)
    this.length += text.length
  }

  /** bytes[from, to) with the texts in it: a buffer of its own. */
  apply(bytes: Buffer, from: number, to: number): Buffer {
    const parts: Buffer[] = []
    let kept = from
    this.#texts.forEach((text, index) => {
      parts.push(bytes.subarray(kept, this.#ranges[2 * index]), Buffer.from(text))
      kept = this.#ranges[2 * index + 1]!
    })
    parts.push(bytes.subarray(kept, to))
    return Buffer.concat(parts)
  }
}
