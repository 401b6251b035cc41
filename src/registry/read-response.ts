// Reads the bodies of a schema registry's answers: a schema, or an error. Only the members that are needed are looked at.

import { z } from 'zod'

/** A rule for the values of a schema: what a writer or a reader does with them (Confluent's data contracts). */
const rule = z.looseObject({
  type: z.string(),
  mode: z.string().nullish(),
  disabled: z.boolean().nullish(),
})
const ruleList = z.array(rule).nullish().catch(null) // rules in another form are passed over

const reference = z.looseObject({ name: z.string(), subject: z.string(), version: z.int() })
export type GivenReference = z.output<typeof reference>

const schemaAnswer = z.looseObject({
  schema: z.string(),
  /** AVRO when absent. */
  schemaType: z.string().nullish(),
  references: z.array(reference).nullish(),
  ruleSet: z.looseObject({ domainRules: ruleList, encodingRules: ruleList }).nullish().catch(null),
})

/** A schema as an answer has it, without those that it refers to. Its type may be any. */
export interface GivenSchema {
  readonly type: string
  readonly text: string
  readonly references: readonly GivenReference[]
  /** Types of the rules that a reader would have to apply, such as ENCRYPT; each type once. */
  readonly rules: readonly string[]
}

/** Reads the body of an answer that should hold a schema. `undefined` when it holds none. */
export function readSchema(body: string): GivenSchema | undefined {
  const read = schemaAnswer.safeParse(tryParse(body))
  if (!read.success) return undefined
  const { schema, schemaType, references, ruleSet } = read.data
  return {
    type: schemaType ?? 'AVRO',
    text: schema,
    references: references ?? [],
    rules: ruleTypes([...(ruleSet?.domainRules ?? []), ...(ruleSet?.encodingRules ?? [])]),
  }
}

/** A registry's code in the body of a 4xx: 40403 and the like. `undefined` when it has none but the status, or something else answered. */
export function errorCode(body: string): number | undefined {
  const value = tryParse(body)
  if (typeof value !== 'object' || value === null || !('error_code' in value)) return undefined
  const { error_code: code } = value
  return typeof code === 'number' && code >= 10_000 ? code : undefined
}

/** Says what a body is that should have held a schema, in words for a message that quote nothing of it. */
export function describeSchemaBody(body: string): string {
  const text = body.trim()
  if (text === '') return 'an empty body'
  if (/^<(!doctype html|html|head|body)\b/i.test(text)) return 'an HTML page'
  return tryParse(text) === undefined ? 'a body that is not JSON' : 'JSON that is not a schema'
}

function ruleTypes(rules: readonly z.output<typeof rule>[]): string[] {
  const toApply = rules.filter(({ mode, disabled }) => disabled !== true && (mode === 'READ' || mode === 'WRITEREAD'))
  return [...new Set(toApply.map(({ type }) => type))]
}

function tryParse(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
