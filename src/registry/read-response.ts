// What the bodies of a registry hold, as far as it is needed. Other members are not looked at.

import { z } from 'zod'

const rule = z.looseObject({
  type: z.string(),
  mode: z.string().nullish(),
  disabled: z.boolean().nullish(),
})
const rules = z.array(rule).nullish().catch(null)

const reference = z.looseObject({ name: z.string(), subject: z.string(), version: z.int() })
export type GivenReference = z.output<typeof reference>

const answer = z.looseObject({
  schema: z.string(),
  /** AVRO when absent. */
  schemaType: z.string().nullish(),
  references: z.array(reference).nullish(),
  ruleSet: z.looseObject({ domainRules: rules, encodingRules: rules }).nullish().catch(null),
})

export interface GivenSchema {
  readonly type: string
  readonly text: string
  readonly references: readonly GivenReference[]
  /** Types of the rules a reader would have to apply, such as ENCRYPT; each once. */
  readonly rules: readonly string[]
}

/** Reads the answer that holds a schema. `undefined` when the body is none. */
export function readSchema(body: string): GivenSchema | undefined {
  const read = answer.safeParse(parsed(body))
  if (!read.success) return undefined
  const { schema, schemaType, references, ruleSet } = read.data
  return {
    type: schemaType ?? 'AVRO',
    text: schema,
    references: references ?? [],
    rules: ruleTypes([...(ruleSet?.domainRules ?? []), ...(ruleSet?.encodingRules ?? [])]),
  }
}

/** The code a registry says beside a 4xx: 40403 and the like. `undefined` when no registry speaks there, or it says
 *  nothing of its own. */
export function errorCode(body: string): number | undefined {
  const value = parsed(body)
  if (typeof value !== 'object' || value === null || !('error_code' in value)) return undefined
  const { error_code: code } = value
  return typeof code === 'number' && code >= 10_000 ? code : undefined
}

/** What a body is that should have been a schema; quotes nothing of it. */
export function describeSchemaBody(body: string): string {
  const text = body.trim()
  if (text === '') return 'an empty body'
  if (/^<(!doctype html|html|head|body)\b/i.test(text)) return 'an HTML page'
  return parsed(text) === undefined ? 'a body that is not JSON' : 'JSON that is not a schema'
}

function ruleTypes(rules: readonly z.output<typeof rule>[]): string[] {
  const reading = rules.filter(({ mode, disabled }) => disabled !== true && (mode === 'READ' || mode === 'WRITEREAD'))
  return [...new Set(reading.map(({ type }) => type))]
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
