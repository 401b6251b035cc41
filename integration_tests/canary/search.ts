// Looks for a key in bytes, in whatever form: takes every encoding off and looks at what is left. Shares no code with the
// scrubber it watches.

type Decode = (text: string) => string

/** Texts here have a character a byte. */
const binary = (text: string): string => Buffer.from(text).toString('latin1')
const ofCode = (code: number): string => (code < 0x80 ? String.fromCharCode(code) : binary(String.fromCodePoint(code)))

const NAMES: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
}
const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

const percent: Decode = (text) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

const json: Decode = (text) =>
  text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([^ux]))/gi, (_, unit?: string, byte?: string, sign?: string) => {
    if (sign !== undefined) return LETTERS[sign] ?? sign
    return ofCode(parseInt((unit ?? byte)!, 16))
  })

const html: Decode = (text) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMES[name] ?? all
    const code = parseInt((hex ?? decimal)!, hex === undefined ? 10 : 16)
    return code > 0x10ffff ? all : ofCode(code)
  })

const DECODERS: Readonly<Record<string, Decode>> = {
  percent,
  form: (text) => percent(text.replaceAll('+', ' ')),
  json,
  html,
  // white space, and what has no width
  within: (text) => text.replace(/\s+|\u00e2\u0080\u008b/g, ''),
}

/** What stands in the text as base64, or in hexadecimal. */
const DUMPS: Readonly<Record<string, Decode>> = {
  base64: (text) =>
    (text.match(/[\w+/-]{6,}/g) ?? [])
      .flatMap((run) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
      .join('\0'),
  hex: (text) =>
    (text.match(/(?:[0-9a-f]{2}[ :]?){4,}/gi) ?? [])
      .map((run) => Buffer.from(run.replace(/[ :]/g, ''), 'hex').toString('latin1'))
      .join('\0'),
}

/** Larger ones are decoded once only: a megabyte of NODE_DEBUG names modules. */
const LARGE = 1_000_000

type Layer = readonly (readonly [way: string, text: string])[]

/** The ways, from the outside in, that lead to the key or a good part of it; empty: it is not there. */
export function findKey(bytes: Buffer, key: string): string[] {
  return [...findKeys(bytes, [key])][0]![1]
}

/** As `findKey`, for each in turn: what takes long is to take off the encodings, and that is done once. */
export function* findKeys(bytes: Buffer, keys: readonly string[]): Generator<[key: string, ways: string[]]> {
  const layers: Layer[] = [[['', bytes.toString('latin1')]]]
  const most = bytes.length > LARGE ? 1 : 3
  for (const key of keys) yield [key, waysTo(needlesOf(key), layers, most)]
}

/** @param layers more of them are added as they are needed */
function waysTo(needles: readonly string[], layers: Layer[], most: number): string[] {
  const found = new Set<string>()
  for (let depth = 0; depth <= most && found.size === 0; depth++) {
    layers[depth] ??= inside(layers[depth - 1]!, depth - 1)
    for (const [way, text] of layers[depth]!)
      if (needles.some((needle) => text.includes(needle))) found.add(way || 'literal')
  }
  return [...found]
}

/** What is left of each when one more encoding is taken off. */
function inside(layer: Layer, depth: number): Layer {
  const seen = new Set(layer.map(([, text]) => text))
  return layer.flatMap(([way, text]) =>
    Object.entries({ ...DECODERS, ...(depth < 2 ? DUMPS : {}) }).flatMap(([name, decode]) => {
      const inner = decode(text)
      if (seen.has(inner)) return []
      seen.add(inner)
      return [[`${way} ${name}`.trim(), inner] as const]
    }),
  )
}

/** The key, its lines, its beginning and its end: in UTF-8 and in Latin-1, with and without white space. */
function needlesOf(key: string): string[] {
  const half = Math.ceil(key.length / 2)
  const parts = [key, ...key.split('\n'), key.slice(0, half), key.slice(-half)].filter((part) => part.length > 4)
  return [...new Set(parts.flatMap((part) => [binary(part), part, binary(part.replaceAll(/\s/g, ''))]))]
}
