// Node's own debug output (NODE_DEBUG): how its lines look, and what is left out of it because secrets that are not known yet may be in it.

/** A line of Node's debug output: a section in capitals and the process id, perhaps coloured. */
// oxlint-disable-next-line no-control-regex
export const DEBUG_LINE = /^[^a-z\s]+ (?:\u001b\[\d+m)?\d+(?:\u001b\[\d+m)?: /

/** The most that is held, in UTF-16 units; what is beyond it is dropped. */
const MOST = 1_048_576

/** Holds back what is printed while a secret is being fetched. Each fetch calls `hold` before, and the returned function
 *  afterwards; lines go on when all of them are done. */
export class HeldDebug {
  #holders = 0
  #lines: (() => void)[] = []
  #size = 0
  /** Pieces that were dropped and are not spoken of yet. */
  #dropped = 0
  #print: ((text: string) => void) | undefined

  /** Prints it, now or later. */
  print(text: string, print: (text: string) => void): void {
    if (this.#holders === 0) {
      print(text)
      return
    }
    this.#print = print
    this.#size += text.length
    if (this.#size > MOST) this.#dropped++
    else this.#lines.push(() => print(text))
  }

  /** Makes lines wait.
   *  @returns to be called once, when it is over: `isKnown` says that the scrubber knows every secret in them; else they are left out,
   *  and their number is printed */
  hold(): (isKnown: boolean) => void {
    this.#holders++
    return (isKnown) => {
      this.#holders--
      if (!isKnown) this.leaveOut()
      if (this.#holders > 0) return
      const lines = this.#lines
      this.#lines = []
      for (const print of lines) print()
      this.#printDropped()
    }
  }

  /** Drops the lines that wait, as the secrets in them may never be known. */
  leaveOut(): void {
    this.#dropped += this.#lines.length
    this.#lines = []
    this.#printDropped()
  }

  #printDropped(): void {
    if (this.#dropped > 0) {
      this.#print?.(`(${this.#dropped} pieces of debug output are left out: a token that nobody knows may be in them)`)
    }
    this.#dropped = 0
    this.#size = 0
  }
}

/** Bytes as Node shows them: `<Buffer 54 6f … 12 more bytes>`, `<54 6f>` of an ArrayBuffer. They are never ours. */
const HEX = /<([$\w]+ )?[0-9a-f]{2}(?: [0-9a-f]{2})*(?: ?\.{3} \d+ more bytes?)?/gi
/** `Uint8Array(2) [ 84, 111 ]`, on several lines and in colours too. */
const TYPED = /(\w{1,20}Array\(\d+\) )\[[^\]]*\]?/g
/** A list of small numbers, as in the JSON of a Buffer. */
// oxlint-disable-next-line no-control-regex
const NUMBERS = /\[(?:\s|\u001b\[\d+m)*\d{1,3}(?:(?:,|\s|\u001b\[\d+m)+\d{1,3}){2,}[^\]]*\]?/g
const MASK = '******'

/** Masks bytes that a text shows. */
export function withoutBytes(text: string): string {
  return text
    .replaceAll(HEX, (_, name: string = '') => `<${name}${MASK}`)
    .replaceAll(TYPED, `$1[ ${MASK} ]`)
    .replaceAll(NUMBERS, `[ ${MASK} ]`)
}
