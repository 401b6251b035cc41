// The options of a file as a JSON Schema, for editors: what an option says of itself, and how a file may write it, as
// reference or in a short form. Knows no option.

import { z } from 'zod'

export type Node = z.core.JSONSchema.BaseSchema

const VARIABLE = { $ref: '#/definitions/variable' }
const FILE = { $ref: '#/definitions/file' }
const NULL: Node = { type: 'null' }
const SHOWN = new Set(['title', 'description', 'default', 'examples'])
/** What the options say of themselves to others than editors. */
const OWN = new Set(['also', 'airbyte_secret', 'multiline', 'pattern_descriptor', 'group', 'order'])

/** Draft 07. Says less than the loader checks: no rule joins two options.
 *  @param schema whose metadata says `also` (another form, as JSON Schema), `airbyte_secret`, `multiline` (may be a file) */
export function fileSchema(schema: z.ZodType, title: string): Node {
  const { $schema, ...node } = jsonSchema(schema)
  return {
    $schema: $schema!,
    title,
    ...asWritten(node),
    definitions: {
      variable: {
        description: 'A variable of the environment.',
        type: 'string',
        pattern: String.raw`^\s*\$\{[A-Za-z_][A-Za-z0-9_]*\}\s*$`,
      },
      file: {
        description: 'The content of a file.',
        type: 'object',
        properties: { file: { type: 'string' } },
        required: ['file'],
        additionalProperties: false,
      },
    },
  }
}

/** As a file has it, of options that may be changed before they are read: their defaults too. */
export function jsonSchema(schema: z.ZodType): Node {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === 'default') jsonSchema.default = def.defaultValue
    },
  })
}

/** Without what is for others than editors. */
export function forEditors(node: Node): Node {
  return members(node, (name) => !OWN.has(name))
}

function asWritten(node: Node): Node {
  const { also, airbyte_secret: secret, multiline } = node
  const shown = members(node, (name) => SHOWN.has(name))
  const value = members(node, (name) => !SHOWN.has(name) && !OWN.has(name))
  if (secret === true) return { ...shown, anyOf: [VARIABLE, FILE, ...(isNullable(value.type) ? [NULL] : [])] }
  const inner = withInner(value)
  const others = [
    ...(also === undefined ? [] : [also as Node]),
    ...(takesVariable(inner) ? [VARIABLE] : []),
    ...(multiline === true ? [FILE] : []),
  ]
  return others.length === 0 ? { ...shown, ...inner } : { ...shown, anyOf: [inner, ...others] }
}

function members(node: Node, isWanted: (name: string) => boolean): Node {
  return Object.fromEntries(Object.entries(node).filter(([name]) => isWanted(name)))
}

function withInner(node: Node): Node {
  if (node.type === 'object') {
    const options = Object.entries(node.properties ?? {}).map(([name, option]) => [name, asWritten(option as Node)])
    return { ...node, properties: Object.fromEntries(options) as Record<string, Node> }
  }
  if (node.type === 'array') return { ...node, items: asWritten(node.items as Node) }
  return node.anyOf === undefined ? node : { ...node, anyOf: node.anyOf.map((one) => forEditors(one)) }
}

function isNullable(type: Node['type']): boolean {
  return Array.isArray(type) && (type as string[]).includes('null')
}

/** A text without bounds is one anyway; groups and lists are none. */
function takesVariable({ type, anyOf, enum: names, const: only, pattern, minLength }: Node): boolean {
  if (type === 'object' || type === 'array' || isNullable(type)) return false
  if (anyOf !== undefined) return anyOf.every((one) => isNoText(one))
  const isText = type === 'string' && names === undefined && only === undefined
  return !isText || pattern !== undefined || minLength !== undefined
}

function isNoText({ type, pattern }: Node): boolean {
  return type !== 'string' || pattern !== undefined
}
