// What of a Kafka Connect schema matters to us: where decimals are in a value of it. Knows no value.

import { DEEPEST } from '../../json/record-data.ts'

/** Where decimals are. */
export type Decimals =
  | { readonly kind: 'decimal'; readonly scale: number }
  /** A struct of scale and value. */
  | { readonly kind: 'variable' }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, Decimals> }
  | { readonly kind: 'array'; readonly items: Decimals }
  /** An object, or, with keys that are no text, an array of pairs. */
  | { readonly kind: 'map'; readonly keys: Decimals | undefined; readonly values: Decimals | undefined }

const DECIMAL = 'org.apache.kafka.connect.data.Decimal'
const VARIABLE_SCALE = 'io.debezium.data.VariableScaleDecimal'
/** @param schema the JSON text of one
 *  @returns undefined: values of it have no decimals */
export function decimalsIn(schema: string): Decimals | undefined {
  return decimalsOf(JSON.parse(schema), 0)
}

function decimalsOf(schema: unknown, depth: number): Decimals | undefined {
  // data of more levels is not stored
  if (!isObject(schema) || depth > DEEPEST) return undefined
  if (schema['name'] === DECIMAL) return { kind: 'decimal', scale: scaleOf(schema['parameters']) }
  if (schema['name'] === VARIABLE_SCALE) return { kind: 'variable' }
  if (schema['type'] === 'struct') return ofStruct(schema['fields'], depth)
  if (schema['type'] === 'array') {
    const items = decimalsOf(schema['items'], depth + 1)
    return items && { kind: 'array', items }
  }
  if (schema['type'] !== 'map') return undefined
  const keys = decimalsOf(schema['keys'], depth + 1)
  const values = decimalsOf(schema['values'], depth + 1)
  return keys || values ? { kind: 'map', keys, values } : undefined
}

function ofStruct(fields: unknown, depth: number): Decimals | undefined {
  if (!Array.isArray(fields)) return undefined
  const found = new Map<string, Decimals>()
  for (const field of fields as unknown[]) {
    const decimals = decimalsOf(field, depth + 1)
    if (decimals && isObject(field) && typeof field['field'] === 'string') found.set(field['field'], decimals)
  }
  return found.size > 0 ? { kind: 'struct', fields: found } : undefined
}

/** NaN: there is none, and no value of the schema can be read. */
function scaleOf(parameters: unknown): number {
  const scale = isObject(parameters) ? parameters['scale'] : undefined
  return typeof scale === 'string' && /^-?\d{1,6}$/.test(scale) ? Number(scale) : Number.NaN
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
