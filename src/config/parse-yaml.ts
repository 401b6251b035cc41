// The text of a YAML or JSON file a user wrote → its value, and where in it things stand; or everything that is wrong with
// it. Never quotes the file.

import type { Document, Node } from 'yaml'
import { isNode, isScalar, LineCounter, parseDocument } from 'yaml'

import { namesIn, YamlPlaces } from './yaml-members.ts'

export interface ParsedYaml {
  /** undefined: there are problems. */
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The line of what stands at a path, or of the nearest thing around it; from 1. */
  lineOf(path: readonly PropertyKey[]): number | undefined
  /** Whether nothing at all stands behind the name at a path, which is then null as if it were written. */
  readonly isLeftEmpty: (path: readonly PropertyKey[]) => boolean
}

export interface Problem {
  readonly line: number | undefined
  readonly text: string
}

const MAX_LENGTH = 1_048_576
/** Aliases and the like; no config has so many. */
const MAX_COSTLY = 1000

const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes',
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed',
  BAD_ALIAS: 'a text that begins with * or & must stand in quotes',
  BAD_SCALAR_START: 'a text that begins with this character must stand in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a value with a colon and a blank in it must stand in quotes; or the line below is indented further than this one',
  BLOCK_IN_FLOW: 'a quote or a bracket is missing before this',
  DUPLICATE_KEY: 'this name stands there twice',
  MISSING_CHAR: 'a quote, bracket, comma or space is missing',
  MULTILINE_IMPLICIT_KEY: 'a blank is missing behind a colon, or a line is indented further than its neighbours',
  MULTIPLE_DOCS: 'a second document begins (---)',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is no indentation: use spaces',
  TAG_RESOLVE_FAILED: 'a tag (!…) is not known here',
  UNEXPECTED_TOKEN:
    'nothing can stand here: indent it as its neighbours are, and put a text that goes on behind a quote in quotes',
}

const DEEP =
  'it is nested too deeply, or has an alias (*…) that names nothing or too much; a text that begins with * must stand in quotes'

/** A text that begins with { is read as JSON, if it is that; everything else as YAML 1.2, which holds all of JSON. */
export function parseYaml(text: string): ParsedYaml {
  if (text.length > MAX_LENGTH) return broken([{ line: undefined, text: 'it is larger than 1 MiB' }])
  if (text.trim() === '') return broken([{ line: undefined, text: 'it is empty' }])
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  try {
    const document = parseDocument(text, {
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
      // its own way to look for names that are there twice takes the square of their number
      uniqueKeys: false,
    })
    const { repeated, costly } = namesIn(document)
    if (costly > MAX_COSTLY) return broken([{ line: undefined, text: DEEP }])
    const faults = faultsIn(document, repeated)
    const json = text.trimStart().startsWith('{') ? parsedJson(text) : undefined
    if (faults.length > 0 && (json === undefined || faults.some(({ code }) => code === 'DUPLICATE_KEY'))) {
      return broken(
        telling(faults).map(({ code, pos }) => ({
          line: lineAt(pos),
          text: WORDS[code] ?? `this is not valid YAML (${code})`,
        })),
      )
    }
    const value: unknown = json ?? document.toJS({ maxAliasCount: 100 })
    const places = new YamlPlaces(document)
    return {
      value,
      problems: [],
      lineOf: (path) => lineIn(places, path, lineAt),
      isLeftEmpty: (path) => json === undefined && isNothing(places.at(path)),
    }
  } catch {
    // an error's own text may quote the file
    return broken([{ line: undefined, text: DEEP }])
  }
}

interface Fault {
  readonly code: string
  /** In the text. */
  readonly pos: number
}

/** In the order of the text. */
function faultsIn(document: Document, repeated: readonly number[]): Fault[] {
  const own = [...document.errors, ...document.warnings].map(({ code, pos }) => ({ code, pos: pos[0] }))
  const twice = repeated.map((pos) => ({ code: 'DUPLICATE_KEY', pos }))
  return twice.length === 0 ? own : [...own, ...twice].toSorted((a, b) => a.pos - b.pos)
}

/** Behind the first place where it is no YAML, what else is said is mostly that place again. */
function telling(faults: readonly Fault[]): Fault[] {
  const first = faults.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
  return faults.slice(0, Math.min(first < 0 ? faults.length : first + 1, 20))
}

function broken(problems: readonly Problem[]): ParsedYaml {
  return { value: undefined, problems, lineOf: () => undefined, isLeftEmpty: () => false }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isNothing(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null && !node.source)
}

function lineIn(
  places: YamlPlaces,
  path: readonly PropertyKey[],
  lineAt: (offset: number) => number,
): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = places.at(path.slice(0, length))
    const offset = isNode(node) ? (node as Node).range?.[0] : undefined
    if (offset !== undefined) return lineAt(offset)
  }
  return undefined
}
