// Checks the options of each entry of `topics` against each other, other entries, and `dead_letters`. Each was checked by itself before: a
// faulty value is `undefined` by then, but `isGiven` and `findings.has` know of it. Never quotes a value.

import { pathText, type Findings, type Path } from '../findings.ts'
import type { Partly } from '../read-tree.ts'
import { warnOfIdleLimits } from '../reject-limits.ts'
import { checkRoute, checkRoutedTombstones, tableEntries } from './route-rules.ts'
import type { StreamOptions } from './stream-options.ts'
import type { TopicEntry, TopicOptions } from './topic-options.ts'
import { KEY_CHOICES } from './row-options.ts'
import { checkPrefix } from '../write/table-options.ts'
import { comparedName, sharedTables } from './shared-tables.ts'
import { wholeNames } from './topic-choice.ts'

/** The field that marks a row as deleted. */
const DELETED = '__deleted'

/** Checks the entries, first each by itself, then all together. With a route, each table that it lists is checked as an entry of its own,
 *  so that a problem of keys or tombstones is said of the table that has them. Such a table has each option of its entry that it does not
 *  give, but of these only `keys` counts as given (`isGiven`).
 *  @param all options of the file
 *  @param keepsLetters whether dead letters have a place to go */
export function checkTopicRules(
  entries: readonly TopicEntry[],
  all: Partly<StreamOptions>,
  keepsLetters: boolean,
  findings: Findings,
): void {
  const lettersTopic = all.dead_letters?.topic
  const prefix = all.table_prefix ?? ''
  checkPrefix(all, findings)
  for (const entry of entries) {
    checkNames(entry, findings)
    checkRoute(entry, prefix, keepsLetters, findings)
    // without a route the entry itself; with one its tables, and the entry too if its own keys are used (`tableEntries`)
    for (const part of tableEntries(entry)) {
      if (!inheritsKeys(part, entry)) checkKeys(part, findings)
      checkRoutedTombstones(entry, part, findings)
      // tombstones of the entry are checked once, at the entry
      if (part === entry || part.isGiven('tombstones')) checkTombstones(part, findings)
      if (!keepsLetters) checkLetterPolicies(part, findings)
    }
    if (!keepsLetters) warnOfIdleLimits(entry.options, entry.at, findings)
    for (const [option, why] of idleOptions(entry)) findings.warn([...entry.at, option], `has no effect ${why}`)
  }
  checkSameTopics(entries, findings)
  checkTables(entries, prefix, findings)
  if (lettersTopic !== undefined) checkLoop(entries, lettersTopic, findings)
}

/** Whether a table of a route has the keys of its entry, which are checked there alone. If neither has keys, each table has a problem. */
function inheritsKeys(part: TopicEntry, entry: TopicEntry): boolean {
  return part !== entry && part.options.keys === entry.options.keys && part.isGiven('keys')
}

function checkNames({ at, options, isGiven }: TopicEntry, findings: Findings): void {
  const names = ['topic', 'pattern'].filter((option) => isGiven(option))
  if (names.length !== 1)
    findings.add(at, `needs ${names.length === 0 ? 'a `topic` or a `pattern`' : 'a `topic` or a `pattern`, not both'}`)
  // a faulty `shared_table` counts as true: it is reported already
  if (names[0] === 'pattern' && options.table !== undefined && options.shared_table === false)
    findings.add(
      [...at, 'table'],
      'would be that of every topic the pattern matches: add `shared_table: true` for that',
    )
}

