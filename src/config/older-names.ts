// Older names of options, which a file may use instead of `sandbox` and `rejected_records`. readSandbox and readRejected give what either
// says, so that the rest of the program knows the new ones only; messages call an option by the name the file uses.

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

/** Older options by the one that replaced them. */
export const OLDER = { sandbox, rejected_records: rejects }

type Choice = keyof typeof OLDER
type Older = Partly<z.output<z.ZodObject<typeof sandbox>> & z.output<z.ZodObject<typeof rejects>>>

/** The older name of each option that a message may be about. */
const PLACES: Readonly<Record<string, string>> = {
  'sandbox.import_url': 'sandbox_import_url',
  'rejected_records.table': 'rejected_table',
}

/** Everything a file of `write` may have. The address is optional here, because the sandbox needs none. */
export const writeFileOptions = writeOptions.extend({
  import_url: writeOptions.shape.import_url.optional(),
  ...sandbox,
  ...rejects,
})

/** Maps a path of the options to a path in the file. */
export function placeInOlder(path: Path, given: unknown): Path {
  const older = PLACES[path.join('.')]
  return older !== undefined && namesOf(path[0] as Choice, given).length > 0 ? [older] : path
}

/** Reads the choice `sandbox`, given by its own name or older ones; both is a problem.
 *  @param given the file itself
 *  @returns its valid parts. `undefined` when not even its mode is valid */
export function readSandbox(
  options: Older & Partly<Pick<WriteOptions, 'sandbox'>>,
  given: unknown,
  findings: Findings,
): Partly<WriteOptions['sandbox']> | undefined {
  if (isByOwnName('sandbox', given, findings)) return options.sandbox
  const { use_sandbox: isOn, sandbox_import_url: url } = options
  if (isOn === true) {
    if (url === undefined) findings.add(['sandbox_import_url'], 'is required when `use_sandbox` is true')
    return { mode: 'on', import_url: url }
  }
  const idle = url === undefined ? undefined : readAddress(url, true)
  if (idle !== undefined && 'problem' in idle) findings.add(['sandbox_import_url'], idle.problem)
  return isOn === undefined ? undefined : { mode: 'off' }
}

/** Reads the choice `rejected_records` as `readSandbox` does the other. The default table does not count as given, because forms always
 *  sent it.
 *  @returns `undefined` when it is not valid */
export function readRejected(
  options: Older & Partly<Pick<WriteOptions, 'rejected_records'>>,
  given: unknown,
  findings: Findings,
): WriteOptions['rejected_records'] | undefined {
  if (isByOwnName('rejected_records', given, findings))
    return findings.has(['rejected_records'])
      ? undefined
      : (options.rejected_records as WriteOptions['rejected_records'])
  const { on_rejected: policy, rejected_table: table, rejected_file: path } = options
  const isOwnTable = table !== rejects.rejected_table.parse(undefined)
  if (Object.keys(rejects).some((name) => findings.has([name]))) return undefined
  if (policy === 'fail') {
    const idle = 'has no effect while `on_rejected` is fail'
    findings.warn(['rejected_table'], isOwnTable ? idle : undefined)
    findings.warn(['rejected_file'], path === undefined ? undefined : idle)
    return { policy: 'stop' }
  }
  if (path === undefined) return { policy: 'table', table: table! }
  if (isOwnTable)
    findings.warn(['rejected_table'], 'has no effect, as `rejected_file` is given: rejected records go to the file')
  return { policy: 'file', path }
}

/** Whether the file gives the choice by its own name, or not at all. Adds a problem where it gives both. */
function isByOwnName(choice: Choice, given: unknown, findings: Findings): boolean {
  const names = namesOf(choice, given).map((name) => `\`${name}\``)
  if (isGiven(given, choice) && names.length > 0)
    findings.add(
      [choice],
      `cannot be combined with ${names.join(' and ')} (older names for the same): keep only \`${choice}\``,
    )
  return isGiven(given, choice) || names.length === 0
}

/** Older names of a choice that the file uses. */
function namesOf(choice: Choice, given: unknown): string[] {
  return Object.keys(OLDER[choice]).filter((name) => isGiven(given, name))
}

/** Whether the file gives an option: a form sends '' or null for one that was left out. */
function isGiven(given: unknown, option: string): boolean {
  const value = memberAt(given, option) ?? ''
  return value !== ''
}
