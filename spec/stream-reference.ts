// The tables of the options and metrics of `stream` in docs, from the same schema and list that `stream` uses.

import { isDeepStrictEqual } from 'node:util'
import { formSchema, jsonSchema } from './file-schema.ts'
import { streamSchema } from '../src/config/stream/stream-options.ts'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

interface Property {
  readonly description: string
  readonly default?: string | number | boolean | readonly never[]
  readonly airbyte_secret?: boolean
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: readonly string[]
  readonly items?: Property
}

type Row = readonly [name: string, property: Property, isRequired: boolean]

const KAFKA = 'kafka'
const TOPICS = 'topics'

/** docs/configuration.md with these tables renewed. */
export function renewedStreamOptions(page: string): string {
  return renewedBetween(page, marksOf('options of stream'), reference())
}

/** docs/operating.md with its table renewed. */
export function renewedMetrics(page: string): string {
  return renewedBetween(page, marksOf('metrics of stream'), metrics())
}

function metrics(): string {
  const rows = METRICS.map(({ name, labels, help }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ')
    return [`\`${name}\``, named, help]
  })
  return markdownTable(['metric', 'labels', 'what it is'], rows)
}

function reference(): string {
  const schema = jsonSchema(streamSchema) as unknown as Property
  // the address is not required with the sandbox alone
  const required = new Set([...schema.required!, ...(formSchema().required ?? [])])
  const options = Object.entries(schema.properties!).map(([name, it]): Row => [name, it, required.has(name)])
  const [kafka, topics] = [KAFKA, TOPICS].map((group) => schema.properties![group]!) as [Property, Property]
  const others = options.filter(([name]) => name !== KAFKA && name !== TOPICS)
  const ofWrite = others.filter(isAsInWrite)
  const own = others.filter((option) => !isAsInWrite(option))
  return [
    `As for [\`write\`](#options-of-write-and-check): ${ofWrite.map(([name]) => `\`${name}\``).join(', ')}. [Older names](#older-names) of \`sandbox\` may stand here too.`,
    table('`kafka`: where to read', members('', kafka)),
    table('`topics`: one entry', members('', topics.items!)),
    table(
      'Everything else',
      own.flatMap(withMembers).filter((row) => !isOfKafka(row, kafka)),
    ),
  ].join('\n\n')
}

/** Whether `write` has the same option, with the same default and description. */
function isAsInWrite([name, { default: preset, description }]: Row): boolean {
  const same = formSchema().properties?.[name] as Property | undefined
  return same !== undefined && isDeepStrictEqual(same.default, preset) && same.description === description
}

/** Whether it is a member of a group that is the same as Kafka's, whose description says so. */
function isOfKafka([name, property]: Row, kafka: Property): boolean {
  const [, member] = /^schema_registry\.oauth\.(\w+)$/.exec(name) ?? []
  const same = kafka.properties!['sasl']!.properties!['oauth']!.properties!
  return member !== undefined && isDeepStrictEqual(property, same[member])
}

function table(title: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => [`\`${row[0]}\``, valueOf(row), row[1].description])
  return `### ${title}\n\n${markdownTable(['option', 'default', 'what it is'], cells)}`
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
  if (preset !== undefined && !Array.isArray(preset)) return preset === '' ? 'empty' : `\`${String(preset)}\``
  return [...(isRequired ? ['required'] : []), ...(secret === true ? ['secret'] : [])].join(', ')
}
