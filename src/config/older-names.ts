// Older options, which a file may give instead of the groups `sandbox` and `rejected_records`. `readSandbox` and `readRejected` read
// either, so that the rest of the program knows the groups only. Messages call an option by the name that the file uses.

import { z } from 'zod'
import { readAddress } from './address.ts'
import type { Findings, Path } from './findings.ts'
import { tableName } from './option-types.ts'
import type { Partly } from './read-tree.ts'
import { memberAt } from './references.ts'
import { writeOptions, type WriteOptions } from './write/write-options.ts'

const sandbox = {
  use_sandbox: z.boolean().default(false).meta({
    title: 'Use the sandbox',
    description: 'true: `sandbox` with the mode on. false: with the mode off.',
  }),
  sandbox_import_url: z
    .string()
    .optional()
    .meta({
      ...writeOptions.shape.import_url.meta(),
      title: 'Sandbox import URL',
      description: '`sandbox.import_url`.',
    }),
}

const rejects = {
  on_rejected: z.enum(['fail', 'divert']).default('fail').meta({
    title: 'Rejected records',
    description:
      'fail: `rejected_records` with the policy stop. divert: with the policy table, or file if a file is given.',
  }),
  rejected_table: tableName
    .default('rejected_records')
    .meta({ title: 'Table for rejected records', description: '`rejected_records.table`.' }),
  rejected_file: z
    .string()
    .optional()
    .meta({ title: 'File for rejected records', description: '`rejected_records.path`.' }),
}

/** Older options by the group that replaced them. */
export const OLDER = { sandbox, rejected_records: rejects }

type GroupName = keyof typeof OLDER
type OlderOptions = Partly<z.output<z.ZodObject<typeof sandbox>> & z.output<z.ZodObject<typeof rejects>>>

/** The older name, by path, of each option that `placeInOlder` is asked for. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  'sandbox.import_url': 'sandbox_import_url',
  'rejected_records.table': 'rejected_table',
}

/** The options that a file of `write` may have. `import_url` is optional here, because it is not needed with the sandbox on. */
export const writeFileOptions = writeOptions.extend({
  import_url: writeOptions.shape.import_url.optional(),
  ...sandbox,
  ...rejects,
})

/** Maps a path of the options to a path in the file, which may use an older name. */
export function placeInOlder(path: Path, given: unknown): Path {
  const older = OLDER_NAMES[path.join('.')]
  return older !== undefined && olderNamesIn(given, path[0] as GroupName).length > 0 ? [older] : path
}

/** Reads the group `sandbox`, or the older options for the same; a file that gives both has a problem.
 *  @param given the file as it was parsed
 *  @returns its valid parts. `undefined` when not even its mode is valid */
export function readSandbox(
  options: OlderOptions & Partly<Pick<WriteOptions, 'sandbox'>>,
  given: unknown,
  findings: Findings,
): Partly<WriteOptions['sandbox']> | undefined {
  if (isReadByGroup('sandbox', given, findings)) return options.sandbox
  const { use_sandbox: isOn, sandbox_import_url: url } = options
  if (isOn === true) {
    if (url === undefined) findings.add(['sandbox_import_url'], 'is required when `use_sandbox` is true')
    return { mode: 'on', import_url: url }
  }
  // the address is not used while the sandbox is off, so http: is no fault; others are told all the same
  const allowsHttp = true
  const address = url === undefined ? undefined : readAddress(url, allowsHttp)
  if (address !== undefined && 'problem' in address) findings.add(['sandbox_import_url'], address.problem)
  return isOn === undefined ? undefined : { mode: 'off' }
}

/** Reads the group `rejected_records`, as `readSandbox` does the other. The older `rejected_table` does not count as given when it is the
 *  default, because forms always sent it.
 *  @returns `undefined` when it is not valid */
export function readRejected(
  options: OlderOptions & Partly<Pick<WriteOptions, 'rejected_records'>>,
  given: unknown,
  findings: Findings,
): WriteOptions['rejected_records'] | undefined {
  if (isReadByGroup('rejected_records', given, findings))
    return findings.has(['rejected_records'])
      ? undefined
      : (options.rejected_records as WriteOptions['rejected_records'])
  const { on_rejected: policy, rejected_table: table, rejected_file: path } = options
  const isTableGiven = table !== rejects.rejected_table.parse(undefined)
  if (Object.keys(rejects).some((name) => findings.has([name]))) return undefined
  if (policy === 'fail') {
    const idle = 'has no effect while `on_rejected` is fail'
    findings.warn(['rejected_table'], isTableGiven ? idle : undefined)
    findings.warn(['rejected_file'], path === undefined ? undefined : idle)
    return { policy: 'stop' }
  }
  if (path === undefined) return { policy: 'table', table: table! }
  if (isTableGiven)
    findings.warn(['rejected_table'], 'has no effect, as `rejected_file` is given: rejected records go to the file')
  return { policy: 'file', path }
}

/** Whether the group itself is read, and not older options: the file gives it, or none of them. Adds a problem where it gives both. */
function isReadByGroup(group: GroupName, given: unknown, findings: Findings): boolean {
  const names = olderNamesIn(given, group).map((name) => `\`${name}\``)
  if (isGiven(given, group) && names.length > 0)
    findings.add(
      [group],
      `cannot be combined with ${names.join(' and ')} (older names for the same): keep only \`${group}\``,
    )
  return isGiven(given, group) || names.length === 0
}

/** The older options of a group that the file gives. */
function olderNamesIn(given: unknown, group: GroupName): string[] {
  return Object.keys(OLDER[group]).filter((name) => isGiven(given, name))
}

/** Whether the file gives an option: a form sends '' or null for one that was left out. */
function isGiven(given: unknown, option: string): boolean {
  const value = memberAt(given, option) ?? ''
  return value !== ''
}
