// Parses a user's JSON file to an object, or says what is wrong and where. Never quotes the file. (JSON.parse quotes it in its
// messages, and silently takes the last of two members with one name.)

import { kindOf } from './error-map.ts'
import { shownName } from './findings.ts'
import { isObject } from '../json/is-object.ts'
import { Scanner } from '../json/scanner.ts'

type ParsedJson = { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** UTF-16 units, of which a text has no more than bytes. */
const MAX_LENGTH = 1_048_576

/** A name that occurs twice in one object is a problem. */
export function parseJsonObject(text: string): ParsedJson {
  if (text.length > MAX_LENGTH) return { problem: 'is larger than 1 MiB' }
  if (text.trim() === '') return { problem: 'is empty: it must hold a JSON object' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // there is a fault to find: the scanner accepts nothing that JSON.parse refuses
    return { problem: `is not valid JSON: ${jsonFault(text)!}` }
  }
  if (!isObject(value)) return { problem: `must be a JSON object, found ${kindOf(value)}` }
  const twice = repeatedName(text)
  if (twice === undefined) return { object: value }
  return { problem: `holds \`${shownName(twice.name)}\` twice, again in line ${twice.line}: remove one` }
}

/** The place of the fault of a text, from 1, the column in UTF-16 units, and a hint where there is one. `undefined` when it is JSON. */
export function jsonFault(text: string): string | undefined {
  const bytes = Buffer.from(text)
  const scanner = new Scanner(0)
  scanner.start(bytes, 0, bytes.length)
  if (scanner.skip() && scanner.finish()) return undefined
  const read = bytes.toString('utf8', 0, scanner.failedAt)
  // an invalid number or word is reported at its beginning
  const before = /^[\w.+-]/.test(text.slice(read.length)) ? read.replace(/[\w.+-]+$/, '') : read
  const lines = before.split('\n')
  const hint = jsonHint(text, before.length)
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}${hint === '' ? '' : `: ${hint}`}`
}

const BEGINS = 'a JSON object begins with {'
const YAML_START = /^(?:---|[\w-]+:(?:\s|$))/

/** A hint at what is wrong at a place of a text that is not JSON; '' when nothing is known. */
export function jsonHint(text: string, at: number): string {
  const rest = text.slice(at, at + 8)
  const before = text.slice(0, at).trimEnd()
  if (rest === '') return 'the text ends too early'
  if (before === '')
    return YAML_START.test(text.slice(at)) ? `${BEGINS}; this looks like YAML, and only JSON is read here` : BEGINS
  if (/^[}\]]/.test(rest) && before.endsWith(',')) return `remove the comma before this ${rest[0]!}`
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'JSON has no comments'
  if (/^['\u2018-\u201f]/.test(rest)) return 'use straight double quotes (") for strings'
  if (/^(?:True|False|None)\b/.test(rest)) return 'in JSON these are true, false and null'
  // behind a string, a number, a group or list, true, false or null
  if (/^["\w]/.test(rest) && /["\d}\]el]$/.test(before)) return 'a comma is missing before it'
  return ''
}

/** A string, with the colon behind it if it is a name, or a bracket. */
const NAME_OR_BRACKET = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g

/** Finds the first name that an object has twice. `undefined` when there is none.
 *  @param text valid JSON
 *  @returns the line, from 1, where it stands again */
function repeatedName(text: string): { readonly line: number; readonly name: string } | undefined {
  const open: Set<string>[] = []
  for (const { 0: token, 1: quoted, 2: colon, index } of text.matchAll(NAME_OR_BRACKET)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (quoted !== undefined && colon !== undefined) {
      const name = JSON.parse(quoted) as string
      const names = open.at(-1)!
      if (names.has(name)) return { line: text.slice(0, index).split('\n').length, name }
      names.add(name)
    }
  }
  return undefined
}
