// The published schema of a run's summary, and the table of its members in docs/summary.md, from the schema the program makes it by.

import type { z } from 'zod'
import { dryRunSchema } from '../src/telemetry/dry-run/dry-run-schema.ts'
import { summarySchema } from '../src/telemetry/summary/summary-schema.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'
import { jsonSchema } from './file-schema.ts'

type Node = z.core.JSONSchema.BaseSchema

export function summaryFileSchema(): Node {
  const { $schema, ...schema } = jsonSchema(summarySchema)
  return { $schema: $schema!, title: 'A summary of a run of write or stream', ...schema }
}

export function dryRunFileSchema(): Node {
  const { $schema, ...schema } = jsonSchema(dryRunSchema)
  return { $schema: $schema!, title: 'What a dry run of write or stream says', ...schema }
}

/** docs/summary.md with its table renewed. */
export function renewedSummary(page: string): string {
  const rows = membersOf(summaryFileSchema(), '').map(([name, type, says]) => [`\`${name}\``, type, says])
  return renewedBetween(page, marksOf('members of a summary'), markdownTable(['member', 'type', 'what it is'], rows))
}

function membersOf(node: Node, before: string): [name: string, type: string, says: string][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, of]) => {
    const member = of as Node
    const inner = member.anyOf?.find(({ type }) => type !== 'null') ?? member
    const item = (inner.items ?? inner) as Node
    const path = `${before}${name}`
    const says = member.description ?? ''
    const type = typeOf(member, inner, item)
    if (isPlain(inner) && path !== 'total') {
      const names = Object.entries(inner.properties!).map(([one, of]) => wordsOf(one, (of as Node).description))
      return [[path, type, `${says === '' ? '' : `${says}: `}${names.join(', ')}`]]
    }
    // as those of the rows
    const more = path === 'total' ? [] : membersOf(item, `${path}${inner.items === undefined ? '.' : '[].'}`)
    const row: [string, string, string] = [path, type, says]
    return [row].concat(more)
  })
}

/** Whether all its members are numbers, which need no row each. */
function isPlain({ properties }: Node): boolean {
  const members = Object.values(properties ?? {}) as Node[]
  return members.length > 1 && members.every(({ type }) => isNumber(type))
}

/** A number in a list of them; a description that only says the name again is left out. */
function wordsOf(name: string, description: string | undefined): string {
  return description === undefined || description.toLowerCase() === name
    ? `\`${name}\``
    : `\`${name}\` (${description.toLowerCase()})`
}

function isNumber(type: Node['type']): boolean {
  return type === 'integer' || type === 'number'
}

function typeOf(member: Node, inner: Node, item: Node): string {
  const kind = (inner.enum ?? (inner.const === undefined ? undefined : [inner.const]))?.map((one) => `\`${one}\``)
  const named = kind?.join(', ') ?? (inner.format === 'date-time' ? 'time' : [inner.type].flat().join(' or '))
  const type = inner.items === undefined ? named : `list of ${String(item.type)}s`
  return member === inner ? type : `${type} or null`
}
