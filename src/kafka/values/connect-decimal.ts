// Decimals as Kafka Connect writes them: where a schema says they are, and their exact texts, not rounded and without exponents.

import { DEEPEST } from '../../json/record-data.ts'
import { isObject } from '../../json/is-object.ts'
import { decimalText, pointed } from '../../registry/json-number.ts'

/** Sign, digits before the point and behind it, exponent. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** The largest scale (digits behind the point) that databases allow. With a larger one few bytes would become many digits. */
const LARGEST_SCALE = 16_383
/** Most characters of a decimal in base64: about 145,000 digits. As a number it may have twice as many characters. */
const MOST_BASE64 = 80_000

/** The text of a decimal that is written with `decimal.format=BASE64`.
 *  @param base64 the unscaled value: two's complement, most significant byte first
 *  @param scale digits behind the point; if negative, zeros to append; `undefined` when the schema says none
 *  @returns `undefined` when it is not a decimal, or larger than any database allows */
export function decimalOfBase64(base64: string, scale: number | undefined): string | undefined {
  if (base64.length === 0 || base64.length > MOST_BASE64 || !BASE64.test(base64)) return undefined
  if (!isScale(scale)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const noLimit = bytes.length
  return decimalText(bytes, 0, bytes.length, scale, noLimit)
}

/** The same for a decimal that is written as a JSON number, with `decimal.format=NUMERIC`. */
export function decimalOfNumber(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = (text.length <= 2 * MOST_BASE64 && NUMBER.exec(text)) || []
  if (sign === undefined || whole === undefined) return undefined
  if (!isScale(Number(exponent))) return undefined
  const scale = fraction.length - Number(exponent)
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  // zero has no sign; `pointed` puts the point before the last `scale` digits
  return (digits === '0' ? '' : sign) + pointed(digits, scale)
}

function isScale(scale: number | undefined): scale is number {
  return scale !== undefined && Number.isInteger(scale) && Math.abs(scale) <= LARGEST_SCALE
}

/** The places in a schema's values that hold decimals; parts with none are left out. decimal: the value is one; its scale is `undefined` when
 *  the schema does not say it. variable: the value is an object of `scale` and `value`. struct, array, map: some are within; a map is an
 *  object, or an array of pairs if its keys are not strings. */
export type Decimals =
  | { readonly kind: 'decimal'; readonly scale: number | undefined }
  | { readonly kind: 'variable' }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, Decimals> }
  | { readonly kind: 'array'; readonly items: Decimals }
  | { readonly kind: 'map'; readonly keys: Decimals | undefined; readonly values: Decimals | undefined }

const DECIMAL = 'org.apache.kafka.connect.data.Decimal'
const VARIABLE_SCALE = 'io.debezium.data.VariableScaleDecimal'

/** Finds the decimals of a schema, which is a JSON text of Connect's. `undefined` when its values hold none. */
export function decimalsIn(schema: string): Decimals | undefined {
  return decimalsOf(JSON.parse(schema), 0)
}

function decimalsOf(schema: unknown, depth: number): Decimals | undefined {
  // rows nested deeper than this are not stored
  if (!isObject(schema) || depth > DEEPEST) return undefined
  if (schema['name'] === DECIMAL) return { kind: 'decimal', scale: scaleOf(schema['parameters']) }
  if (schema['name'] === VARIABLE_SCALE) return { kind: 'variable' }
  if (schema['type'] === 'struct') return decimalsOfStruct(schema['fields'], depth)
  if (schema['type'] === 'array') {
    const items = decimalsOf(schema['items'], depth + 1)
    return items && { kind: 'array', items }
  }
  if (schema['type'] !== 'map') return undefined
  const keys = decimalsOf(schema['keys'], depth + 1)
  const values = decimalsOf(schema['values'], depth + 1)
  return keys || values ? { kind: 'map', keys, values } : undefined
}

function decimalsOfStruct(fields: unknown, depth: number): Decimals | undefined {
  if (!Array.isArray(fields)) return undefined
  const found = new Map<string, Decimals>()
  for (const field of fields as unknown[]) {
    const decimals = decimalsOf(field, depth + 1)
    if (decimals && isObject(field) && typeof field['field'] === 'string') found.set(field['field'], decimals)
  }
  return found.size > 0 ? { kind: 'struct', fields: found } : undefined
}

/** The scale of a decimal's schema. `undefined` when it is missing or no number: then values in base64 cannot be read. */
function scaleOf(parameters: unknown): number | undefined {
  const scale = isObject(parameters) ? parameters['scale'] : undefined
  return typeof scale === 'string' && /^-?\d{1,6}$/.test(scale) ? Number(scale) : undefined
}
