// The option `streams`: each entry against its schema, keys in any of their spellings, no two entries for one stream.
// Knows no catalog. Never quotes a value but the names of streams.

import type { z } from 'zod'

import { kindOf } from './kind-of.ts'
import { keyPathOf } from './key-path.ts'
import type { ReadMember } from './read-members.ts'
import { readMembers } from './read-members.ts'
import { streamOptions } from './table-options.ts'
import type { KeyChoice, StreamOverride } from './write-config.ts'

/** All problems of all entries in one. */
export function readStreams(given: unknown): ReadMember {
  if (!Array.isArray(given)) return { problem: `must be an array, found ${kindOf(given)}` }
  const problems: string[] = []
  const warnings: string[] = []
  const streams: StreamOverride[] = []
  given.forEach((entry: unknown, index) => {
    const read = readStream(entry)
    problems.push(...read.problems.map((problem) => `entry ${index + 1}: ${problem}`))
    warnings.push(...read.warnings.map((warning) => `in \`streams\` entry ${index + 1}: ${warning}`))
    if (read.stream) streams.push(read.stream)
  })
  problems.push(...twice(streams))
  warnings.push(...sharedTables(streams))
  return problems.length > 0 ? { problem: problems.join('; ') } : { value: streams, warnings }
}

interface ReadEntry {
  /** Only if there are no problems. */
  readonly stream: StreamOverride | undefined
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

function readStream(entry: unknown): ReadEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return { stream: undefined, problems: [`must be an object, found ${kindOf(entry)}`], warnings: [] }
  const read = readMembers(entry as Record<string, unknown>, streamOptions.shape)
  const problems = read.problems.map(({ name, problem }) => `\`${name}\` ${problem}`)
  const values = read.values as Partial<z.output<typeof streamOptions>>
  const keys = values.keys?.map(keyOf)
  keys?.forEach((key, index) => {
    if (key.path.length === 1 && key.field !== undefined)
      problems.push(`\`keys\` entry ${index + 1} gives a field to a path that is not nested`)
  })
  if (values.table?.toLowerCase() === 'rejected_records') problems.push('`table` is a name kept for rejected records')
  if (problems.length > 0) return { stream: undefined, problems, warnings: read.warnings }
  return { stream: streamOf(values as z.output<typeof streamOptions>, keys), problems, warnings: read.warnings }
}

function streamOf(values: z.output<typeof streamOptions>, keys: readonly KeyChoice[] | undefined): StreamOverride {
  return {
    name: values.name,
    namespace: values.namespace,
    table: values.table,
    // a form that was opened and left sends an empty list
    keys: keys?.length === 0 ? undefined : keys,
    keepLast: values.keep_last,
    identicalRecords: values.identical_records,
    appendWithPrimaryKey: values.append_with_primary_key,
    olderRows: values.older_rows,
  }
}

type Key = NonNullable<z.output<typeof streamOptions>['keys']>[number]

/** What stands behind a last `=` of a nested pointer is the field its value is sent as: a last name with `=` in it must be
 *  written otherwise. */
function keyOf(key: Key): KeyChoice {
  if (typeof key === 'string') {
    const [, pointer, field] = /^(\/.*\/[^/]*)=([^/=]+)$/s.exec(key) ?? []
    return { path: keyPathOf(pointer ?? key), field }
  }
  if (Array.isArray(key)) return { path: keyPathOf(key), field: undefined }
  return { path: keyPathOf(key.path), field: key.field }
}

/** Wrong as soon as both are in one catalog. */
function sharedTables(streams: readonly StreamOverride[]): string[] {
  const withTable = streams.filter(({ table }) => table !== undefined)
  return Array.from(Map.groupBy(withTable, ({ table }) => table!.toLowerCase()))
    .filter(([, same]) => same.length > 1)
    .map(([, same]) => {
      const names = same.map(({ name }) => JSON.stringify(name)).join(' and ')
      return `the entries of \`streams\` for ${names} name the same table (compared without case), which two streams of one catalog cannot share`
    })
}

function twice(streams: readonly StreamOverride[]): string[] {
  const seen = new Set<string>()
  return streams.flatMap(({ name, namespace }) => {
    const key = JSON.stringify([name, namespace])
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [
      `has two entries for the stream ${JSON.stringify(name)}${namespace === undefined ? '' : ` of namespace ${JSON.stringify(namespace)}`}`,
    ]
  })
}
