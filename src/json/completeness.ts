// Tells whether a JSON text is whole, was cut off, or is broken. The text comes in pieces, and none is kept: a state machine goes over
// its bytes and remembers only its state and, for each array or object that is open (a level), a bit that says which of the two it is.
// TABLE has the next state for each state and byte. Where that depends on the open levels, `#step` decides.

import { Levels } from './nested.ts'

/** blank: no value has begun; unfinished: more bytes could make it whole; broken: no more bytes could. */
export type Completeness = 'blank' | 'unfinished' | 'whole' | 'broken'

const SPACE = ' \t\r\n'
const HEX = '0123456789abcdefABCDEF'
const NONZERO = '123456789'
const DIGIT = `0${NONZERO}`
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Next states. A key is a set of bytes, each of which leads to the state. */
type Moves = Readonly<Record<string, string>>

const VALUE_BEGINS: Moves = {
  '{[': 'open',
  '"': 'quote',
  '-': 'minus',
  '0': 'zero',
  [NONZERO]: 'digits',
  t: 'rue',
  f: 'alse',
  n: 'ull',
}
/** Moves behind a value. The states of a number have them too: that it has ended shows only in the byte behind it. */
const VALUE_ENDED: Moves = { [SPACE]: 'behind', ',': 'comma', ']}': 'close' }

/** The moves of each state. A byte without a move is a fault, except in a string (see TABLE). `rue`, `ull` and the like are named after
 *  the letters that are left of a literal. The order of the states counts, because their numbers are compared: `broken` is 0, which a
 *  new TABLE is full of; from `behind` on a value may have ended; from `open` on they are actions, which `#step` turns into a state. */
const MOVES = {
  broken: {},
  value: { [SPACE]: 'value', ...VALUE_BEGINS },
  itemOrEnd: { [SPACE]: 'itemOrEnd', ']': 'close', ...VALUE_BEGINS },
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
  behind: VALUE_ENDED,
  zero: { '.': 'point', eE: 'exponent', ...VALUE_ENDED },
  digits: { [DIGIT]: 'digits', '.': 'point', eE: 'exponent', ...VALUE_ENDED },
  fraction: { [DIGIT]: 'fraction', eE: 'exponent', ...VALUE_ENDED },
  powerDigits: { [DIGIT]: 'powerDigits', ...VALUE_ENDED },
  // actions
  open: {},
  close: {},
  comma: {},
  quote: {},
  unquote: {},
} as const satisfies Readonly<Record<string, Moves>>

type State = keyof typeof MOVES

const STATES = Object.keys(MOVES)
/** The number of each state: its place in MOVES. */
const numberOf = Object.fromEntries(STATES.map((state, index) => [state, index])) as Readonly<Record<State, number>>

/** The number of the next state, at 256 times that of the state plus the byte. In a string most bytes from 0x20 on change nothing. */
const TABLE = new Uint8Array(256 * STATES.length)
TABLE.fill(numberOf.string, numberOf.string * 256 + 0x20, numberOf.string * 256 + 0x100)
for (const [from, moves] of Object.entries<Moves>(MOVES))
  for (const [bytes, next] of Object.entries(moves))
    for (const byte of Buffer.from(bytes)) TABLE[numberOf[from as State] * 256 + byte] = numberOf[next as State]

/** One JSON text in pieces: `add` each in turn, then read `verdict`. Accepts what JSON.parse accepts, and strings that are no UTF-8. */
export class JsonPieces {
  /** The first byte of the value. `undefined` when none has begun. */
  first: number | undefined = undefined
  /** The number of the present state. */
  #state = numberOf.value
  /** Whether the string that began last is a member's name. */
  #isName = false
  /** How many arrays and objects are open. */
  #level = 0
  readonly #levels = new Levels()

  add(piece: Uint8Array): this {
    let state = this.#state
    let index = 0
    // white space in front has a loop of its own, which ends at the first byte of the value
    if (this.first === undefined) {
      while (index < piece.length && TABLE[numberOf.value * 256 + piece[index]!] === numberOf.value) index++
      this.first = piece[index]
    }
    for (; index < piece.length; index++) {
      const byte = piece[index]!
      const before = state
      state = TABLE[before * 256 + byte]!
      if (state >= numberOf.open) state = this.#step(state, byte, before)
      if (state === numberOf.broken) break
    }
    this.#state = state
    return this
  }

  get verdict(): Completeness {
    if (this.first === undefined) return 'blank'
    if (this.#state === numberOf.broken) return 'broken'
    return this.#state >= numberOf.behind && this.#level === 0 ? 'whole' : 'unfinished'
  }

  /** Carries out an action: opens or closes a level, or decides by the open levels what comes next.
   *  @param action `open`, `close`, `comma`, `quote` or `unquote`
   *  @param before the state that `byte` met
   *  @returns the state that lasts until the next byte */
  #step(action: number, byte: number, before: number): number {
    if (action === numberOf.quote) {
      this.#isName = before === numberOf.name || before === numberOf.nameOrEnd
      return numberOf.string
    }
    if (action === numberOf.unquote) return this.#isName ? numberOf.colon : numberOf.behind
    if (action === numberOf.open) {
      this.#levels.set(this.#level++, byte === OPEN_BRACE)
      return byte === OPEN_BRACE ? numberOf.nameOrEnd : numberOf.itemOrEnd
    }
    if (this.#level === 0) return numberOf.broken // a comma or a closing byte without an array or object around it
    const isObject = this.#levels.isObject(this.#level - 1)
    if (action === numberOf.comma) return isObject ? numberOf.name : numberOf.value
    // the only action left is `close`
    if ((byte === CLOSE_BRACE) !== isObject) return numberOf.broken
    this.#level--
    return numberOf.behind
  }
}
