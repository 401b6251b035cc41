// The tables of options and metrics in docs/stream.md, from the same schema `stream` reads and the list it tells. Knows no
// file.

import { z } from 'zod'
import { formSchema } from '../src/config/spec-document.ts'
import { streamSchema } from '../src/config/stream/stream-options.ts'
import { GROUPS } from '../src/config/write-options.ts'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

interface Property {
  readonly description: string
  readonly group?: string
  readonly default?: string | number | boolean
  readonly airbyte_secret?: boolean
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: readonly string[]
  readonly items?: Property
}

type Row = readonly [name: string, property: Property, isRequired: boolean]

const KAFKA = 'kafka'
const TOPICS = 'topics'
/** Groups of `write` that `stream` has too, whole or in part. */
const SHARED = new Set(['where', 'limits', 'tables'])

/** docs/stream.md with its tables renewed. */
export function renewedReference(text: string): string {
  return renewedBetween(
    renewedBetween(text, marksOf('options of stream'), reference()),
    marksOf('metrics of stream'),
    metrics(),
  )
}

function metrics(): string {
  const rows = METRICS.map(({ name, type, labels, help }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ')
    return [`\`${name}\``, type, named, help]
  })
  return markdownTable(['metric', 'type', 'labels', 'what it is'], rows)
}

function reference(): string {
  const schema = z.toJSONSchema(streamSchema, { io: 'input' }) as unknown as Property
  // the address is not required with the sandbox alone
  const required = new Set([...schema.required!, ...(formSchema().required ?? [])])
  const options = Object.entries(schema.properties!).map(([name, it]): Row => [name, it, required.has(name)])
  const [kafka, topics] = [KAFKA, TOPICS].map((group) => schema.properties![group]!) as [Property, Property]
  const inNoGroup = options.filter(([name, { group }]) => !SHARED.has(group ?? '') && name !== KAFKA && name !== TOPICS)
  const tables = [
    table('`kafka`: where to read', members('', kafka)),
    table('`topics`: one entry', members('', topics.items!)),
    ...GROUPS.filter(({ id }) => SHARED.has(id)).map(({ id, title }) =>
      table(
        title,
        options.filter(([, { group }]) => group === id),
      ),
    ),
    table('Everything else', inNoGroup.flatMap(withMembers)),
  ]
  return tables.join('\n\n')
}

function table(title: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => [`\`${row[0]}\``, valueOf(row), row[1].description])
  return `**${title}**\n\n${markdownTable(['option', 'default', 'what it is'], cells)}`
}

function withMembers(row: Row): Row[] {
  const [name, property] = row
  return property.properties ? [row, ...members(`${name}.`, property)] : [row]
}

/** @param before what their names begin with */
function members(before: string, { properties, required = [] }: Property): Row[] {
  return Object.entries(properties!).flatMap(([name, property]) =>
    withMembers([before + name, property, required.includes(name)]),
  )
}

function valueOf([, { default: preset, airbyte_secret: secret }, isRequired]: Row): string {
  if (preset !== undefined) return preset === '' ? 'empty' : `\`${String(preset)}\``
  const value = isRequired ? 'required' : 'none'
  return secret === true ? `${value}, secret` : value
}
