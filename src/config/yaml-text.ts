// Parses a user's YAML or JSON file, to its value and line numbers or to everything that is wrong with it. Never quotes the file. The
// library `yaml` parses; one walk over its document then finds what it would find too slowly: a file of a megabyte may hold 60,000 members.

import type { Document, Pair, YAMLMap } from 'yaml'
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml'
import { tryParseJson } from '../json/true-names.ts'

export interface ParsedYaml {
  /** `undefined` when there are problems. In a group, a name without any value has the value `undefined`, not null. */
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The line, from 1, of a path or of its nearest parent that has one. */
  lineOf(path: readonly PropertyKey[]): number | undefined
}

export interface Problem {
  readonly line: number | undefined
  readonly text: string
}

/** 1 MiB, in UTF-16 units. */
const MAX_LENGTH = 1_048_576
/** Most faults of a file that are told. */
const MOST_TOLD = 20
/** Most aliases and names that are lists or maps (`Walked.costly`): more than any config has. */
const MAX_COSTLY = 1000

/** Words for a fault, by the library's code for it. */
const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_ALIAS: 'a value that begins with * or & must be in quotes',
  BAD_SCALAR_START: 'a value that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a value with a colon and a space in it must be in quotes; or the line below is indented further than this one',
  BLOCK_IN_FLOW: 'a quote or a bracket is missing before this',
  DUPLICATE_KEY: 'this name occurs there twice',
  MISSING_CHAR: 'a quote, bracket, comma or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a space is missing after a colon, or a line is indented further than its neighbours',
  MULTIPLE_DOCS: 'a second document begins (---)',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'tabs cannot indent: use spaces',
  TAG_RESOLVE_FAILED: 'a tag (!…) is not known here',
  UNEXPECTED_TOKEN:
    'nothing can be here: indent it like its neighbours, and put a value that continues after a quote in quotes',
}

/** Words for a fault for which there is no code. */
const TOO_DEEP =
  'it is nested too deeply, or has an alias (*…) that names nothing or too much; a value that begins with * must be in quotes'

/** A text that begins with { is read as JSON, if it is that; everything else as YAML 1.2, which holds all of JSON. */
export function parseYaml(text: string): ParsedYaml {
  if (text.length > MAX_LENGTH) return broken('it is larger than 1 MiB')
  if (text.trim() === '') return broken('it is empty')
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  try {
    const document = parseDocument(text, {
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
      // the library's own check for duplicates takes quadratic time
      uniqueKeys: false,
      // a name is what was written: on, true, 1 and 01 are texts
      stringKeys: true,
    })
    const { members, repeated, costly } = walk(document)
    if (costly > MAX_COSTLY) return broken(TOO_DEEP)
    const faults = faultsIn(document, repeated)
    // what is JSON is right, even where the library finds a fault, except for a name that occurs twice
    const json = text.trimStart().startsWith('{') ? tryParseJson(text) : undefined
    if (faults.length > 0 && (json === undefined || faults.some(({ code }) => code === 'DUPLICATE_KEY'))) {
      const problems = worthTelling(faults).map(({ code, pos }) => {
        return { line: lineAt(pos), text: WORDS[code] ?? `this is not valid YAML (${code})` }
      })
      return { ...UNREAD, problems }
    }
    const value: unknown = json ?? document.toJS({ maxAliasCount: 100 })
    if (costly > 0 && isEndless(value)) return broken(TOO_DEEP)
    if (value === null || value === undefined) return broken('it is empty')
    const lineOf = (path: readonly PropertyKey[]): number | undefined => {
      const place = placeOf(path, document, members)
      return place === undefined ? undefined : lineAt(place)
    }
    return { value, problems: [], lineOf }
  } catch {
    // the error's message may quote the file
    return broken(TOO_DEEP)
  }
}

/** A fault by the library's code, and its offset in the text. */
type Fault = { readonly code: string; readonly pos: number }

