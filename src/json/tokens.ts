// The tokens of JSON, each validated where it stands. A function is given the place of a token's first byte, and returns the place behind
// the last one. If the token has a fault, it returns ~place, a negative number, of the byte that may not stand there.
// Reading past a buffer gives undefined, which no comparison here accepts, so loops need not look at its length. Bytes are numbers:
// 34 " 43 + 44 , 45 - 46 . 48 to 57 digits, 58 : 69 E 91 [ 92 \ 93 ] 101 e 117 u 123 { 125 }

/** 1 at each byte that may follow a backslash, but `u`. */
const ESCAPED = new Uint8Array(256)
for (const c of '"\\/bfnrt') ESCAPED[c.charCodeAt(0)] = 1

const IS_HEX_DIGIT = new Uint8Array(256)
for (const c of '0123456789abcdefABCDEF') IS_HEX_DIGIT[c.charCodeAt(0)] = 1

/** Goes over white space, to the first other byte. */
export function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from
  let c = bytes[at]!
  while (c === 32 || c === 10 || c === 13 || c === 9) c = bytes[++at]!
  return at
}

/** Goes from the place behind a string's opening quote to its closing quote, not to the place behind that. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const c = bytes[at]!
    if (c > 34) {
      if (c !== 92) at++
      else {
        at = escapeEnd(bytes, at + 1)
        if (at < 0) return at
      }
    } else if (c === 34) return at
    else if (c >= 32) at++
    else return ~at
  }
}

/** Goes over an escape, from the place behind its backslash. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  const c = bytes[at]!
  if (ESCAPED[c] === 1) return at + 1
  if (c !== 117) return ~at
  for (let i = 1; i <= 4; i++) if (IS_HEX_DIGIT[bytes[at + i]!] !== 1) return ~(at + i)
  return at + 5
}

/** Goes over a number, from its `-` or first digit. A fault is where a digit is missing. */
export function numberEnd(bytes: Uint8Array, from: number): number {
  let at = from
  let c = bytes[at]!
  if (c === 45) c = bytes[++at]!
  if (c === 48) c = bytes[++at]!
  else {
    if (!(c >= 49 && c <= 57)) return ~at
    do c = bytes[++at]!
    while (c >= 48 && c <= 57)
  }
  if (c === 46) {
    c = bytes[++at]!
    if (!(c >= 48 && c <= 57)) return ~at
    do c = bytes[++at]!
    while (c >= 48 && c <= 57)
  }
  if (c === 101 || c === 69) {
    c = bytes[++at]!
    if (c === 43 || c === 45) c = bytes[++at]!
    if (!(c >= 48 && c <= 57)) return ~at
    do c = bytes[++at]!
    while (c >= 48 && c <= 57)
  }
  return at
}

/** Goes over true, false or null. A fault is at the first byte, wherever the word goes wrong. */
function literalEnd(bytes: Uint8Array, from: number): number {
  const a = bytes[from]
  const b = bytes[from + 1]
  const c = bytes[from + 2]
  const d = bytes[from + 3]
  if (a === 116) return b === 114 && c === 117 && d === 101 ? from + 4 : ~from
  if (a === 110) return b === 117 && c === 108 && d === 108 ? from + 4 : ~from
  return a === 102 && b === 97 && c === 108 && d === 115 && bytes[from + 4] === 101 ? from + 5 : ~from
}

/** Goes over a string, number or literal. */
export function scalarEnd(bytes: Uint8Array, from: number): number {
  const c = bytes[from]!
  if (c === 34) {
    const quote = stringEnd(bytes, from + 1)
    return quote < 0 ? quote : quote + 1
  }
  return c <= 57 ? numberEnd(bytes, from) : literalEnd(bytes, from)
}

/** Whether bytes[from, to) hold a backslash. */
export function hasBackslash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === 92) return true
  return false
}
