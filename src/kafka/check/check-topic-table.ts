// The topics a run would read as a table for people: into which table, what tells rows apart, where it goes on.

import { wrap } from '../../text/printable.ts'
import { textTable } from '../../text/text-table.ts'
import type { AskedTopic } from './ask-topics.ts'
import { beginsAt, toRead } from './check-positions.ts'
import type { CheckedTopic } from './check-topics.ts'

const HEADINGS = ['topic', 'partitions', 'table', 'what identifies a row', 'goes on at', 'to read']

/** @param width columns to fit; Infinity: no line is cut or broken */
export function topicTable(
  topics: readonly CheckedTopic[],
  asked: ReadonlyMap<string, AskedTopic>,
  width: number,
): string {
  const rows = topics.map((topic) => rowOf(topic, asked.get(topic.name)))
  const table = textTable(HEADINGS, rows, width)
  if (table === textTable(HEADINGS, rows, Infinity)) return table
  const inFull = rows.map(([topic, , name, words]) => wrap(`${topic}: table ${name}, ${words}`, width, '  '))
  return [table, '', ...inFull].join('\n')
}

function rowOf(topic: CheckedTopic, asked: AskedTopic | undefined): string[] {
  const { name, mapper } = topic
  const known = asked && 'length' in asked ? asked : undefined
  const where = known ? [beginsAt(topic, known), String(toRead(known))] : ['?', '?']
  return [name, String(known?.length ?? '?'), mapper?.table.name ?? '?', mapper?.words ?? '?', ...where]
}