/** The faults in the order of the text, with those of names that occur twice, at the offsets `repeated`. */
function faultsIn(document: Document, repeated: readonly number[]): Fault[] {
  const ofLibrary = [...document.errors, ...document.warnings].map(({ code, pos }) => ({ code, pos: pos[0] }))
  const twice = repeated.map((pos) => ({ code: 'DUPLICATE_KEY', pos }))
  return twice.length === 0 ? ofLibrary : [...ofLibrary, ...twice].toSorted((a, b) => a.pos - b.pos)
}

/** Leaves out faults behind the first syntax error, which mostly follow from it. */
function worthTelling(faults: readonly Fault[]): Fault[] {
  const first = faults.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
  return faults.slice(0, Math.min(first < 0 ? faults.length : first + 1, MOST_TOLD))
}

/** The result for a text with faults, but for its problems. */
const UNREAD = { value: undefined, lineOf: () => undefined }

/** @param text what is wrong with the whole file */
function broken(text: string): ParsedYaml {
  return { ...UNREAD, problems: [{ line: undefined, text }] }
}

/** The members of one map of the document, by name. */
type Members = ReadonlyMap<string, unknown>

/** The offset in the text of the value at a path, or of its nearest parent that has one.
 *  @param members found by `walk`: the library itself finds a member in linear time */
function placeOf(path: readonly PropertyKey[], { contents }: Document, members: Walked['members']): number | undefined {
  let [node, place]: [unknown, number | undefined] = [contents, undefined]
  for (const step of path) {
    // `true` asks a list for its entry as a node, which has an offset
    if (isMap(node)) node = members.get(node)?.get(String(step))
    else node = isSeq(node) ? node.get(step, true) : undefined
    place = (isNode(node) ? node.range?.[0] : undefined) ?? place
  }
  return place
}

interface Walked {
  /** The members of each map. */
  readonly members: ReadonlyMap<unknown, Members>
  /** Offsets of names that occur twice in one map, in order; `1` and `"1"` are one name. A list or map as a name never counts. */
  readonly repeated: readonly number[]
  /** How many aliases there are, and names that are lists or maps: the library compares each of them with all anchors. */
  readonly costly: number
}

/** Goes over the whole document once. Changes it too: a name without any value gets the value `undefined` (`leaveEmpty`). */
function walk(document: Document): Walked {
  const members = new Map<unknown, Members>()
  const repeated: number[] = []
  let costly = 0
  const open: unknown[] = [document.contents]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isAlias(node)) costly++
    if (!isCollection(node)) continue
    if (isMap(node)) members.set(node, membersOf(node, repeated))
    for (const item of node.items) {
      if (!isPair(item)) open.push(item)
      else {
        if (isCollection(item.key)) costly++
        leaveEmpty(item)
        // null, because `undefined` ends the walk
        open.push(item.key ?? null, item.value ?? null)
      }
    }
  }
  return { members, repeated: repeated.toSorted((a, b) => a - b), costly }
}

/** Whether a list or map holds itself, through an alias. Looks only once at what several aliases stand for.
 *  @param around the lists and maps that hold the value
 *  @param seen the lists and maps that were looked at */
function isEndless(value: unknown, around = new Set<unknown>(), seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (seen.has(value)) return around.has(value)
  seen.add(value)
  around.add(value)
  const isFound = Object.values(value).some((member) => isEndless(member, around, seen))
  around.delete(value)
  return isFound
}

/** Gives a name without any value the value `undefined`; the library gives it null. */
function leaveEmpty(item: Pair): void {
  const { value } = item
  if (value === null) item.value = new Scalar(undefined)
  else if (isScalar(value) && value.value === null && !value.source) value.value = undefined
}

/** The members of one map by name, the last one where a name occurs twice.
 *  @param repeated gets the offset of each name that was there before */
function membersOf({ items }: YAMLMap, repeated: number[]): Members {
  const members = new Map<string, unknown>()
  for (const { key, value } of items) {
    const name = nameOf(key)
    if (name === undefined) continue
    if (members.has(name)) repeated.push((isNode(key) ? key.range?.[0] : undefined) ?? 0)
    members.set(name, value)
  }
  return members
}

/** The name as the library writes it into an object. `undefined` when it is a list or a map. */
function nameOf(key: unknown): string | undefined {
  const value: unknown = isScalar(key) ? key.value : key
  if (value === null) return ''
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? `${value}` : undefined
}
