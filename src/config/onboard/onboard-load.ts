// The text of a config file of `onboard` → a config that cannot be wrong, or everything that is wrong with it, at once, with
// lines. Knows the rules that join two options. Never quotes a value.

import type { z } from 'zod'

import { readAddress } from '../address.ts'
import type { Found, Path } from '../findings.ts'
import { Findings, pathText } from '../findings.ts'
import { MOST_SUGGESTIONS, nearestName } from '../../text/nearest-name.ts'
import type { OnboardConfig } from './onboard-config.ts'
import { onboardConfigOf } from './onboard-config-of.ts'
import { FILE_OPTIONS, onboardOptions, SECRET_OPTIONS } from './onboard-options.ts'
import { parseYaml } from '../parse-yaml.ts'
import { pemText } from '../pem.ts'
import type { References, Surroundings } from '../references.ts'
import { resolveReferences } from '../references.ts'
import { withoutSchemaName } from '../schema-name.ts'
import { tlsProblems } from '../tls-problems.ts'
import { worded } from '../worded.ts'

export interface OnboardReading {
  /** Only if there are no problems. */
  readonly config: OnboardConfig | undefined
  /** Each a sentence without its end, by line. */
  readonly problems: readonly string[]
  /** Every secret, whatever else is wrong, for the scrubber. */
  readonly secrets: readonly string[]
}

/** Never throws. */
export async function readOnboardConfig(text: string, surroundings: Surroundings): Promise<OnboardReading> {
  const parsed = parseYaml(text)
  if (parsed.problems.length > 0) return { config: undefined, problems: worded(parsed.problems), secrets: [] }
  const { value, problems, secrets } = await resolveReferences(
    withoutSchemaName(parsed.value),
    REFERENCES,
    surroundings,
  )
  const findings = new Findings()
  for (const [path, problem] of problems) findings.add(path, problem)
  const read = onboardOptions.safeParse(value)
  // the rules hold for what is there, whatever else is missing
  for (const [path, problem] of [...(read.success ? [] : issuesIn(read.error)), ...rules(value)]) {
    findings.add(path, problem)
  }
  if (findings.problems.length > 0 || !read.success) {
    const lines = findings.problems.map(([path, problem]) => ({
      line: parsed.lineOf(path),
      text: sentence(path, problem),
    }))
    return { config: undefined, problems: worded(lines), secrets }
  }
  const pems = read.data.client_key === undefined ? [] : [pemText(read.data.client_key)]
  return { config: onboardConfigOf(read.data), problems: [], secrets: [...secrets, ...pems] }
}

const REFERENCES: References = {
  isSecret: (path) => SECRET_OPTIONS.has(path.join('.')),
  isFile: (path) => FILE_OPTIONS.has(path.join('.')),
}

function sentence(path: Path, problem: string): string {
  if (path.length === 0) return `the file ${problem.replace(/^is required$/, 'holds nothing')}`
  // what YAML makes of null as a name
  return path.at(-1) === '' ? `a name that is empty ${problem}` : `\`${pathText(path)}\` ${problem}`
}

function issuesIn({ issues }: z.ZodError): Found[] {
  return issues.flatMap((issue): Found[] => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [[path, issue.message]]
    const names = namesAt(path)
    return issue.keys.map((name, at) => [
      [...path, name],
      `is unknown${at < MOST_SUGGESTIONS ? suggestion(name, names) : ''}`,
    ])
  })
}

function suggestion(name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  return near === undefined ? '' : `; did you mean \`${near}\`?`
}

/** The members of the group at a path. */
function namesAt(path: readonly string[]): string[] {
  const group = path.reduce<Schema | undefined>((schema, step) => shapeOf(schema)[step], onboardOptions)
  return Object.keys(shapeOf(group))
}

type Schema = z.core.$ZodType

function shapeOf(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  const def = (schema?._zod.def ?? {}) as { innerType?: Schema; shape?: Readonly<Record<string, Schema>> }
  return def.innerType === undefined ? (def.shape ?? {}) : shapeOf(def.innerType)
}

/** What one option says about another, and what a schema cannot say. `given`: may hold anything. */
function rules(given: unknown): Found[] {
  const http = [true, 'true'].includes(memberOf(given, 'allow_insecure_http') as string)
  const referer = textOf(memberOf(given, 'connection_test'), 'referer')
  return [
    ...['base_url', 'dashboard_url'].flatMap((option): Found[] => {
      const text = textOf(given, option)
      if (text === undefined) return []
      const read = readAddress(text, http, {
        secret: 'the password',
        option: 'login',
        allow: 'allow_insecure_http',
      })
      return 'problem' in read ? [[[option], read.problem]] : []
    }),
    ...(referer === undefined ? [] : refererProblems(referer)),
    ...certificateProblems(given),
  ]
}

function memberOf(given: unknown, name: string): unknown {
  const isGroup = typeof given === 'object' && given !== null && Object.hasOwn(given, name)
  return isGroup ? (given as Readonly<Record<string, unknown>>)[name] : undefined
}

function textOf(given: unknown, name: string): string | undefined {
  const value = memberOf(given, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const PLACES: ReadonlySet<string> = new Set(['{dashboard_url}', '{client_id}', '{connection_id}'])

function refererProblems(template: string): Found[] {
  const option = ['connection_test', 'referer']
  const unknown = (template.match(/\{[^}]*\}?/g) ?? []).filter((place) => !PLACES.has(place))
  if (unknown.length > 0) return [[option, `may hold ${[...PLACES].join(', ')} only in braces`]]
  if (!/^(\{dashboard_url\}|https?:\/\/)[!-~]*$/.test(template)) {
    return [[option, 'must be an address that begins with {dashboard_url} or https://, without spaces']]
  }
  return []
}

function certificateProblems(given: unknown): Found[] {
  const problems = tlsProblems({
    ca_certificate: textOf(given, 'ca_certificate'),
    client_certificate: textOf(given, 'client_certificate'),
    client_key: textOf(given, 'client_key'),
  })
  return problems.map(([option, problem]) => [[option], problem])
}
