// The bytes of a file a user wrote → the JSON object in it, or what is wrong. Never quotes the file.

export type Parsed = { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string }

const MAX_BYTES = 1_048_576

/** UTF-8, with or without a byte order mark, at most 1 MiB. */
export function parseJsonObject(file: string | Uint8Array): Parsed {
  if (file.length > MAX_BYTES) return { problem: 'is larger than 1 MiB' }
  const text = typeof file === 'string' ? file.replace(/^\uFEFF/, '') : decoded(file)
  if (text === undefined) return { problem: 'is not UTF-8 text' }
  if (text.trim() === '') return { problem: 'is empty' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `is not valid JSON${placeOf(error, text)}` }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { object: value as Readonly<Record<string, unknown>> }
  }
  return { problem: `must be a JSON object, found ${kindOf(value)}` }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The error's own text quotes the input: only its numbers are used, and only when they can be right. */
function placeOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  const at = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (at === undefined || Number(at) > text.length)
    return message.startsWith('Unexpected end') ? ': it ends too early' : ''
  const before = text.slice(0, Number(at)).split('\n')
  return `: line ${before.length}, column ${before.at(-1)!.length + 1}`
}