function checkKeys({ at, options, isGiven }: TopicEntry, findings: Findings): void {
  const path = [...at, 'keys']
  const { keys, format } = options
  if (keys === undefined) {
    if (!isGiven('keys') && (format === 'json' || format === 'airbyte'))
      findings.add(path, `is required with the format ${format}: ${KEY_CHOICES}`)
    return
  }
  // `epoch` is no way to identify a row, but a part of its offset
  const ways = findings.given(['value', 'key', 'offset'], keys, path)
  if (ways.length > 1 || (ways.length === 0 && keys.epoch === undefined)) findings.add(path, `must be ${KEY_CHOICES}`)
  else if (ways.length === 0) findings.add(path, `needs, beside \`epoch\`, ${KEY_CHOICES}`)
  if (keys.type !== undefined && typeof keys.key !== 'string')
    findings.add([...path, 'type'], 'needs the field of a plain record key: { key: NAME, type: text }')
  else if (keys.type !== undefined && options.key_encoding === 'registry')
    findings.add([...path, 'type'], 'cannot be combined with `key_encoding: registry`, whose schema says the type')
  // in older YAML `yes` means `true`
  if (/^yes$/i.test(String(keys.key)))
    findings.add([...path, 'key'], 'is read as the text "yes", not as true: write `key: true`, or the name of a field')
  if (keys.key === 'keys' || keys.key === DELETED)
    findings.add([...path, 'key'], 'is a field that rows need for something else')
  checkPaths(keys.value, [...path, 'value'], findings)
}

function checkPaths(paths: NonNullable<TopicOptions['keys']>['value'], at: Path, findings: Findings): void {
  const before: string[][] = []
  paths?.forEach((given, index) => {
    if (given === undefined) return
    const path = given.map(String)
    findings.add([...at, index], pathProblem(path, before))
    before.push(path)
  })
}

/** The problem of a path beside those before it. `undefined` when there is none. */
function pathProblem(path: string[], before: string[][]): string | undefined {
  const field = path.join('_')
  if (field === DELETED) return `becomes the field ${DELETED}, the mark of deleted rows`
  if (before.some((other) => other.join('_') === field)) return 'becomes the same field as one before it'
  // for example `a` and `a.b`
  return before.some((other) => isInside(path, other) || isInside(other, path))
    ? 'and one before it are one inside the other'
    : undefined
}

function isInside(path: readonly string[], other: readonly string[]): boolean {
  return path.length > other.length && other.every((name, index) => name === path[index])
}

function checkTombstones({ at, options: { tombstones, format, keys } }: TopicEntry, findings: Findings): void {
  const path = [...at, 'tombstones']
  if (tombstones === undefined) return
  const hasOtherKeys = keys !== undefined && keys.key === undefined && !findings.has([...at, 'keys'])
  if (format === 'debezium') {
    if (tombstones === 'ignore')
      findings.warn(path, 'leaves rows as they were whose delete comes as a tombstone alone: leave it out')
    else if (tombstones !== 'mark') findings.add(path, 'must be mark or ignore with the format debezium')
  } else if (tombstones === 'mark' && hasOtherKeys)
    findings.add(path, 'can be mark only with the record key as `keys`: a tombstone has no value to read a key from')
}

/** Refuses policies that need dead letters, where none are kept. */
function checkLetterPolicies({ at, options }: TopicEntry, findings: Findings): void {
  for (const option of ['null_keys', 'tombstones', 'unavailable'] as const) {
    if (options[option] === 'dead-letter')
      findings.add([...at, option], 'is dead-letter, but `dead_letters` is not set: add it')
  }
}

/** Finds options that are given but have no effect, and why. */
function idleOptions({ options, isGiven }: TopicEntry): readonly (readonly [option: string, why: string])[] {
  const { format, keys, null_keys: nullKeys, key_encoding: keyEncoding } = options
  const idle: (readonly [option: string, why: string])[] = []
  const byOffset = keys?.offset === true
  if (keyEncoding === 'registry' && format !== 'debezium' && (byOffset || keys?.value !== undefined))
    idle.push(['key_encoding', 'unless the record key identifies rows'])
  if (format !== undefined && format !== 'debezium') {
    for (const option of ['unavailable', 'unavailable_placeholder', 'truncate'])
      if (isGiven(option)) idle.push([option, `with the format ${format}: it is about debezium`])
  }
  if (format !== undefined && format !== 'airbyte') {
    for (const option of ['stream', 'namespace'])
      if (isGiven(option)) idle.push([option, `with the format ${format}: it is about airbyte`])
  } else if (isGiven('namespace') && !isGiven('stream')) idle.push(['namespace', 'without a `stream`'])
  if (byOffset && isGiven('null_keys')) idle.push(['null_keys', 'with offsets as `keys`: every record has one'])
  if (keys?.value !== undefined && isGiven('null_keys'))
    idle.push(['null_keys', 'with fields of the value as `keys`: the record key is not used'])
  if (byOffset && isGiven('keep_last')) idle.push(['keep_last', 'with offsets as `keys`: no row has two versions'])
  // a record without a key may fall back to its offset (`null_keys`)
  const mayUseOffset = byOffset || (keys?.value === undefined && (nullKeys === undefined || nullKeys === 'offset'))
  if (keys?.epoch !== undefined && !mayUseOffset) idle.push(['keys.epoch', 'unless a row is identified by its offset'])
  return idle
}

