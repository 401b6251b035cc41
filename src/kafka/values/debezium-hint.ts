// Whether an object that was read as a plain row is a change of Debezium's: for a hint. Knows no configuration.

import { DebeziumShapes } from './debezium-shape.ts'
import type { RecordData } from '../../json/record-data.ts'
import { ABSENT, NamedMembers } from '../../json/find-member.ts'

const shapes = new DebeziumShapes()
/** What a converter puts around one when it writes schemas. */
const around = new NamedMembers(['schema', 'payload'])

export function isDebeziumChange(row: RecordData): boolean {
  if (shapes.of(row) === 'envelope') return true
  around.find(row)
  return row.count === 2 && !around.slots.includes(ABSENT)
}
