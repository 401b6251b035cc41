// The bytes of a file a user wrote → the JSON object in it, or what is wrong. Never quotes the file.

import { jsonFault } from './json-fault.ts'
import { repeatedName } from './repeated-name.ts'
import { shownName } from './shown-name.ts'

export type ParsedJson = { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string }

const MAX_BYTES = 1_048_576

/** UTF-8, with or without a byte order mark, at most 1 MiB. A name that an object has twice is wrong: which is meant? */
export function parseJsonObject(file: string | Uint8Array): ParsedJson {
  if (file.length > MAX_BYTES) return { problem: 'is larger than 1 MiB' }
  const text = typeof file === 'string' ? file.replace(/^\uFEFF/, '') : decoded(file)
  if (text === undefined) return { problem: 'is not UTF-8 text' }
  if (text.trim() === '') return { problem: 'is empty: it must hold a JSON object' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: `is not valid JSON${placeIn(text)}` }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const twice = repeatedName(text)
    if (twice !== undefined)
      return { problem: `holds \`${shownName(twice.name)}\` twice, again in line ${twice.line}: take one out` }
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

function placeIn(text: string): string {
  const fault = jsonFault(text)
  if (fault === undefined) return ''
  const { line, column, hint } = fault
  return `: line ${line}, column ${column}${hint === '' ? '' : `: ${hint}`}`
}
