// Node's own debug output (NODE_DEBUG): how its lines look, how they wait while a secret is being fetched, and how bytes in them are masked.

/** A line of Node's debug output: a section in capitals and the process id, perhaps coloured, as in `HTTP 4711: …`. */
// oxlint-disable-next-line no-control-regex
export const DEBUG_LINE = /^[^a-z\s]+ (?:\u001b\[\d+m)?\d+(?:\u001b\[\d+m)?: /

/** The most UTF-16 units of text that are held back; more is dropped. */
const MOST_HELD = 1_048_576

/** Holds back debug output while a secret is being fetched. Each fetch calls `hold` before, and the returned function afterwards; the
 *  output goes on when all of them are done. */
export class HeldDebug {
  /** Fetches under way. */
  #holders = 0
  /** Functions that print the pieces held back. */
  #held: (() => void)[] = []
  #heldLength = 0
  /** Pieces that were dropped since their number was last printed. */
  #dropped = 0
  /** The `write` of the newest piece, by which the number of dropped ones is printed too. */
  #write: ((text: string) => void) | undefined

  /** Prints a text by `write`, now or when no fetch is under way any more. */
  print(text: string, write: (text: string) => void): void {
    if (this.#holders === 0) return write(text)
    this.#write = write
    this.#heldLength += text.length
    if (this.#heldLength > MOST_HELD) this.#dropped++
    else this.#held.push(() => write(text))
  }

  /** Makes the output wait for a fetch.
   *  @returns a function to call once, when the fetch is over. `isKnown`: the scrubber knows every secret that it brought; else what
   *  waits is left out, and the number of pieces is printed */
  hold(): (isKnown: boolean) => void {
    this.#holders++
    return (isKnown) => {
      this.#holders--
      if (!isKnown) this.leaveOut()
      if (this.#holders > 0) return
      const held = this.#held
      this.#held = []
      for (const print of held) print()
      this.#printDropped()
    }
  }

  /** Drops what is held back, as the secrets in it may never be known. */
  leaveOut(): void {
    this.#dropped += this.#held.length
    this.#held = []
    this.#printDropped()
  }

  #printDropped(): void {
    if (this.#dropped > 0)
      this.#write?.(`(${this.#dropped} pieces of debug output are left out: a token that nobody knows may be in them)`)
    this.#dropped = 0
    this.#heldLength = 0
  }
}

/** Bytes as Node shows a Buffer or an ArrayBuffer: `<Buffer 54 6f … 12 more bytes>`, `<54 6f>`. */
const HEX = /<([$\w]+ )?[0-9a-f]{2}(?: [0-9a-f]{2})*(?: ?\.{3} \d+ more bytes?)?/gi
/** A typed array: `Uint8Array(2) [ 84, 111 ]`, on several lines and in colours too. */
const TYPED = /(\w{1,20}Array\(\d+\) )\[[^\]]*\]?/g
/** A list of three small numbers or more, as in the JSON of a Buffer. */
// oxlint-disable-next-line no-control-regex
const NUMBERS = /\[(?:\s|\u001b\[\d+m)*\d{1,3}(?:(?:,|\s|\u001b\[\d+m)+\d{1,3}){2,}[^\]]*\]?/g
const MASK = '******'

/** Masks bytes that a text shows as numbers. */
export function withoutBytes(text: string): string {
  return text
    .replaceAll(HEX, (_, name: string = '') => `<${name}${MASK}`)
    .replaceAll(TYPED, `$1[ ${MASK} ]`)
    .replaceAll(NUMBERS, `[ ${MASK} ]`)
}
