// A line of our own on its way out, without secrets and still what it was: text, or a message in JSON.

import { escapeLineEnds } from '../json/one-line.ts'

/** Where a message has words of the protocol, which a secret may look like, and the words. */
const FIXED = new Set(['type', 'level', 'status', 'failure_type'])
const WORD = /^(?:[A-Z_]+|(?:config|transient|system)_error)$/

/** Of a JSON object the texts are scrubbed, not its grammar and its names. */
export function scrubLine(line: string, scrub: (text: string) => string): string {
  const clean = scrub(line)
  if (clean === line || !line.startsWith('{')) return clean
  const text = JSON.stringify(JSON.parse(line), (name, value: unknown) =>
    typeof value === 'string' && !(FIXED.has(name) && WORD.test(value)) ? scrub(value) : value,
  )
  return `${escapeLineEnds(text)}\n`
}
