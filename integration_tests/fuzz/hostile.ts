// Texts that readers of JSON disagree about: latin1, one character a byte. What is valid, and what looks so.

import type { Random } from '../engine/random.ts'

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
const words = (text: string): string[] => text.trim().split(/\s+/)

/** Values that are JSON. */
export const VALUES: readonly string[] = [
  words(
    'null true false 0 -0 1 7 -1 1.0 1.50 0.1e1 10e-1 1E+2 100 -0.0 0e0 1e400 -1e-400 1e10000 -1e-10001 1e99999999999999999999',
  ),
  words(
    '9007199254740991 9007199254740993 -9223372036854775808 18446744073709551616 123456789012345678901234567890.000',
  ),
  [`1${'0'.repeat(400)}`, `0.${'3'.repeat(60)}`],
  words(String.raw`"" "7" "1.0" "1e0" "-0" "canary" "\u0000" "\ud800" "\udc00\ud83d" "\ud83d\ude00" "\\" "\"" "a,b]}"`),
  words(String.raw`"\/\b\f\n\r\t" "\u0022:\u007d" "{\"id\":1}" "NaN" "null" "\u0041" "\\u0041" "//" "'"`),
  ['"\u007f"', '"\u2028\u2029\u0085"', '"\ufeff"', '"😀"', '"Zoë 日本"', '"\uffff\ufffe"'].map(utf8),
  words('{} [] [[]] {"":""} {"id":1} {"b":2} {"b":"x","b":"x"} {"a":{"b":1}} [1,"2",null]'),
  ['{ }', '[ ]', '[ 1 ,\t2\r]', '{ "a" : 1 }'],
].flat()

/** Texts that are no values. */
export const NO_VALUES: readonly string[] = [
  words(
    'NaN -NaN Infinity -Infinity nan undefined None True nul truee TRUE falsy fals trux nulL nullnull - +1 01 -01 00',
  ),
  words('1. .5 1.e1 1e 1e+ 0x10 1_000 1, --1 1.2.3 1e1.5 -.5 -a 1n 0b1 1e+-1'),
  words(String.raw`'a' " "a a" "\x41" "\u12" "\u{41}" "\" "\U0041" "a"b" "\u00g0" "\'" "\0" /**/1 1// <1> # %`),
  words('{ } [ ] [1,] {,} {"a":1,} {"a"} {a:1} {"a":} [,1] {1:2} {"a":1] [1} {"a":1}} [1]] [[1] {"a":{}'),
  ['', '1 2', '0 0', '"\t"', '"\u0000"', '"\u001f"', '[1 2]', '{"a" 1}', '\u00a0', '\f1', '\v1', '\u0000'],
  ['１', '“a”', '\u00a01', '\ufeff1', '1\u2028', '\u30001', '−1', '∞'].map(utf8),
].flat()

/** Bytes that are not UTF-8: what none ever is, what is cut short, what has a shorter form, halves of pairs. */
export const NO_TEXT: readonly string[] = [
  ['\x80', '\xbf', '\xc0\x80', '\xc1\xbf', '\xe2\x82', '\xe0\x80\x80', '\xed\xa0\x80', '\xed\xb0\x80'],
  ['\xf0\x80\x80\x80', '\xf0\x9f\x98', '\xf4\x90\x80\x80', '\xf5\x80\x80\x80', '\xfe', '\xff', '\xff\xfe', 'Zo\xeb'],
].flat()

/** Names that mean something to somebody. */
export const NAMES: readonly string[] = [
  words('type record state trace stream namespace data emitted_at meta name stream_descriptor stream_status status'),
  words('destinationStats keys keys_ _airbyte_raw_id _airbyte_raw_id_ id user_id a b a_b __proto__ constructor'),
  words('toString length Type TYPE changes sync_id'),
  [''],
].flat()

export const STREAM_NAMES: readonly string[] = words('docs products purchases nested odd orders users')

export function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[random.below(list.length)]!
}

/** So many levels, arrays or objects or both. */
export function nested(random: Random, levels: number): string {
  const kind = random.below(3)
  const isObject = (level: number): boolean => kind === 0 || (kind === 2 && level % 2 === 0)
  let [open, close] = ['', '']
  for (let level = 0; level < levels; level++) {
    open += isObject(level) ? '{"a":' : '['
    close = (isObject(level) ? '}' : ']') + close
  }
  return `${open}${kind === 1 ? '' : '1'}${close}`
}