/** Refuses a topic or a pattern that two entries have. */
function checkSameTopics(entries: readonly TopicEntry[], findings: Findings): void {
  for (const option of ['topic', 'pattern'] as const) {
    const firstWith = new Map<string, TopicEntry>()
    for (const entry of entries) {
      const name = entry.options[option]
      if (name === undefined) continue
      const other = firstWith.get(name)
      if (other === undefined) firstWith.set(name, entry)
      else findings.add([...entry.at, option], `stands in \`${pathText(other.at)}\` already`)
    }
  }
}

/** Checks what entries of one table must have alike. Only those with a `topic` are compared: what a pattern matches is not known yet. */
function checkTables(entries: readonly TopicEntry[], prefix: string, findings: Findings): void {
  const tables = entries.flatMap((entry) => {
    const { topic, route } = entry.options
    if (topic === undefined) return []
    // an entry with a route has no table but those that it lists
    const parts = route === undefined ? [entry] : tableEntries(entry).filter((part) => part !== entry)
    return parts.map(({ at, options }) => {
      // the path of a table ends with the value that the route names it by
      const source = route === undefined ? topic : String(at.at(-1))
      const table = options.table ?? comparedName(source, prefix)
      return { topic, table, at, options, sharedTable: options.shared_table !== false }
    })
  })
  for (const { entries: sharing, problem } of sharedTables(tables))
    findings.add([...sharing.at(-1)!.at, 'table'], `is not its own: ${problem}`)
  for (const sharing of Map.groupBy(tables, ({ table }) => table).values()) {
    const differing = sharing.find(({ options }) => options.keep_last !== sharing[0]!.options.keep_last)
    if (differing)
      findings.add([...differing.at, 'keep_last'], 'differs from that of the same table elsewhere: give both the same')
    const [first, ...others] = sharing.filter(({ options }) => keyNames(options) !== undefined)
    const odd = others.find(({ options }) => keyNames(options) !== keyNames(first!.options))
    if (odd)
      findings.warn(
        [...odd.at, 'keys'],
        `differ from those of \`${pathText(first!.at)}\`, which has the same table, so rows of one never replace rows of the other: give both the same, or another \`table\``,
      )
  }
}

/** One text for the names of the key fields, to compare entries. `undefined` when only records tell them, as with `{ key: true }`. */
function keyNames({ keys: { key, offset, value } = {} }: Partly<TopicOptions>): string | undefined {
  if (typeof key === 'string') return JSON.stringify([key])
  // no fields of the record
  if (offset === true) return '[]'
  if (value === undefined) return undefined
  // a path that is faulty has no name
  return JSON.stringify(value.map((path) => path?.join('_') ?? '').toSorted())
}

/** Refuses to read the topic of dead letters, where each record would be rejected and written again, for ever. */
function checkLoop(entries: readonly TopicEntry[], lettersTopic: string, findings: Findings): void {
  for (const { at, options } of entries) {
    if (options.topic === lettersTopic)
      findings.add([...at, 'topic'], 'is the topic of `dead_letters`, whose records would come back for ever')
    // no warning where the pattern takes too long: then the topic is not read
    if (options.pattern !== undefined && wholeNames(options.pattern, []).test(lettersTopic) === 'matches')
      findings.warn([...at, 'pattern'], 'matches the topic of `dead_letters`, which is left out of it')
  }
}
