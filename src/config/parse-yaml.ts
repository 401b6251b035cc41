// The text of a YAML or JSON file a user wrote → its value, and where in it things stand; or everything that is wrong with
// it. Never quotes the file.

import type { Document, Node } from 'yaml'
import { isNode, LineCounter, parseDocument } from 'yaml'

export interface Parsed {
  /** undefined: there are problems. */
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The line of what stands at a path, or of the nearest thing around it; from 1. */
  lineOf(path: readonly PropertyKey[]): number | undefined
}

export interface Problem {
  readonly line: number | undefined
  readonly text: string
}

const MAX_LENGTH = 1_048_576

const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes',
  BAD_INDENT: 'the indentation is wrong',
  BAD_SCALAR_START: 'a text that begins with this character must stand in quotes',
  BLOCK_IN_FLOW: 'a quote or a bracket is missing before this',
  DUPLICATE_KEY: 'this name stands there twice',
  MISSING_CHAR: 'a quote, bracket, comma or space is missing',
  MULTIPLE_DOCS: 'a second document begins (---)',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is no indentation: use spaces',
  TAG_RESOLVE_FAILED: 'a tag (!…) is not known here',
}

const DEEP =
  'it is nested too deeply, or has an alias (*…) that names nothing or too much; a text that begins with * must stand in quotes'

/** A text that begins with { is read as JSON, if it is that; everything else as YAML 1.2, which holds all of JSON. */
export function parseYaml(text: string): Parsed {
  if (text.length > MAX_LENGTH) return broken([{ line: undefined, text: 'it is larger than 1 MiB' }])
  if (text.trim() === '') return broken([{ line: undefined, text: 'it is empty' }])
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  try {
    const document = parseDocument(text, { prettyErrors: false, lineCounter: lines, logLevel: 'error' })
    const faults = [...document.errors, ...document.warnings]
    const json = text.trimStart().startsWith('{') ? parsedJson(text) : undefined
    if (faults.length > 0 && (json === undefined || faults.some(({ code }) => code === 'DUPLICATE_KEY'))) {
      return broken(
        faults
          .slice(0, 20)
          .map(({ code, pos }) => ({ line: lineAt(pos[0]), text: WORDS[code] ?? `this is not valid YAML (${code})` })),
      )
    }
    const value: unknown = json ?? document.toJS({ maxAliasCount: 100 })
    return { value, problems: [], lineOf: (path) => lineIn(document, path, lineAt) }
  } catch {
    // an error's own text may quote the file
    return broken([{ line: undefined, text: DEEP }])
  }
}

function broken(problems: readonly Problem[]): Parsed {
  return { value: undefined, problems, lineOf: () => undefined }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function lineIn(
  document: Document,
  path: readonly PropertyKey[],
  lineAt: (offset: number) => number,
): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    const offset = isNode(node) ? (node as Node).range?.[0] : undefined
    if (offset !== undefined) return lineAt(offset)
  }
  return undefined
}
