// Tells whether a JSON text is whole, was cut off, or is broken, read a piece at a time: only a bit is kept of each level it is in.
// A table says for each state and byte which state comes next. What depends on the levels around is decided by the class.

import { Levels } from './nested.ts'

/** blank: no value has begun; unfinished: more bytes could make it whole. */
export type Completeness = 'blank' | 'unfinished' | 'whole' | 'broken'

const SPACE = ' \t\r\n'
const HEX = '0123456789abcdefABCDEF'
const NONZERO = '123456789'
const DIGIT = `0${NONZERO}`
const OBJECT = 0x7b
const END_OF_OBJECT = 0x7d

/** The next state after each of some bytes. */
type Moves = Readonly<Record<string, string>>

const VALUE: Moves = {
  '{[': 'open',
  '"': 'quote',
  '-': 'minus',
  '0': 'zero',
  [NONZERO]: 'digits',
  t: 'rue',
  f: 'alse',
  n: 'ull',
}
/** A number, unlike other values, ends only with what stands behind it: its states have these moves too. */
const BEHIND: Moves = { [SPACE]: 'behind', ',': 'comma', ']}': 'close' }

/** The next state after a byte, by state. A byte that is not named is a fault (except in a string, see TABLE). `rue`, `ull` and the like
 *  are the letters that are left of a literal. The order counts: `broken` is first, and so what TABLE is filled with; from `behind` on a
 *  value may have ended; from `open` on a state is an action, which the levels around turn into another state at once (`#step`). */
const MOVES = {
  broken: {},
  value: { [SPACE]: 'value', ...VALUE },
  itemOrEnd: { [SPACE]: 'itemOrEnd', ']': 'close', ...VALUE },
  name: { [SPACE]: 'name', '"': 'quote' },
  nameOrEnd: { [SPACE]: 'nameOrEnd', '"': 'quote', '}': 'close' },
  colon: { [SPACE]: 'colon', ':': 'value' },
  string: { '"': 'unquote', '\\': 'escape' },
  escape: { '"\\/bfnrt': 'string', u: 'hex4' },
  hex4: { [HEX]: 'hex3' },
  hex3: { [HEX]: 'hex2' },
  hex2: { [HEX]: 'hex1' },
  hex1: { [HEX]: 'string' },
  minus: { '0': 'zero', [NONZERO]: 'digits' },
  point: { [DIGIT]: 'fraction' },
  exponent: { '+-': 'power', [DIGIT]: 'powerDigits' },
  power: { [DIGIT]: 'powerDigits' },
  rue: { r: 'ue' },
  alse: { a: 'lse' },
  lse: { l: 'se' },
  se: { s: 'e' },
  ue: { u: 'e' },
  e: { e: 'behind' },
  ull: { u: 'll' },
  ll: { l: 'l' },
  l: { l: 'behind' },
  // a value may have ended
  behind: BEHIND,
  zero: { '.': 'point', eE: 'exponent', ...BEHIND },
  digits: { [DIGIT]: 'digits', '.': 'point', eE: 'exponent', ...BEHIND },
  fraction: { [DIGIT]: 'fraction', eE: 'exponent', ...BEHIND },
  powerDigits: { [DIGIT]: 'powerDigits', ...BEHIND },
  // actions
  open: {},
  close: {},
  comma: {},
  quote: {},
  unquote: {},
} as const satisfies Readonly<Record<string, Moves>>

type State = keyof typeof MOVES

const STATES = Object.keys(MOVES)
/** The number of each state. */
const id = Object.fromEntries(STATES.map((state, index) => [state, index])) as Readonly<Record<State, number>>

/** The number of the next state, for each state and each of 256 bytes. Most bytes leave a string as it is. */
const TABLE = new Uint8Array(256 * STATES.length)
TABLE.fill(id.string, id.string * 256 + 0x20, id.string * 256 + 0x100)
for (const [from, moves] of Object.entries<Moves>(MOVES))
  for (const [bytes, next] of Object.entries(moves))
    for (const byte of Buffer.from(bytes)) TABLE[id[from as State] * 256 + byte] = id[next as State]

/** One JSON text in pieces. Accepts what JSON.parse accepts; what is no UTF-8 within a string is not looked at. Never throws. */
export class JsonPieces {
  /** The first byte of the value. `undefined` when none has begun. */
  first: number | undefined = undefined
  /** The present state. */
  #state = id.value
  /** The string is a member's name. */
  #isName = false
  #level = 0
  readonly #levels = new Levels()

  /** To be called with each piece, in order. */
  add(piece: Uint8Array): this {
    let state = this.#state
    let index = 0
    // apart, to find the first byte of the value
    if (this.first === undefined) {
      while (index < piece.length && TABLE[id.value * 256 + piece[index]!] === id.value) index++
      this.first = piece[index]
    }
    for (; index < piece.length; index++) {
      const byte = piece[index]!
      const before = state
      state = TABLE[before * 256 + byte]!
      if (state >= id.open) state = this.#step(state, byte, before)
      if (state === id.broken) break
    }
    this.#state = state
    return this
  }

  get verdict(): Completeness {
    if (this.first === undefined) return 'blank'
    if (this.#state === id.broken) return 'broken'
    return this.#state >= id.behind && this.#level === 0 ? 'whole' : 'unfinished'
  }

  /** Opens or closes a level, or decides by the level what comes next.
   *  @param action `open`, `close`, `comma`, `quote` or `unquote`
   *  @param before the state that `byte` met
   *  @returns the state that lasts until the next byte */
  #step(action: number, byte: number, before: number): number {
    if (action === id.quote) {
      this.#isName = before === id.name || before === id.nameOrEnd
      return id.string
    }
    if (action === id.unquote) return this.#isName ? id.colon : id.behind
    if (action === id.open) {
      this.#levels.set(this.#level++, byte === OBJECT)
      return byte === OBJECT ? id.nameOrEnd : id.itemOrEnd
    }
    if (this.#level === 0) return id.broken
    const isObject = this.#levels.isObject(this.#level - 1)
    if (action === id.comma) return isObject ? id.name : id.value
    // what remains is to close
    if ((byte === END_OF_OBJECT) !== isObject) return id.broken
    this.#level--
    return id.behind
  }
}
