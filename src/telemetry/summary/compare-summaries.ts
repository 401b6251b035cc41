// Reads the summary that a run left in its file, and finds what changed between two runs. Small shares and small counts say nothing.

import { nearFile, readFileText } from '../../config/read-file.ts'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import { JSON_KINDS } from '../../json/json-kind.ts'
import { tryParseJson } from '../../json/true-names.ts'
import type { Log } from '../../process/io.ts'
import { TITLES } from '../../run/counts.ts'
import type { RunFacts } from '../../run/run-facts.ts'
import { thousands } from '../../text/figures.ts'
import { summarySchema, type Summary, type SummaryChange, type SummaryRow } from './summary-schema.ts'

/** The least share of the sampled records that must have a field, or a kind of its values, so that its coming or going is told. */
const LEAST_SHARE = 0.01
/** The least number of sampled records with a field that is not declared, so that a summary names it (mapping/field-kinds.ts). */
const LEAST_NAMED = 10
/** A number of records has moved if it differs by more than this share, and is at least LEAST_RECORDS in both runs. */
const MOVED_SHARE = 0.5
const LEAST_RECORDS = 1000
/** Most changes that are told one by one. */
const MOST_LINES = 20

type Compared = Pick<SummaryRow, 'name' | 'table' | 'digest' | 'counts' | 'fields'>
type Fields = NonNullable<SummaryRow['fields']>
type Field = Fields['names'][number]

/** Finds what changed since an earlier run. @param now the summary of a run that is done */
export function changesSince(before: Summary, now: { readonly rows: readonly Compared[] }): SummaryChange[] {
  const rows = new Map(now.rows.map((row) => [keyOf(row), row]))
  const known = new Set(before.rows.map(keyOf))
  const changes = before.rows.flatMap((old) => {
    const row = rows.get(keyOf(old))
    // the row of a topic with several tables has none, and then a table has a row only if records came for it
    if (!row && !rows.has(keyOf({ ...old, table: null }))) return [placeChange('table-gone', old)]
    // the number of records of a run that ended early says nothing
    const counts = before.result === 'done' ? countChange(old, row) : undefined
    return [...(counts ? [counts] : []), ...(row ? rowChanges(old, row) : [])]
  })
  return [...changes, ...now.rows.filter((row) => !known.has(keyOf(row))).map((row) => placeChange('table-new', row))]
}

/** Makes the error for changes that make sending unsafe: of keys, tables or the set of fields, as what is sent cannot be taken back.
 *  `undefined` when none of them is of that kind.
 *  @param file the one that `--compare` names */
export function lastingChange(
  changes: readonly SummaryChange[],
  noun: RunFacts['noun'],
  file: string,
): ConnectorError | undefined {
  // keys-new, table-new, table-gone, field-new and field-gone
  const lasting = changes.filter(({ what }) => /^(?:keys|table|field-(?:new|gone)$)/.test(what))
  if (lasting.length === 0) return undefined
  const found = changeWords(lasting, noun, 'are not named').join(' ')
  const renew = `If that is meant, let a run with --summary ${JSON.stringify(file)} write it anew, without this check.`
  const what = 'Keys, tables or fields are not those of the run of --compare.'
  return new ConnectorError('config', 'run.differs', `${what} ${found} ${renew}`)
}

function placeChange(what: SummaryChange['what'], { name, table }: Compared): SummaryChange {
  return { what, name, table, field: null, before: null, now: null }
}

/** Returns sentences for people; only the first MOST_LINES, if there are more.
 *  @param noun the kind of what was read
 *  @param where the end of a sentence about the others, which says where they are found */
export function changeWords(
  changes: readonly SummaryChange[],
  noun: RunFacts['noun'],
  where = 'are in the summary',
): string[] {
  const lines = changes.slice(0, MOST_LINES).map((change) => wordsOf(change, noun))
  const more = changes.length - lines.length
  return more === 0 ? lines : [...lines, `${thousands(more)} more changes ${where}.`]
}

function keyOf({ name, table }: Compared): string {
  return JSON.stringify([name, table])
}

function countChange(old: Compared, row: Compared | undefined): SummaryChange | undefined {
  const [before, now] = [old.counts.records ?? 0, row?.counts.records ?? 0]
  const figures = { name: old.name, table: old.table, field: null, before: String(before), now: String(now) }
  if (before > 0 && now === 0) return { what: 'no-records', ...figures }
  const isMoved = Math.min(before, now) >= LEAST_RECORDS && Math.abs(now - before) > MOVED_SHARE * before
  return isMoved ? { what: 'count-moved', ...figures } : undefined
}

function rowChanges(before: Compared, row: Compared): SummaryChange[] {
  const isOther = before.digest !== null && row.digest !== null && before.digest !== row.digest
  const keys = isOther ? [{ ...placeChange('keys-new', row), before: before.digest, now: row.digest }] : []
  return [...keys, ...fieldChanges(before, row)]
}

