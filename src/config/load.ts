// Reads a config file's text for `stream` or `onboard`, YAML or JSON, to a valid config or all its problems with lines. Quotes no value.

import type { z } from 'zod'
import { ConnectorError } from '../core/errors.ts'
import { Findings, findingText, type Path, type ProblemCode } from './findings.ts'
import { readTree, type Partly } from './read-tree.ts'
import { referencesOf, resolveReferences, type ConfigEnvironment } from './references.ts'
import { secretsIn, secretsInText } from './secrets.ts'
import { pemText } from './tls.ts'
import { parseYaml, type Problem } from './yaml-text.ts'
import { isObject } from '../json/is-object.ts'

/** The result of reading a file. */
export interface Reading<Config> {
  /** `undefined` when there are problems. */
  readonly config: Config | undefined
  /** Each a sentence without its full stop, in the order of lines. */
  readonly problems: readonly string[]
  /** The code of the problems, if there are any. */
  readonly code: ProblemCode
  /** Each a sentence without its full stop. */
  readonly warnings: readonly string[]
  /** Every secret that the file gives, whatever else is wrong, to be masked in all output. */
  readonly secrets: readonly string[]
}

/** The options of a command, and how they become its config. */
export interface ConfigKind<Schema extends z.ZodObject, Config> {
  readonly schema: Schema
  /** Checks the rules between options, and adds to `findings`.
   *  @param options the values that are right each by itself, with defaults
   *  @param given the file as it was parsed, which tells an option that is given from a default
   *  @returns a function that makes the config, to be called only if nothing is wrong */
  readonly check: (
    options: Partly<z.output<Schema>>,
    given: unknown,
    findings: Findings,
    environment: ConfigEnvironment,
  ) => () => Config
  /** Maps a path of the options to the path in the file, where a file may write them otherwise. */
  readonly placeOf?: (path: Path, given: unknown) => Path
}

/** Parses a text, puts in what its references refer to (a variable, a file), reads each option, then checks them together. Never throws. */
export async function readConfig<Schema extends z.ZodObject, Config>(
  text: string,
  { schema, check, placeOf = (path) => path }: ConfigKind<Schema, Config>,
  environment: ConfigEnvironment,
): Promise<Reading<Config>> {
  const references = referencesOf(schema)
  const parsed = parseYaml(text)
  if (parsed.problems.length > 0) {
    const secrets = secretsInText(text, references.secretNames)
    return { config: undefined, problems: inLines(parsed.problems), code: 'config.malformed', warnings: [], secrets }
  }
  const { value: given } = parsed
  const findings = new Findings()
  const { value, secrets } = await resolveReferences(given, references, environment, findings)
  const options = readTree(value, schema, findings)
  // for a file that is not an object, a list of missing options would not help
  const makeConfig = isObject(value) ? check(options, given, findings, environment) : undefined
  const problems = findings.problems.map(([path, problem]) => [placeOf(path, given), problem] as const)
  // a problem of the whole file explains all others, which are left out then
  const ofFile = problems.filter(([path]) => path.length === 0)
  const told = ofFile.length > 0 ? ofFile : problems
  return {
    config: problems.length > 0 ? undefined : makeConfig?.(),
    problems: inLines(told.map((one) => ({ line: parsed.lineOf(one[0]), text: findingText(one) }))),
    code: isObject(value) ? 'config.option' : 'config.malformed',
    warnings: findings.warnings,
    // also in the form in which PEM texts are used
    secrets: [...new Set([...secrets, ...secrets.map(pemText), ...secretsIn(value, references.secretNames)])],
  }
}

/** Words problems, sorted by line, each text once. */
function inLines(problems: readonly Problem[]): string[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return [...new Set(sorted.map(({ line, text }) => (line === undefined ? text : `line ${line}: ${text}`)))]
}

/** Makes one error of all problems of a file.
 *  @param command the one whose --example shows a right file */
export function configError(command: string, file: string, { problems, code }: Reading<unknown>): ConnectorError {
  const list = problems.map((problem) => `\n  ${problem}`).join('')
  const words = `The configuration ${JSON.stringify(file)} cannot be used (${command} --example shows one that can):`
  return new ConnectorError('config', code, words + list)
}
