// What is generated from the options: the connector specification for forms, and JSON Schemas for editors, which say how a file may
// write an option, as reference or in a short form, too.

import { z } from 'zod'

import { writeFileOptions } from '../src/config/older-names.ts'
import { onboardOptions } from '../src/config/onboard/onboard-options.ts'
import { streamFileOptions } from '../src/config/stream/stream-options.ts'
import { KEY_ITEM, keyOption } from '../src/config/write/table-options.ts'
import { GROUPS, writeOptions } from '../src/config/write/write-options.ts'
import { pageAt } from './published.ts'

type Node = z.core.JSONSchema.BaseSchema

const VARIABLE = { $ref: '#/definitions/variable' }
const FILE = { $ref: '#/definitions/file' }
const NULL: Node = { type: 'null' }
const SHOWN = new Set(['title', 'description', 'default', 'examples'])
/** What the options say of themselves to others than editors. */
const OWN = new Set([
  'also',
  'airbyte_secret',
  'multiline',
  'pattern_descriptor',
  'group',
  'order',
  'always_show',
  'airbyte_hidden',
  'display_type',
])

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

/** As a file has it: with the examples and defaults of options that are changed when they are read. A member of the `keys` of a
 *  stream is shown as a text, for forms, though a list of names or an object is read too.
 *  @param form that it is for, if it is for one; with a `homepage`, its descriptions end in links to the docs */
export function jsonSchema(schema: z.ZodType, form?: { readonly homepage?: string | undefined }): Node {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === 'default') jsonSchema.default = def.defaultValue
      const examples = z.globalRegistry.get(zodSchema)?.['examples'] as unknown[] | undefined
      if (examples !== undefined) jsonSchema.examples = examples
      const { page } = jsonSchema
      // of `--example` and of links alone
      for (const name of ['example', 'shown', 'page']) delete jsonSchema[name]
      if (form === undefined) return
      if (form.homepage !== undefined && typeof page === 'string')
        jsonSchema.description += ` <a href="${pageAt(form.homepage, `docs/${page}`)}">More about it</a>.`
      // forms know a choice of groups by it
      if (jsonSchema.oneOf !== undefined) jsonSchema.type = 'object'
      if ((zodSchema as unknown) !== keyOption) return
      delete jsonSchema.anyOf
      Object.assign(jsonSchema, KEY_ITEM)
    },
  })
}

/** Without what is for others than editors. */
function forEditors(node: Node): Node {
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
  return node.anyOf === undefined ? withParts(node, asWritten) : { ...node, anyOf: node.anyOf.map(forEditors) }
}

/** With other members, entries or kinds, and none that is not named. */
function withParts(node: Node, changed: (part: Node) => Node): Node {
  if (node.type === 'array') return { ...node, items: changed(node.items as Node) }
  if (node.oneOf !== undefined) return { ...node, oneOf: node.oneOf.map((one) => withParts(forEditors(one), changed)) }
  if (node.properties === undefined && typeof node.additionalProperties === 'object')
    return { ...node, additionalProperties: changed(node.additionalProperties) }
  if (node.properties === undefined) return node
  const parts = Object.entries(node.properties).map(([name, part]) => [name, changed(part as Node)])
  return { ...node, properties: Object.fromEntries(parts) as Record<string, Node>, additionalProperties: false }
}

function isNullable(type: Node['type']): boolean {
  return Array.isArray(type) && (type as string[]).includes('null')
}

/** A text without bounds is one anyway; groups and lists are none. */
function takesVariable({ type, anyOf, oneOf, enum: names, const: only, pattern, minLength }: Node): boolean {
  if (oneOf !== undefined || type === 'object' || type === 'array' || isNullable(type)) return false
  if (anyOf !== undefined) return anyOf.every((one) => isNoText(one))
  const isText = type === 'string' && names === undefined && only === undefined
  return !isText || pattern !== undefined || minLength !== undefined
}

function isNoText({ type, pattern }: Node): boolean {
  return type !== 'string' || pattern !== undefined
}

/** A schema that takes `$schema`, by which editors find it. */
function withSchemaName(schema: Node): Node {
  const own: Node = { description: 'Where editors find this schema.', type: 'string' }
  return { ...schema, properties: { $schema: own, ...schema.properties } }
}

/** Draft 07. Says less than `stream` checks: no rule joins two options. */
export function streamFileSchema(): Node {
  return withSchemaName(fileSchema(streamFileOptions, 'A config for stream'))
}

/** Draft 07. Says less than `onboard` checks: no rule joins two options. */
export function onboardFileSchema(): Node {
  return withSchemaName(fileSchema(onboardOptions, 'A config for onboard'))
}

/** What the loader reads as a number too. */
const DIGITS: Node = { type: 'string', pattern: String.raw`^\s*\d+\s*$` }

/** Draft 07. Says less than `write` checks; an unknown name, which `write` warns of, is an error. */
export function writeFileSchema(): Node {
  const { $schema, ...schema } = strict(jsonSchema(writeFileOptions))
  const { client_id: clientId, ...options } = schema.properties!
  const { title, description, examples, ...number } = clientId as Node
  return withSchemaName({
    $schema: $schema!,
    title: 'A config for write, check and plan',
    ...schema,
    properties: {
      import_url: options['import_url']!,
      client_id: { title: title!, description: description!, examples: examples!, anyOf: [number, DIGITS] },
      ...options,
    },
    anyOf: [
      { properties: { use_sandbox: { const: false } }, required: ['import_url'] },
      { properties: { sandbox: { properties: { mode: { const: 'on' } } } }, required: ['sandbox'] },
      { properties: { use_sandbox: { const: true } }, required: ['use_sandbox', 'sandbox_import_url'] },
    ],
  })
}

function strict(node: Node): Node {
  return withParts(forEditors(node), strict)
}

/** The options of `write` as forms understand them. */
export function formSchema(homepage?: string): Node {
  return jsonSchema(writeOptions, { homepage })
}

/** The ConnectorSpecification object, as it stands in a SPEC message.
 *  @param homepage of the publisher: where the repository is; undefined: nowhere yet */
export function specDocument(homepage: string | undefined): Record<string, unknown> {
  const { $schema, ...schema } = formSchema(homepage)
  return {
    ...(homepage !== undefined && { documentationUrl: pageAt(homepage, 'docs/airbyte.md') }),
    supported_destination_sync_modes: ['append_dedup', 'append'],
    supportsIncremental: true,
    protocol_version: '0.19.0',
    connectionSpecification: {
      $schema,
      title: 'Analytics Service destination',
      ...schema,
      // A member it does not know is a warning, no error.
      additionalProperties: true,
      groups: GROUPS,
    },
  }
}
