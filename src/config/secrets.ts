// Finds the secrets in a config, even an invalid one, to be masked in all output. Finds rather too many than too few.

import { pemText } from './tls.ts'

/** Most characters of a secret in a file that cannot be parsed, and most secrets: no config has more. */
const LONGEST_VALUE = 1_024
const MOST_VALUES = 8
/** Most groups and lists around a value; no option lies deeper. */
export const MAX_DEPTH = 8
/** Least characters of a secret that is masked (secrets/forms.ts): to mask shorter ones would blot out every text. */
const LEAST_MASKED = 3
/** Least characters of a secret that is masked well: shorter ones often occur inside ordinary words. */
const LEAST_SAFE = 8

/** Finds the values of secret options at any depth, even of a wrong type, but no paths of files; each also as `pemText` changes it.
 *  @param names of the options that are secrets */
export function secretsIn(given: unknown, names: ReadonlySet<string>): string[] {
  return [...new Set(textsIn(given, 0).flatMap((text) => [text, pemText(text)]))]

  function textsIn(value: unknown, depth: number): string[] {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
    return Object.entries(value).flatMap(([name, member]) =>
      names.has(name) ? textsOf(member) : textsIn(member, depth + 1),
    )
  }
}

/** Lists every text in a value that is given for a secret, and long names of its members: `{ SECRET }` is YAML for a member of that name.
 *  @param depth how many groups and lists of that value are around this part of it */
export function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  const members = Object.entries(value).filter(([name]) => name !== 'file')
  const names = Array.isArray(value) ? [] : members.map(([name]) => name).filter((name) => name.length >= LEAST_SAFE)
  return names.concat(members.flatMap(([, member]) => textsOf(member, depth + 1)))
}

/** Finds secrets in a file that cannot be parsed: what stands behind the name of a secret option, to the end of the line. Returns each as a
 *  quoted text, as that is unescaped, and without the quotes and brackets around it, for it is not known where it ends.
 *  @param names of the options that are secrets */
export function secretsInText(text: string, names: ReadonlySet<string>): string[] {
  const values: string[] = []
  for (const { index, 0: option } of text.matchAll(RegExp(`\\b(?:${[...names].join('|')})["']?\\s*[:=]\\s*`, 'g'))) {
    const from = index + option.length
    values.push(text.slice(from, from + LONGEST_VALUE).split(/[\r\n]/, 1)[0]!)
    if (values.length === MOST_VALUES) break
  }
  return values.flatMap((value) => {
    const [, double, single] = /^"((?:[^"\\]|\\.)*)|^'([^']*)/.exec(value) ?? []
    const quoted = double ?? single ?? value
    return [quoted, unescaped(quoted), value.replace(/^["']/, '').replace(/["']?[\s,}\]]*$/, '')]
  })
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

/** The warning for a secret that is too short to be masked well. `undefined` when it is long enough. */
export function shortSecret(secret: string): string | undefined {
  const { length } = Array.from(secret.replaceAll(/\s/g, ''))
  if (length >= LEAST_SAFE) return undefined
  if (length < LEAST_MASKED)
    return `is shorter than ${LEAST_MASKED} characters, too short to be masked: messages may show it. Use a longer one`
  return `is shorter than ${LEAST_SAFE} characters: it is masked wherever these characters stand, inside other words too, so messages may be hard to read. Use a longer one`
}
