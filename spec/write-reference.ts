// The tables of the options of `write` in docs/configuration.md, from the same schema the connector reads.

import { formSchema, jsonSchema } from './file-schema.ts'
import { OLDER, writeFileOptions } from '../src/config/older-names.ts'
import { GROUPS } from '../src/config/write/write-options.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

interface Property {
  readonly type: string
  readonly title: string
  readonly description: string
  readonly group: string
  readonly default?: string | number | boolean | readonly string[] | Readonly<Record<string, string>>
  readonly items?: { readonly properties?: Record<string, Property> }
  readonly properties?: Record<string, Property>
  readonly const?: string
  readonly isRequired?: boolean
  readonly oneOf?: readonly { readonly properties: Record<string, Property>; readonly required: readonly string[] }[]
  readonly airbyte_secret?: boolean
}

const MARKS = marksOf('options of write')

function options(): string {
  const schema = formSchema()
  const properties = Object.entries(schema.properties as unknown as Record<string, Property>)
  const required = new Set(schema.required)
  const tables = GROUPS.map(({ id, title }) => {
    const rows = properties.filter(([, { group }]) => group === id).flatMap(withItems)
    return `### ${title}\n\n${table(rows, required)}`
  })
  return [...tables, olderNames()].join('\n\n')
}

function table(rows: readonly (readonly [string, Property])[], required: ReadonlySet<string>): string {
  const cells = rows.map(([name, of]) => [`\`${name}\``, valueOf(name, of, required), of.description])
  return markdownTable(['option', 'default', 'what it is'], cells)
}

function olderNames(): string {
  const properties = jsonSchema(writeFileOptions).properties as unknown as Record<string, Property>
  const rows = Object.values(OLDER).flatMap((shape) =>
    Object.keys(shape).map((name) => [name, properties[name]!] as const),
  )
  const words =
    'Configs may still use these instead of `sandbox` and `rejected_records`, but not both ways at once. The form no longer shows them.'
  return `### Older names\n\n${words}\n\n${table(rows, new Set())}`
}

/** docs/configuration.md with these tables renewed. */
export function renewedWriteOptions(page: string): string {
  return renewedBetween(page, MARKS, options())
}

/** An option, the members of each of its entries if it is a list of objects, its own if it is one, and those of each object of a
 *  choice. */
function withItems([name, property]: [string, Property]): [string, Property][] {
  const { items, oneOf = [] } = property
  const members = Object.entries(items?.properties ?? {})
  const ofEntries = members.flatMap(([member, of]) => withItems([`${name}[].${member}`, of]))
  const ofGroup = Object.entries(property.properties ?? {}).map(([member, of]): [string, Property] => [
    `${name}.${member}`,
    of,
  ])
  const ofChoices = oneOf.flatMap((one) =>
    Object.entries(one.properties).map(([member, of]): [string, Property] => [
      of.const === undefined ? `${name}.${member}` : `${name}.${member}: ${of.const}`,
      { ...of, isRequired: one.required.includes(member) },
    ]),
  )
  return [[name, property], ...ofEntries, ...ofGroup, ...ofChoices]
}

function shown(value: NonNullable<Property['default']>): string {
  if (value === '') return 'empty'
  if (Array.isArray(value) && value.length === 0) return ''
  return `\`${typeof value === 'object' ? Object.values(value).join(', ') : String(value)}\``
}

function valueOf(name: string, property: Property, required: ReadonlySet<string>): string {
  if (property.const !== undefined) return ''
  if (property.isRequired === true) return 'required'
  if (required.has(name)) return property.airbyte_secret === true ? 'required, secret' : 'required'
  if (property.default !== undefined) return shown(property.default)
  return property.airbyte_secret === true ? 'secret' : ''
}
