// The text of a config file of `stream` or `onboard`, YAML or JSON → a config that cannot be wrong, or everything that is wrong
// with it, at once, with lines. Never quotes a value.

import type { z } from 'zod'

import { ConnectorError } from '../core/errors.ts'
import { Findings, findingText, type Path, type ProblemCode } from './findings.ts'
import { readTree, type Partly } from './read-tree.ts'
import { referencesOf, resolveReferences, type ConfigEnvironment } from './references.ts'
import { secretsIn, secretsInText } from './secrets.ts'
import { pemText } from './tls.ts'
import { parseYaml, type Problem } from './yaml-text.ts'
import { isObject } from '../json/is-object.ts'

export interface Reading<Config> {
  /** Only if there are no problems. */
  readonly config: Config | undefined
  /** Each a sentence without its end, by line. */
  readonly problems: readonly string[]
  readonly code: ProblemCode
  /** Each a sentence without its end. */
  readonly warnings: readonly string[]
  /** Every secret, whatever else is wrong, for the scrubber. */
  readonly secrets: readonly string[]
}

/** The options of a command, and how they become its config. */
export interface ConfigKind<Schema extends z.ZodObject, Config> {
  readonly schema: Schema
  /** The rules that join options. Adds to `findings`.
   *  @param options what is right of the file, one by one
   *  @param given the file itself: what it says and what it leaves to defaults
   *  @returns what makes the config, called only if nothing is wrong */
  readonly check: (
    options: Partly<z.output<Schema>>,
    given: unknown,
    findings: Findings,
    environment: ConfigEnvironment,
  ) => () => Config
  /** Maps a path of the options to a path in the file. */
  readonly placeOf?: (path: Path, given: unknown) => Path
}

/** Parses, puts in what references refer to, reads each option, then checks them together. Never throws. */
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
  const make = isObject(value) ? check(options, given, findings, environment) : undefined
  const found = findings.problems.map(([path, problem]) => [placeOf(path, given), problem] as const)
  const whole = found.filter(([path]) => path.length === 0)
  return {
    config: found.length > 0 ? undefined : make?.(),
    // what is said of the whole file explains the rest
    problems: inLines(
      (whole.length > 0 ? whole : found).map((one) => ({ line: parsed.lineOf(one[0]), text: findingText(one) })),
    ),
    code: isObject(value) ? 'config.option' : 'config.malformed',
    warnings: findings.warnings,
    secrets: [...new Set([...secrets, ...secrets.map(pemText), ...secretsIn(value, references.secretNames)])],
  }
}

/** Problems by line, each once. */
function inLines(problems: readonly Problem[]): string[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return [...new Set(sorted.map(({ line, text }) => (line === undefined ? text : `line ${line}: ${text}`)))]
}

/** One message for all problems of a file. @param command that has an example */
export function configError(
  command: string,
  file: string,
  { problems, code }: Pick<Reading<unknown>, 'problems' | 'code'>,
): ConnectorError {
  const list = problems.map((problem) => `\n  ${problem}`).join('')
  return new ConnectorError(
    'config',
    code,
    `The configuration ${JSON.stringify(file)} cannot be used (${command} --example shows one that can):${list}`,
  )
}
