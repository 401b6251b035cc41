// The secrets in a config, whatever else is wrong with it: for the scrubber, so too many are better than too few.

import { pemText } from './pem.ts'

const OPTIONS = ['api_key', 'client_key']
const OPTION = /\b(?:api_key|client_key)["']?\s*[:=]\s*/g
/** Of a line and of the file: no config has more. */
const LONGEST = 1_024
const MOST = 8

/** Values of a wrong type too, and a client that is none: keys are mistaken for it. */
export function secretsIn(object: Readonly<Record<string, unknown>>): string[] {
  const client = textsIn(object['client_id']).filter((text) => /\D/.test(text))
  const texts = [...OPTIONS.flatMap((option) => textsIn(object[option])), ...client]
  return texts.flatMap((text) => [text, pemText(text)])
}

/** Of a file that is no JSON, as far as its lines look like options. */
export function secretsInText(text: string): string[] {
  const values: string[] = []
  for (const { index, 0: option } of text.matchAll(OPTION)) {
    const from = index + option.length
    values.push(text.slice(from, from + LONGEST).split(/[\r\n]/, 1)[0]!)
    if (values.length === MOST) break
  }
  return values.flatMap((value) => {
    const [, double, single] = /^"((?:[^"\\]|\\.)*)|^'([^']*)/.exec(value) ?? []
    const quoted = double ?? single ?? value
    return [quoted, unescaped(quoted), value.replace(/^["']/, '').replace(/["']?[\s,}\]]*$/, '')]
  })
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value).flatMap(textsIn)]
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
