// The text of a config file of `onboard` → a config that can't be wrong, or everything that is wrong with it, at once, with
// lines. Knows the rules that join two options. Never quotes a value.

import type { z } from 'zod'

import { readAddress } from './address.ts'
import { nearestName } from './nearest-name.ts'
import type { OnboardConfig } from './onboard-config.ts'
import { onboardConfigOf } from './onboard-config-of.ts'
import { onboardOptions } from './onboard-options.ts'
import type { Surroundings } from './onboard-references.ts'
import { resolveReferences } from './onboard-references.ts'
import { parseYaml } from './parse-yaml.ts'
import type { Problem } from './parse-yaml.ts'
import { certificateProblem, isPair, keyProblem, pemText } from './pem.ts'

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
  const { value, problems, secrets } = await resolveReferences(parsed.value, surroundings)
  const found = new Map<string, string>(problems)
  const read = onboardOptions.safeParse(value)
  // the rules hold for what is there, whatever else is missing
  for (const [option, problem] of [...(read.success ? [] : issuesIn(read.error)), ...rules(value)]) {
    if (!found.has(option)) found.set(option, problem)
  }
  if (found.size > 0 || !read.success) {
    const lines = Array.from(found, ([option, problem]) => ({
      line: parsed.lineOf(option.split('.')),
      text:
        option === ''
          ? `the file ${problem.replace(/^is required$/, 'holds nothing')}`
          : `\`${shown(option)}\` ${problem}`,
    }))
    return { config: undefined, problems: worded(lines), secrets }
  }
  const pems = read.data.client_key === undefined ? [] : [pemText(read.data.client_key)]
  return { config: onboardConfigOf(read.data), problems: [], secrets: [...secrets, ...pems] }
}

type Found = readonly (readonly [option: string, problem: string])[]

function issuesIn({ issues }: z.ZodError): Found {
  return issues.flatMap((issue): Found => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [[path.join('.'), issue.message]]
    return issue.keys.map((name) => [[...path, name].join('.'), `is unknown${suggestion(name, path)}`])
  })
}

function suggestion(name: string, path: readonly string[]): string {
  const near = nearestName(name, namesAt(path))
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

/** What one option says about another, and what a schema can't say. `given`: may hold anything. */
function rules(given: unknown): Found {
  const http = memberOf(given, 'allow_insecure_http') === true
  const referer = textOf(memberOf(given, 'connection_test'), 'referer')
  return [
    ...['base_url', 'dashboard_url'].flatMap((option): Found => {
      const text = textOf(given, option)
      if (text === undefined) return []
      const read = readAddress(text, http, { secret: 'the password', option: 'login' })
      return 'problem' in read ? [[option, read.problem]] : []
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

function refererProblems(template: string): Found {
  const option = 'connection_test.referer'
  const unknown = (template.match(/\{[^}]*\}?/g) ?? []).filter((place) => !PLACES.has(place))
  if (unknown.length > 0) return [[option, `may hold ${[...PLACES].join(', ')} only in braces`]]
  if (!/^(\{dashboard_url\}|https?:\/\/)[!-~]*$/.test(template)) {
    return [[option, 'must be an address that begins with {dashboard_url} or https://, without spaces']]
  }
  return []
}

function certificateProblems(given: unknown): Found {
  const [ca, certificate, key] = ['ca_certificate', 'client_certificate', 'client_key'].map((option) =>
    textOf(given, option),
  )
  const found: [string, string][] = []
  const note = (option: string, problem: string | undefined): void => {
    if (problem !== undefined) found.push([option, problem])
  }
  note('ca_certificate', ca === undefined ? undefined : certificateProblem(pemText(ca)))
  note('client_certificate', certificate === undefined ? undefined : certificateProblem(pemText(certificate)))
  note('client_key', key === undefined ? undefined : keyProblem(pemText(key)))
  if (found.length > 0) return found
  if (certificate !== undefined && key === undefined) note('client_key', 'is required with `client_certificate`')
  if (certificate === undefined && key !== undefined) note('client_certificate', 'is required with `client_key`')
  if (certificate !== undefined && key !== undefined && !isPair(pemText(certificate), pemText(key))) {
    note('client_key', 'does not belong to `client_certificate`')
  }
  return found
}

function worded(problems: readonly Problem[]): string[] {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return [...new Set(sorted.map(({ line, text }) => (line === undefined ? text : `line ${line}: ${text}`)))]
}

function shown(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const text = name.replace(/[\u0000-\u001f\u007f-\u009f`\u2028\u2029]/g, '?')
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text.toWellFormed()
}