function fieldChanges({ name, table, fields: old }: Compared, { fields }: Compared): SummaryChange[] {
  if (old === null || fields === null) return []
  const known = new Map(old.names.map((field) => [field.name, field]))
  const present = new Set(fields.names.map((field) => field.name))
  const gone = old.names.filter((field) => isCommon(field, old) && !present.has(field.name) && !mayHide(fields))
  const others = fields.names.flatMap((field): SummaryChange[] => {
    const before = known.get(field.name)
    const isTold = before ? hasNewKind(before, field, fields) : isCommon(field, fields) && !mayHide(old)
    const kinds = { before: before ? kindsInWords(before) : null, now: kindsInWords(field) }
    return isTold ? [{ what: before ? 'field-kind' : 'field-new', name, table, field: field.name, ...kinds }] : []
  })
  return [
    ...gone.map((field) => {
      return { what: 'field-gone' as const, name, table, field: field.name, before: kindsInWords(field), now: null }
    }),
    ...others,
  ]
}

function isCommon({ records }: Field, { sampled }: Fields): boolean {
  return records >= LEAST_SHARE * sampled
}

/** Whether a summary may have left out a common field: in a small sample, such a field may be in too few records to be named, and `others`
 *  counts enough for one. */
function mayHide({ sampled, others }: Fields): boolean {
  const leastCommon = LEAST_SHARE * sampled
  return leastCommon < LEAST_NAMED && others >= Math.max(1, leastCommon)
}

/** Tells whether a field has values of a kind that it did not have. null is no kind here, so a field that was always null had none. */
function hasNewKind(before: Field, now: Field, { sampled }: Fields): boolean {
  const isNew = JSON_KINDS.some(
    (kind) => kind !== 'null' && before.kinds[kind] === 0 && now.kinds[kind] >= Math.max(1, LEAST_SHARE * sampled),
  )
  return isNew && before.kinds.null < before.records
}

/** Kinds of a field's values, for people. */
export function kindsInWords({ kinds }: Pick<Field, 'kinds'>): string {
  return JSON_KINDS.filter((kind) => kinds[kind] > 0).join(', ')
}

const WORDS: Readonly<Record<SummaryChange['what'], (change: SummaryChange) => string>> = {
  'field-new': ({ field, now }) =>
    `its records have a field ${JSON.stringify(field)} (${now}), which they did not have in the earlier run`,
  'field-gone': ({ field, before }) =>
    `its records no longer have the field ${JSON.stringify(field)} (${before}), which they had in the earlier run`,
  'field-kind': ({ field, before, now }) =>
    `its field ${JSON.stringify(field)} is now ${now}; in the earlier run it was ${before}`,
  'no-records': ({ before }) => `no record came; in the earlier run there were ${thousands(Number(before))}`,
  'keys-new': ({ table }) => `its ${table === null ? 'route is not that' : 'keys are not those'} of the earlier run`,
  'table-new': () => 'the earlier run did not have it',
  'table-gone': () => 'only the earlier run had it',
  'count-moved': ({ before, now }) =>
    `${thousands(Number(now))} records came; in the earlier run there were ${thousands(Number(before))}`,
}

function wordsOf(change: SummaryChange, noun: RunFacts['noun']): string {
  const table = change.table === null ? '' : `, table ${JSON.stringify(change.table)}`
  return `${TITLES[noun]} ${JSON.stringify(change.name)}${table}: ${WORDS[change.what](change)}.`
}

/** Reads the summary of an older run, for `--compare`.
 *  @param nextFile the file for this run's own summary. If it is the same and does not exist, this is the first run, and nothing is misspelt
 *  @returns `undefined`, after a warning, when there is no such file
 *  @throws ConnectorError config when the file is no summary that this version can read */
export async function readOldSummary(file: string, log: Log, nextFile?: string): Promise<Summary | undefined> {
  return await readSummary(file, '--compare').catch(async (error: unknown) => {
    // readFileText gives the error of node:fs as the cause
    if (!(error instanceof Error) || codeOf(error.cause) !== 'ENOENT') throw error
    const likely = file === nextFile ? undefined : await nearFile(file)
    const words = `There is no file ${JSON.stringify(file)} of --compare yet, so nothing is compared.`
    if (likely === undefined) await log('warn', words)
    else await log('warn', `${words} Did you mean ${JSON.stringify(likely)}?`, { code: 'report.not-a-summary' })
    return undefined
  })
}

/** Reads the summary of a run from its file.
 *  @param option the option that names the file; messages name it too, but for `--summary`, the only one of `report`
 *  @throws ConnectorError config when it cannot be read, or is no summary that this version can read */
export async function readSummary(file: string, option: string): Promise<Summary> {
  const text = await readFileText(file, option)
  const read = summarySchema.safeParse(tryParseJson(text))
  if (read.success) return read.data
  const ofOption = option === '--summary' ? '' : ` of ${option}`
  throw new ConnectorError(
    'config',
    'report.not-a-summary',
    `The file ${JSON.stringify(file)}${ofOption} ${whyNoSummary(text)}: give the file that --summary FILE of write or stream left.`,
  )
}

function whyNoSummary(text: string): string {
  if (/^\s*</.test(text)) return 'is an HTML page, not a summary'
  const isInput = /^\{.*"type".*\}\s*$/m.test(text)
  return isInput ? 'holds messages of an input, not a summary' : 'is no summary that this version can read'
}
