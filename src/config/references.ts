// Replaces the references in a config: ${NAME} by a variable of the environment, { file: PATH } by the content of a file. A schema marks
// the options that are secrets (`airbyte_secret`) and those that may be files (`multiline`). Never quotes a value. load.ts calls
// resolveReferences first; a secret of a login is read again later, by what secretReader makes of the file.

import { isAbsolute, join } from 'node:path'

import type { z } from 'zod'

import { ConnectorError } from '../core/errors.ts'
import { NoSecretError, Secret, type ReadSecret } from '../core/secret.ts'
import { pathText, shownName, type Findings, type Path } from './findings.ts'
import { readFileText } from './read-file.ts'
import { optionsIn } from './schema-options.ts'
import { MAX_DEPTH, textsOf } from './secrets.ts'
import { isObject } from '../json/is-object.ts'

/** Which options of a schema may be references. Paths are joined by dots. */
interface References {
  /** Names of secrets, wherever they are. */
  readonly secretNames: ReadonlySet<string>
  /** Paths of options that must be references. */
  readonly secrets: ReadonlySet<string>
  /** Paths of options that may be a value or { file }. */
  readonly files: ReadonlySet<string>
}

export function referencesOf(schema: z.ZodType): References {
  const options = optionsIn(schema)
  const marked = (mark: string) => options.filter(({ meta }) => meta[mark] === true).map(({ path }) => path)
  const secrets = marked('airbyte_secret')
  return {
    secretNames: new Set(secrets.map((path) => path.at(-1)!)),
    secrets: new Set(secrets.map((path) => path.join('.'))),
    files: new Set(marked('multiline').map((path) => path.join('.'))),
  }
}

export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder where paths that are not absolute begin. */
  readonly folder: string
  /** Gets every secret that is read again later, before it is used.
   *  @param of the option that it is the newest value of; absent when it is masked for good */
  readonly learn?: (secrets: readonly string[], of?: string) => void
}

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/
const PART = /\$\{[A-Za-z_]/
const IN_PARTS = 'has a variable within other text, and only a whole value may be one'
const MAX_FILE_BYTES = 65_536
const NOT_HERE = 'must not be in the file: write ${NAME} for a variable of the environment, or { file: /path }'

/** Puts in what references refer to. Any text may be a variable; the value of a broken reference is left out. Never throws.
 *  @returns `secrets`: every one, including those that must not be in the file */
export async function resolveReferences(
  given: unknown,
  references: References,
  { env, folder }: ConfigEnvironment,
  findings: Findings,
) {
  const secrets: string[] = []

  async function resolve(value: unknown, path: Path): Promise<unknown> {
    const isSecret = references.secrets.has(path.join('.'))
    const resolved = await referredTo(value, path, isSecret)
    if (resolved !== undefined) {
      if ('problem' in resolved) findings.add(path, resolved.problem)
      else if (isSecret) secrets.push(resolved.text)
      return 'problem' in resolved ? undefined : resolved.text
    }
    if (isSecret && value !== null && value !== undefined) {
      secrets.push(...textsOf(value))
      findings.add(path, NOT_HERE)
      return undefined
    }
    if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return value
    const isList = Array.isArray(value)
    const members: [string, unknown][] = []
    for (const [name, inner] of Object.entries(value))
      members.push([name, await resolve(inner, [...path, isList ? Number(name) : name])])
    return isList ? members.map(([, member]) => member) : Object.fromEntries(members)
  }

  /** Reads what a value refers to. `undefined` when it is no reference. */
  async function referredTo(value: unknown, path: Path, isSecret: boolean): Promise<Referred | undefined> {
    if (typeof value === 'string') {
      const [, name] = VARIABLE.exec(value.trim()) ?? []
      if (name !== undefined) return variable(name, env)
      // taken as it is, it would be the same table, group or file for every environment
      return !isSecret && PART.test(value) ? { problem: `${IN_PARTS}: ${wholeVariable(path)}` } : undefined
    }
    if (!isSecret && !references.files.has(path.join('.'))) return undefined
    const file = fileOf(value)
    return file === undefined ? undefined : await content(pathIn(folder, file), path)
  }

  return { value: await resolve(given, []), secrets }
}

/** Says what to write where a variable is within other text. */
function wholeVariable(path: Path): string {
  const option = shownName(String(path.findLast((step) => typeof step === 'string')))
  const name = option.toUpperCase().replaceAll(/\W/g, '_')
  return `write \${${name}}, and set ${name} to all of the text`
}

/** Reads a secret that is in a file anew at each call, and learns it before it gives it.
 *  @param given the config with its references, as the file has it
 *  @param secret what it was when the config was read */
export function secretReader(
  given: unknown,
  path: Path,
  secret: Secret,
  { folder, learn }: ConfigEnvironment,
): ReadSecret {
  const file = fileOf(path.reduce(memberAt, given))
  if (file === undefined) return () => Promise.resolve(secret)
  return async () => {
    const found = await content(pathIn(folder, file), path)
    if ('problem' in found) throw new NoSecretError(`${pathText(path)} ${found.problem}`)
    learn?.([found.text], pathText(path))
    return new Secret(found.text)
  }
}

/** Every file that a config refers to, of secrets and of whatever else.
 *  @param given with its references, as the file has it */
export function filesReferredTo(given: unknown, folder: string): string[] {
  const file = fileOf(given)
  if (file !== undefined) return [pathIn(folder, file)]
  return typeof given === 'object' && given !== null
    ? Object.values(given).flatMap((inner) => filesReferredTo(inner, folder))
    : []
}

/** The path of a file that a config names. @param folder where paths that are not absolute begin */
export function pathIn(folder: string, file: string): string {
  return isAbsolute(file) ? file : join(folder, file)
}

/** Reads one member of a group, or one entry of a list, of a file. `undefined` when there is none. */
export function memberAt(given: unknown, name: string | number): unknown {
  const isGroup = typeof given === 'object' && given !== null && Object.hasOwn(given, name)
  return isGroup ? (given as Readonly<Record<PropertyKey, unknown>>)[name] : undefined
}

type Referred = { readonly text: string } | { readonly problem: string }

function variable(name: string, env: ConfigEnvironment['env']): Referred {
  const text = env[name]
  if (text === undefined)
    return { problem: `refers to the variable ${name}, which is not set in the environment: set it for this process` }
  return text === '' ? { problem: `refers to the variable ${name}, which is empty` } : { text }
}

function fileOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
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
