// Bytes that tell kinds of JSON values apart without parsing them. BRACKET opens an array, BRACE an object.

export const QUOTE = 0x22
export const MINUS = 0x2d
export const ZERO = 0x30
export const NINE = 0x39
export const BRACKET = 0x5b
export const BACKSLASH = 0x5c
/** The first byte of null. */
export const N = 0x6e
export const BRACE = 0x7b
