// Where a file's text stops being JSON, for a person. Never quotes the text: it may be another file, with a key in it.

import { Scanner } from '../json/scanner.ts'

/** @param text that is not JSON */
export function brokenJson(text: string): string {
  const bytes = Buffer.from(text)
  if (text.trim() === '') return 'it is empty'
  const scanner = new Scanner(1)
  scanner.start(bytes, 0, bytes.length)
  if (scanner.skip()) scanner.finish()
  const before = bytes.toString('utf8', 0, Math.max(0, scanner.failedAt))
  if (scanner.failedAt >= bytes.length) return 'it ends too early'
  const lines = before.split('\n')
  const hint = before.trimEnd().endsWith(',') && /[}\]]/.test(String.fromCharCode(bytes[scanner.failedAt]!))
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}${hint ? ': take out the comma before it' : ''}`
}
