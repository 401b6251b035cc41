// Takes secrets out of text, in whatever form a server or a library may have written them. Knows no field names.

const MASK = '******'
const MIN_LENGTH = 3
const MIN_LINE = 16

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' }
const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** A function that replaces each occurrence of a secret by stars: literal, percent-encoded (once or more often, any
 *  choice of characters, either case of hex, `+` for a space), with JSON escapes, with HTML entities, read as Latin-1,
 *  in base64 and base64url, also inside a longer text. Of a secret of several lines (a PEM key) each line of 16
 *  characters or more is searched for. Secrets of fewer than 3 characters are not: they would blot out the text. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const texts = [...new Set(secrets.flatMap(searchable))].sort((a, b) => b.length - a.length)
  const patterns = [...texts.map(spellings), ...texts.flatMap(base64Forms).map(quoted)]
  if (patterns.length === 0) return (text) => text
  const any = new RegExp(patterns.join('|'), 'gu')
  return (text) => text.replace(any, MASK)
}

function searchable(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return []
  const lines = secret.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  if (lines.length < 2) return [secret]
  return lines.filter((line) => line.length >= MIN_LINE && !line.startsWith('-----'))
}

/** A pattern for the secret with each of its characters in any of its spellings. */
function spellings(secret: string): string {
  const parts = secret.toWellFormed().match(/\\+|[^]/gu) ?? []
  return parts.map((part) => `(?:${spellingsOf(part).join('|')})`).join('')
}

function spellingsOf(part: string): string[] {
  // A run of backslashes is one part: written as is, or each doubled, or doubled again.
  if (part.startsWith('\\')) return [`\\\\{${part.length},}`, `(?:${encodings('\\').join('|')}){${part.length}}`]
  const short = SHORT_ESCAPES[part]
  return [
    quoted(part),
    ...encodings(part),
    ...(part === ' ' ? ['\\+'] : []),
    ...(short === undefined ? [] : [`\\\\+${short}`]),
    ...('"/\''.includes(part) ? [`\\\\+${quoted(part)}`] : []),
  ]
}

/** The spellings of one character that name it by a number or a word. */
function encodings(character: string): string[] {
  const bytes = [...Buffer.from(character, 'utf8')]
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  const point = character.codePointAt(0)!
  const word = ENTITIES[character]
  const latin1 = Buffer.from(character, 'utf8').toString('latin1')
  return [
    bytes.map((byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
    units.map((unit) => `\\\\+u${hex(unit, 4)}`).join(''),
    `&(?:amp;)*#(?:0*${point}|[xX]0*${hex(point, 1)})(?:;|(?![0-9a-fA-F]))`,
    ...(word === undefined ? [] : [`&(?:amp;)*${word};`]),
    ...(latin1 === character ? [] : [quoted(latin1)]),
  ]
}

/** Hexadecimal in either case. */
function hex(value: number, digits: number): string {
  const text = value.toString(16).padStart(digits, '0')
  return text.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

/** The characters of base64 that depend on the secret only, for each place it may have in a longer text. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const forms = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const whole = bytes.toString('base64').replace(/=+$/, '')
  const all = [whole, ...forms.filter((form) => form.length >= 6)]
  return [...new Set([...all, ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))])]
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
}
