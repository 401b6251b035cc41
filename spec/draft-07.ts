// Whether a value fits a JSON Schema, as far as our own schemas go (draft 07). Throws at a keyword it does not know, so that
// none is passed over.

type Schema = boolean | Readonly<Record<string, unknown>>
type Check = (wanted: never, value: unknown, schema: Readonly<Record<string, unknown>>, root: Schema) => boolean

const SAID = new Set(['$schema', 'format', 'title', 'description', 'default', 'examples', 'definitions'])

/** @param root where references begin */
export function fits(value: unknown, schema: Schema, root: Schema = schema): boolean {
  if (typeof schema === 'boolean') return schema
  return Object.entries(schema).every(([keyword, wanted]) => {
    if (SAID.has(keyword)) return true
    const check = CHECKS[keyword]
    if (check === undefined) throw new Error(`the schema says ${keyword}, which is not known here`)
    return check(wanted as never, value, schema, root)
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: isText,
  number: isNumber,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const CHECKS: Readonly<Record<string, Check>> = {
  type: (types: string | string[], value) => [types].flat().some((type) => TYPES[type]!(value)),
  const: (wanted: unknown, value) => equal(wanted, value),
  enum: (wanted: unknown[], value) => wanted.some((one) => equal(one, value)),
  pattern: (pattern: string, value) => !isText(value) || new RegExp(pattern, 'u').test(value),
  minLength: (least: number, value) => !isText(value) || Array.from(value).length >= least,
  maxLength: (most: number, value) => !isText(value) || Array.from(value).length <= most,
  minimum: (least: number, value) => !isNumber(value) || value >= least,
  maximum: (most: number, value) => !isNumber(value) || value <= most,
  exclusiveMinimum: (least: number, value) => !isNumber(value) || value > least,
  minItems: (least: number, value) => !Array.isArray(value) || value.length >= least,
  maxItems: (most: number, value) => !Array.isArray(value) || value.length <= most,
  uniqueItems: (wanted: boolean, value) =>
    !wanted || !Array.isArray(value) || new Set(value.map((one) => JSON.stringify(one))).size === value.length,
  items: (schema: Schema, value, _, root) => !Array.isArray(value) || value.every((one) => fits(one, schema, root)),
  required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  properties: (members: Record<string, Schema>, value, _, root) =>
    !isObject(value) ||
    Object.entries(members).every(([name, schema]) => !Object.hasOwn(value, name) || fits(value[name], schema, root)),
  additionalProperties: (others: Schema, value, { properties = {} }, root) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, member]) => Object.hasOwn(properties as object, name) || fits(member, others, root),
    ),
  anyOf: (schemas: Schema[], value, _, root) => schemas.some((schema) => fits(value, schema, root)),
  oneOf: (schemas: Schema[], value, _, root) => schemas.filter((schema) => fits(value, schema, root)).length === 1,
  allOf: (schemas: Schema[], value, _, root) => schemas.every((schema) => fits(value, schema, root)),
  $ref: (pointer: string, value, _, root) =>
    fits(
      value,
      pointer
        .slice(2)
        .split('/')
        .reduce<Schema>((node, name) => (node as Record<string, Schema>)[name]!, root),
      root,
    ),
}
