// The README's table of options, from the same schema the connector reads. Knows no file.

import { formSchema } from '../src/config/spec-document.ts'
import { GROUPS } from '../src/config/write-options.ts'

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

export const BEGIN = '<!-- options: begin (written by `npm run generate`) -->'
export const END = '<!-- options: end -->'

/** Markdown between the two marks, marks included. */
export function readmeOptions(): string {
  const schema = formSchema()
  const properties = Object.entries(schema.properties as unknown as Record<string, Property>)
  const required = new Set(schema.required)
  const tables = GROUPS.map(({ id, title }) => {
    const rows = properties.filter(([, { group }]) => group === id).flatMap(withItems)
    const lines = rows.map(
      ([name, property]) => `| \`${name}\` | ${valueOf(name, property, required)} | ${property.description} |`,
    )
    return [`**${title}**`, '', '| option | default | what it is |', '|---|---|---|', ...lines].join('\n')
  })
  return [BEGIN, '', tables.join('\n\n'), '', END].join('\n')
}

/** The README with its table renewed. */
export function renewed(readme: string): string {
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (before < 0 || after < before) throw new Error('The README has lost the marks of its table of options.')
  return readme.slice(0, before) + readmeOptions() + readme.slice(after + END.length)
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
