// Reads an upsert's body as a stranger would, and finds in it the very bytes that were given. Knows no order.

import type { Request } from '../../src/core/types.ts'
import type { Fact, Script } from './script.ts'

/** @returns the records in it, or what is wrong with it */
export function readRequest(request: Request, { facts, tables }: Script): readonly Fact[] | string {
  const text = Buffer.from(request.body).toString()
  let values: { v: number }[]
  try {
    values = JSON.parse(text) as { v: number }[]
  } catch (error) {
    return `${String(error)} in ${text}`
  }
  if (!Array.isArray(values) || values.length !== request.points)
    return `${request.points} points were announced, ${text} has others`
  const found = values.map(({ v }) => facts[v]!)
  let at = 1
  for (const [index, fact] of found.entries()) {
    while (text[at] === ' ') at++
    if (!text.startsWith(fact.text, at)) return `record ${fact.v} is not byte-equal in ${text}`
    at += fact.text.length
    while (text[at] === ' ') at++
    if (text[at] !== (index === found.length - 1 ? ']' : ',')) return `byte ${at} of ${text}`
    at++
  }
  const strange = found.find(({ table }) => tables[table]!.name !== request.table)
  return strange ? `record ${strange.v} is not of ${request.table}` : found
}
