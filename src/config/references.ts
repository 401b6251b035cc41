// Puts in what a config refers to: variables of the environment, files. Is told which options are secrets; knows no other
// rule. Never quotes a value.

import { isAbsolute, join } from 'node:path'

import { ConnectorError } from '../core/errors.ts'
import type { Found, Path } from './findings.ts'
import { pathText } from './findings.ts'
import { readFileText } from './read-file.ts'

export interface Resolved {
  /** Without members that are null: they are as good as absent. */
  readonly value: unknown
  readonly problems: readonly Found[]
  /** Every secret, also one that must not stand in the file. */
  readonly secrets: readonly string[]
}

/** What an option may be written as. */
export interface References {
  /** Only as a reference. */
  isSecret(path: Path): boolean
  /** As itself, or as the file it is in. */
  isFile(path: Path): boolean
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where paths that are not absolute begin. */
  readonly folder: string
}

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/
const MAX_FILE_BYTES = 65_536
/** No option lies deeper. */
const MAX_DEPTH = 8
const NOT_HERE = 'must not stand in the file: write ${NAME} for a variable of the environment, or { file: /path }'

/** Never throws; a problem's member is left out of the value. Any text may be a variable. */
export async function resolveReferences(
  given: unknown,
  references: References,
  { env, folder }: Surroundings,
): Promise<Resolved> {
  const problems: Found[] = []
  const secrets: string[] = []

  async function resolve(value: unknown, path: Path): Promise<unknown> {
    const isSecret = references.isSecret(path)
    const resolved = await referredTo(value, path, isSecret)
    if (resolved !== undefined) {
      if ('problem' in resolved) problems.push([path, resolved.problem])
      else if (isSecret) secrets.push(resolved.text)
      return 'problem' in resolved ? undefined : resolved.text
    }
    if (isSecret && value !== null) {
      secrets.push(...textsIn(value, 0))
      problems.push([path, NOT_HERE])
      return undefined
    }
    if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return value ?? undefined
    if (Array.isArray(value)) return await entries(value, path)
    const members: [string, unknown][] = []
    for (const [name, inner] of Object.entries(value)) {
      const member = await resolve(inner, [...path, name])
      if (member !== undefined) members.push([name, member])
    }
    return Object.fromEntries(members)
  }

  async function entries(list: readonly unknown[], path: Path): Promise<unknown[]> {
    const resolved: unknown[] = []
    for (const [index, entry] of list.entries()) resolved.push(await resolve(entry, [...path, index]))
    return resolved
  }

  /** undefined: it is no reference. */
  async function referredTo(value: unknown, path: Path, isSecret: boolean): Promise<Referred | undefined> {
    if (typeof value === 'string') {
      const [, name] = VARIABLE.exec(value.trim()) ?? []
      return name === undefined ? undefined : variable(name, env)
    }
    if (!isSecret && !references.isFile(path)) return undefined
    const file = fileOf(value)
    return file === undefined ? undefined : await content(isAbsolute(file) ? file : join(folder, file), path)
  }

  return { value: await resolve(given, []), problems, secrets }
}

/** @param given with its references, as the file has it
 *  @returns reads the option's file again, and throws an Error where that cannot be; undefined: it is in no file */
export function rereading(given: unknown, path: Path, folder: string): (() => Promise<string>) | undefined {
  let value = given
  for (const name of path) value = isObject(value) ? value[name] : undefined
  const file = fileOf(value)
  if (file === undefined) return undefined
  return async () => {
    const found = await content(isAbsolute(file) ? file : join(folder, file), path)
    if ('problem' in found) throw new Error(`${pathText(path)} ${found.problem}`)
    return found.text
  }
}

function isObject(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null
}

type Referred = { readonly text: string } | { readonly problem: string }

function variable(name: string, env: Surroundings['env']): Referred {
  const text = env[name]
  if (text === undefined)
    return { problem: `refers to the variable ${name}, which is not set in the environment: set it for this process` }
  return text === '' ? { problem: `refers to the variable ${name}, which is empty` } : { text }
}

function fileOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const [[name, path] = [], ...more] = Object.entries(value)
  return name === 'file' && typeof path === 'string' && more.length === 0 ? path : undefined
}

async function content(path: string, option: Path): Promise<Referred> {
  try {
    const text = (await readFileText(path, pathText(option), MAX_FILE_BYTES)).replace(/\r?\n$/, '')
    return text === '' ? { problem: `refers to the file ${JSON.stringify(path)}, which is empty` } : { text }
  } catch (error) {
    const words = error instanceof ConnectorError ? error.message : 'it cannot be read'
    return { problem: `refers to a file: ${words.replace(/\.$/, '')}` }
  }
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}
