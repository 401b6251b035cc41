// The tables of the options of `write` in docs/configuration.md, from the same schema the connector reads.

import { formSchema } from '../src/config/file-schema.ts'
import { GROUPS } from '../src/config/write/write-options.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

interface Property {
  readonly type: string
  readonly title: string
  readonly description: string
  readonly group: string
  readonly default?: string | number | boolean | readonly unknown[]
  readonly items?: { readonly properties?: Record<string, Property> }
  readonly enum?: readonly unknown[]
  readonly airbyte_secret?: boolean
}

const MARKS = marksOf('options of write')

function options(): string {
  const schema = formSchema()
  const properties = Object.entries(schema.properties as unknown as Record<string, Property>)
  const required = new Set(schema.required)
  const tables = GROUPS.map(({ id, title }) => {
    const rows = properties.filter(([, { group }]) => group === id).flatMap(withItems)
    const cells = rows.map(([name, of]) => [`\`${name}\``, valueOf(name, of, required), of.description])
    return `### ${title}\n\n${markdownTable(['option', 'default', 'what it is'], cells)}`
  })
  return tables.join('\n\n')
}

/** docs/configuration.md with these tables renewed. */
export function renewedWriteOptions(page: string): string {
  return renewedBetween(page, MARKS, options())
}

/** An option, and the members of each of its entries if it is a list of objects. */
function withItems([name, property]: [string, Property]): [string, Property][] {
  const members = Object.entries(property.items?.properties ?? {})
  return [[name, property], ...members.map(([member, of]): [string, Property] => [`${name}[].${member}`, of])]
}

function shown(value: unknown): string {
  if (value === '') return 'empty'
  return Array.isArray(value) && value.length === 0 ? 'none' : `\`${String(value)}\``
}

function valueOf(name: string, property: Property, required: ReadonlySet<string>): string {
  if (required.has(name)) return property.airbyte_secret === true ? 'required, secret' : 'required'
  if (property.default !== undefined) return shown(property.default)
  return property.airbyte_secret === true ? 'none, secret' : 'none'
}
