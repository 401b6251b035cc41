// Parses a user's JSON file to an object, or says what is wrong and where. Never quotes the file. (JSON.parse quotes it in its
// messages, and silently takes the last of two members with one name.)

import { kindOf } from './error-map.ts'
import { shownName } from './findings.ts'
import { isObject } from '../json/is-object.ts'
import { Scanner } from '../json/scanner.ts'

type ParsedJson = { readonly object: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** 1 MiB, in UTF-16 units: a text has no more of them than bytes. */
const MAX_LENGTH = 1_048_576

/** Parses a text that is to hold an object. A problem is what follows "the file"; a name that occurs twice in one object is one. */
export function parseJsonObject(text: string): ParsedJson {
  if (text.length > MAX_LENGTH) return { problem: 'is larger than 1 MiB' }
  if (text.trim() === '') return { problem: 'is empty: it must hold a JSON object' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // not `undefined`: the scanner of `jsonFault` accepts nothing that JSON.parse refuses
    return { problem: `is not valid JSON: ${jsonFault(text)!}` }
  }
  if (!isObject(value)) return { problem: `must be a JSON object, found ${kindOf(value)}` }
  const repeated = repeatedName(text)
  if (repeated === undefined) return { object: value }
  return { problem: `holds \`${shownName(repeated.name)}\` twice, again in line ${repeated.line}: remove one` }
}

/** Words for the line and column (both from 1) of the fault in a text, with a hint where there is one. `undefined` when the text is JSON. */
export function jsonFault(text: string): string | undefined {
  const bytes = Buffer.from(text)
  // with no room for members: only the place of the fault is wanted
  const scanner = new Scanner(0)
  scanner.start(bytes, 0, bytes.length)
  if (scanner.skip() && scanner.finish()) return undefined
  const scanned = bytes.toString('utf8', 0, scanner.failedAt)
  // an invalid number or word is reported at its beginning
  const before = /^[\w.+-]/.test(text.slice(scanned.length)) ? scanned.replace(/[\w.+-]+$/, '') : scanned
  const lines = before.split('\n')
  const hint = jsonHint(text, before.length)
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}${hint === '' ? '' : `: ${hint}`}`
}

/** How many characters of a fault are looked at: enough to know each one that has a hint. */
const LOOKED_AT = 8
const WANTED = 'a JSON object begins with {'
const YAML_START = /^(?:---|[\w-]+:(?:\s|$))/

/** A hint at what is wrong at a place of a text that is not JSON; '' when nothing is known. */
export function jsonHint(text: string, at: number): string {
  const next = text.slice(at, at + LOOKED_AT)
  const before = text.slice(0, at).trimEnd()
  if (next === '') return 'the text ends too early'
  if (before === '')
    return YAML_START.test(text.slice(at)) ? `${WANTED}; this looks like YAML, and only JSON is read here` : WANTED
  if (/^[}\]]/.test(next) && before.endsWith(',')) return `remove the comma before this ${next[0]!}`
  if (/^(?:\/\/|\/\*|#)/.test(next)) return 'JSON has no comments'
  if (/^['\u2018-\u201f]/.test(next)) return 'use straight double quotes (") for strings'
  if (/^(?:True|False|None)\b/.test(next)) return 'in JSON these are true, false and null'
  // the last character of a string, a number, a group or list, of true, false (e) or null (l)
  if (/^["\w]/.test(next) && /["\d}\]el]$/.test(before)) return 'a comma is missing before it'
  return ''
}

/** A string, with the colon behind it if it is a name, or a bracket. */
const NAME_OR_BRACKET = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g

/** Finds the first name that an object has twice.
 *  @param text valid JSON
 *  @returns the name, and the line, from 1, where it stands again. `undefined` when no object has a name twice */
function repeatedName(text: string): { readonly line: number; readonly name: string } | undefined {
  // the names so far of each object around the place; of a list, none
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
