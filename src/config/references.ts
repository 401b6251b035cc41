// Replaces the references in a config: ${NAME} by a variable of the environment, { file: PATH } by the content of a file. A schema's
// metadata marks the options that are secrets (`airbyte_secret`) and those that may be files (`multiline`). Never quotes a value. load.ts
// calls `resolveReferences` before it reads options; the secret of a login is read again later, by what `secretReader` makes.

import { isAbsolute, join } from 'node:path'
import type { z } from 'zod'
import { ConnectorError } from '../core/errors.ts'
import { NoSecretError, Secret, type ReadSecret } from '../core/secret.ts'
import { pathText, shownName, type Findings, type Path } from './findings.ts'
import { readFileText } from './read-file.ts'
import { optionsIn } from './schema-options.ts'
import { MAX_DEPTH, textsOf } from './secrets.ts'
import { isObject } from '../json/is-object.ts'

/** Which options of a schema may or must be references. Paths are joined by dots. */
interface References {
  /** Names of options that are secrets, without their groups: they find secrets even in a file that is not valid. */
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

/** The variables and the folder that references refer to, and the listener for secrets. */
export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that paths in the file are relative to. */
  readonly folder: string
  /** Called with every secret that is read again later, before it is used, to mask it in all output.
   *  @param option the one whose newest value it is. `undefined` when the secrets are to be masked for good */
  readonly learn?: (secrets: readonly string[], option?: string) => void
}

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/
const VARIABLE_START = /\$\{[A-Za-z_]/
const IN_PARTS = 'has a variable within other text, and only a whole value may be one'
const MAX_FILE_BYTES = 65_536
const SECRET_IN_FILE = 'must not be in the file: write ${NAME} for a variable of the environment, or { file: /path }'

/** Puts in what references refer to. Any text may be a variable; the value of a broken reference is left out. Never throws.
 *  @returns the config as `value`, and as `secrets` every one, including those that must not be in the file */
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
      findings.add(path, SECRET_IN_FILE)
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
  async function referredTo(value: unknown, path: Path, isSecret: boolean): Promise<Resolved | undefined> {
    if (typeof value === 'string') {
      const [, name] = VARIABLE.exec(value.trim()) ?? []
      if (name !== undefined) return valueOf(name, env)
      // taken literally, the text would name the same table, group or file in every environment
      return !isSecret && VARIABLE_START.test(value) ? { problem: `${IN_PARTS}: ${wholeVariable(path)}` } : undefined
    }
    if (!isSecret && !references.files.has(path.join('.'))) return undefined
    const file = fileOf(value)
    return file === undefined ? undefined : await contentOf(pathIn(folder, file), path)
  }

  return { value: await resolve(given, []), secrets }
}

/** Says what to write where a variable is within other text. */
function wholeVariable(path: Path): string {
  const option = shownName(String(path.findLast((step) => typeof step === 'string')))
  const name = option.toUpperCase().replaceAll(/\W/g, '_')
  return `write \${${name}}, and set ${name} to all of the text`
}

/** Makes the function that gives a secret at each login. Where it is in a file, each call reads it, and tells `learn` before it returns.
 *  @param given the config as the file has it, with its references
 *  @param secret its value when the config was read */
export function secretReader(given: unknown, path: Path, secret: Secret, environment: ConfigEnvironment): ReadSecret {
  const { folder, learn } = environment
  const file = fileOf(path.reduce(memberAt, given))
  if (file === undefined) return () => Promise.resolve(secret)
  return async () => {
    const content = await contentOf(pathIn(folder, file), path)
    if ('problem' in content) throw new NoSecretError(`${pathText(path)} ${content.problem}`)
    learn?.([content.text], pathText(path))
    return new Secret(content.text)
  }
}

/** The paths of all files that a config refers to, for secrets or other values.
 *  @param given the config as the file has it, with its references */
export function filesReferredTo(given: unknown, folder: string): string[] {
  const file = fileOf(given)
  if (file !== undefined) return [pathIn(folder, file)]
  return typeof given === 'object' && given !== null
    ? Object.values(given).flatMap((inner) => filesReferredTo(inner, folder))
    : []
}

/** The path of a file that a config names.
 *  @param folder the one that paths are relative to */
export function pathIn(folder: string, file: string): string {
  return isAbsolute(file) ? file : join(folder, file)
}

/** One member of a group, or one entry of a list, in a parsed file. `undefined` when there is none. */
export function memberAt(given: unknown, name: string | number): unknown {
  const isGroup = typeof given === 'object' && given !== null && Object.hasOwn(given, name)
  return isGroup ? (given as Readonly<Record<PropertyKey, unknown>>)[name] : undefined
}

/** The text that a reference stands for, or what is wrong with the reference. */
type Resolved = { readonly text: string } | { readonly problem: string }

function valueOf(name: string, env: ConfigEnvironment['env']): Resolved {
  const text = env[name]
  if (text === undefined)
    return { problem: `refers to the variable ${name}, which is not set in the environment: set it for this process` }
  return text === '' ? { problem: `refers to the variable ${name}, which is empty` } : { text }
}

/** The path in `{ file: PATH }`. `undefined` when a value is anything else. */
function fileOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const [[name, path] = [], ...more] = Object.entries(value)
  return name === 'file' && typeof path === 'string' && more.length === 0 ? path : undefined
}

async function contentOf(path: string, option: Path): Promise<Resolved> {
  try {
    const text = (await readFileText(path, pathText(option), MAX_FILE_BYTES)).replace(/\r?\n$/, '')
    return text === '' ? { problem: `refers to the file ${JSON.stringify(path)}, which is empty` } : { text }
  } catch (error) {
    const words = error instanceof ConnectorError ? error.message : 'it cannot be read'
    return { problem: `refers to a file: ${words.replace(/\.$/, '')}` }
  }
}
