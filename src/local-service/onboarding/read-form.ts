// A body that must be a form (application/x-www-form-urlencoded), or why it is refused. Knows no field by name.

import { refusal } from '../answers.ts'
import { percentDecoded } from '../query.ts'
import type { Call } from './call.ts'
import { bytesOf } from './read-json.ts'
import type { ReadOrRefused } from './read-json.ts'

/** What a field must hold: one whole number, or any. */
export type WantedField = number | 'whole'

/** The whole numbers of the fields in `wanted`; other fields are ignored. A reason for each that is missing, occurs twice
 *  or holds something else. */
export function readForm<N extends string>(
  { headers, body }: Pick<Call, 'headers' | 'body'>,
  wanted: Readonly<Record<N, WantedField>>,
): ReadOrRefused<Record<N, number>> {
  const bytes = bytesOf(body, headers['content-type'], 'application/x-www-form-urlencoded')
  if ('refused' in bytes) return bytes
  const fields = fieldsIn(bytes.value)
  if (fields === undefined) return { refused: refusal(400, ['the body is no form in UTF-8, percent-encoded']) }
  const value: Partial<Record<N, number>> = {}
  const reasons: string[] = []
  for (const name of Object.keys(wanted) as N[]) {
    const number = numberIn(fields.get(name) ?? [], wanted[name])
    if (typeof number === 'string') reasons.push(`${name} ${number}`)
    else value[name] = number
  }
  return reasons.length > 0 ? { refused: refusal(400, reasons) } : { value: value as Record<N, number> }
}

/** The number, or what is wrong. */
function numberIn(values: readonly string[], wanted: WantedField): number | string {
  if (values.length === 0) return 'is missing'
  if (values.length > 1) return 'is there more than once'
  const number = /^(?:0|-?[1-9]\d*)$/.test(values[0]!) ? Number(values[0]) : Number.NaN
  const isRight = Number.isSafeInteger(number) && (wanted === 'whole' || number === wanted)
  return isRight ? number : `must be ${wanted === 'whole' ? 'a whole number' : wanted}`
}

/** Undefined: it is none. */
function fieldsIn(bytes: Buffer): ReadonlyMap<string, readonly string[]> | undefined {
  const text = utf8(bytes)
  if (text === undefined) return undefined
  const fields = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    const others = fields.get(name)
    if (others === undefined) fields.set(name, [value])
    else others.push(value)
  }
  return fields
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decoded(text: string): string | undefined {
  return percentDecoded(text.replaceAll('+', ' '))
}
