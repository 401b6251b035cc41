// Node's own debug output (NODE_DEBUG), where secrets may be in it that nobody can know yet: bytes are never shown, and lines wait
// while a secret is on its way. Knows no secret.

/** Bytes as Node shows them: `<Buffer 54 6f … 12 more bytes>`, `<54 6f>` of an ArrayBuffer. They are never ours. */
const HEX = /<([$\w]+ )?[0-9a-f]{2}(?: [0-9a-f]{2})*(?: ?\.{3} \d+ more bytes?)?/gi
/** `Uint8Array(2) [ 84, 111 ]`, on several lines and in colours too. */
const TYPED = /(\w+Array\(\d+\) )\[[^\]]*\]?/g
/** Numbers of a list alone, as in the JSON of bytes. */
// oxlint-disable-next-line no-control-regex
const NUMBERS = /\[(?:\s|\u001b\[\d+m)*\d{1,3}(?:(?:,|\s|\u001b\[\d+m)+\d{1,3}){2,}[^\]]*\]?/g
const MASK = '******'

/** What is held at most, in UTF-16 units: of what is beyond nothing is shown. */
const MOST = 1_048_576

/** @returns the text without bytes */
export function withoutBytes(text: string): string {
  return text
    .replaceAll(HEX, (_, name: string = '') => `<${name}${MASK}`)
    .replaceAll(TYPED, `$1[ ${MASK} ]`)
    .replaceAll(NUMBERS, `[ ${MASK} ]`)
}

/** Lines that are said while somebody gets to know a secret wait for the end of that. */
export class HeldDebug {
  #holders = 0
  #lines: (() => void)[] = []
  #size = 0
  #left = 0
  #tell: ((text: string) => void) | undefined

  /** Prints it, now or later. */
  say(text: string, print: (text: string) => void): void {
    if (this.#holders === 0) {
      print(text)
      return
    }
    this.#tell = print
    this.#size += text.length
    if (this.#size > MOST) this.#left++
    else this.#lines.push(() => print(text))
  }

  /** From now on lines wait.
   *  @returns to be called once, at the end: `isKnown` when no secret is in them that the scrubber does not know; else they are
   *  left out, and their number is said */
  hold(): (isKnown: boolean) => void {
    this.#holders++
    return (isKnown) => {
      this.#holders--
      if (!isKnown) this.leaveOut()
      if (this.#holders > 0) return
      const lines = this.#lines
      this.#lines = []
      for (const print of lines) print()
      this.#sayLeft()
    }
  }

  /** Of those that wait nothing is shown; nobody may ever get to know what is in them. */
  leaveOut(): void {
    this.#left += this.#lines.length
    this.#lines = []
    this.#sayLeft()
  }

  #sayLeft(): void {
    if (this.#left > 0) {
      this.#tell?.(`(${this.#left} pieces of debug output are left out: a token that nobody knows may be in them)`)
    }
    this.#left = 0
    this.#size = 0
  }
}
