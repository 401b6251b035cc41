// What becomes of rejected records, from options that are right one by one: the rules that join them with each other and
// with the tables of streams. Never quotes a value.

import { rejectOptions } from './reject-options.ts'
import type { OptionValues } from './read-options.ts'
import type { RejectsConfig } from './write-config.ts'

const DEFAULT_TABLE = rejectOptions.rejected_table.parse(undefined)

export function rejectsOf(values: OptionValues): RejectsConfig {
  return {
    onRejected: values.on_rejected ?? 'fail',
    table: values.rejected_table ?? DEFAULT_TABLE,
    file: values.rejected_file,
    logKeys: values.log_keys ?? false,
  }
}

/** The table that rejected records go to; undefined: none, they go elsewhere or stop the run. */
export function rejectedTable({ onRejected, table, file }: RejectsConfig): string | undefined {
  return onRejected === 'divert' && file === undefined ? table : undefined
}

/** Choices that have no effect. The default table says nothing: forms send it untouched. */
export function idleRejectOptions({ onRejected, table, file }: RejectsConfig): string[] {
  const ownTable = table !== DEFAULT_TABLE
  if (onRejected === 'divert') {
    return ownTable && file !== undefined
      ? ['`rejected_table` has no effect, as `rejected_file` is given: rejected records go to the file']
      : []
  }
  return [...(ownTable ? ['rejected_table'] : []), ...(file === undefined ? [] : ['rejected_file'])].map(
    (option) => `\`${option}\` has no effect while \`on_rejected\` is fail`,
  )
}

/** Why `streams` cannot be as it is; undefined: it can. */
export function sharedWithRejects(streams: OptionValues['streams'], rejects: RejectsConfig): string | undefined {
  const reserved = rejectedTable(rejects)?.toLowerCase()
  const entry = (streams ?? []).findIndex(({ table }) => table !== undefined && table.toLowerCase() === reserved)
  if (entry < 0) return undefined
  return `entry ${entry + 1}: \`table\` is that of rejected records (compared without case): choose another, or another \`rejected_table\``
}
