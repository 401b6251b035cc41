// The fields that form a stream's key, decided once from the catalog (decisions.md#nested-keys-are-hoisted,
// decisions.md#reserved-members-are-renamed).

import type { KeyChoice } from '../config/write/table-options.ts'
import { DEEPEST } from '../json/record-data.ts'
import { renamed } from './reserved.ts'
import type { CatalogStream, KeyField } from './stream-mapping.ts'

const OTHER_KEYS = 'choose other keys for it under streams in the configuration.'

/** The paths of a stream's primary key: chosen by the user, else by the catalog, else by the source. */
export function keyChoices(facts: CatalogStream, chosen: readonly KeyChoice[] | undefined): readonly KeyChoice[] {
  return chosen ?? catalogKey(facts).map((path) => ({ path, field: undefined }))
}

/** The paths of the primary key in the catalog: the one configured there, else the source's own. Empty when it has neither. */
export function catalogKey({ primaryKey, sourceDefinedPrimaryKey }: CatalogStream): CatalogStream['primaryKey'] {
  return primaryKey.length > 0 ? primaryKey : sourceDefinedPrimaryKey
}

/** Either the fields of a key, or why there can be none. */
export interface KeyFields {
  readonly key?: readonly KeyField[]
  readonly problem?: string
}

/** Decides which field of a point holds each value of a key: its top-level member, or a field that a nested value is hoisted (copied) to.
 *  @param choices the paths, and fields that the user chose for nested ones
 *  @param declared top-level members that the schema declares
 *  @param reserved names that the stream's points need for themselves
 *  @returns the fields in the key's order, each path once */
export function keyFields(
  choices: readonly KeyChoice[],
  declared: readonly string[],
  reserved: readonly string[],
): KeyFields {
  const fields: KeyField[] = []
  const paths = choices.map(({ path }) => path)
  if (paths.some((path) => path.length === 0)) return { problem: 'a path of its primary key is empty; choose a field.' }
  const tooDeep = paths.find((path) => path.length > DEEPEST)
  if (tooDeep)
    return {
      problem: `its key has ${tooDeep.length} levels, and a record of more than 1,024 is not stored; ${OTHER_KEYS}`,
    }
  const roots = paths.map((path) => path[0]!)
  const memberNames = [...declared, ...roots].map((name) => renamed(name, reserved))
  const contradiction = contradictionIn(paths, roots, reserved)
  if (contradiction) return { problem: contradiction }
  for (const { path, field } of choices) {
    if (fields.some((known) => isSame(known.path, path))) continue
    const isHoisted = path.length > 1
    const name = isHoisted ? (field ?? path.join('_')) : renamed(path[0]!, reserved)
    const problem = isHoisted ? hoistProblem(name, path, memberNames, reserved) : undefined
    if (problem) return { problem }
    const other = fields.find((known) => known.field === name)
    if (other)
      return {
        problem: `${shown(other.path)} and ${shown(path)} of its primary key would both be the field "${name}"; ${otherField(isHoisted ? path : other.path)}`,
      }
    fields.push({ path, field: name })
  }
  return { key: fields }
}

/** Words for what identifies a row. @param fields those of its key */
export function rowPerKey(fields: readonly string[], keepLast: boolean): string {
  const names = fields.map((field) => (field === '' ? '""' : field)).join(', ')
  return `one row per ${names}, newest arrival${keepLast ? '' : ', every version sent'}`
}

/** A path, in words. */
export function shown(path: readonly string[]): string {
  return `"${path.join('.')}"`
}

/** Advice about a nested key's field, with the key as a configuration has it: a JSON Pointer, in which `~` is `~0` and `/` is `~1`. */
function otherField(path: readonly string[]): string {
  const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return `give it another field, or choose other keys, under streams in the configuration: keys: ${JSON.stringify([`${pointer}=another_name`])}.`
}

function hoistProblem(
  name: string,
  path: readonly string[],
  memberNames: readonly string[],
  reserved: readonly string[],
): string | undefined {
  const hoists = `its key ${shown(path)} is nested and would be sent as the field "${name}"`
  if (reserved.includes(name)) return `${hoists}, a name the points need for themselves; ${otherField(path)}`
  if (memberNames.includes(name))
    return `${hoists}, which its schema declares or its key needs already; ${otherField(path)}`
  return undefined
}

/** Says why no record can have all of these key fields. `undefined` when one can. */
function contradictionIn(
  paths: readonly (readonly string[])[],
  roots: readonly string[],
  reserved: readonly string[],
): string | undefined {
  const shorter = paths.find((path) => paths.some((other) => other.length > path.length && isStart(path, other)))
  if (shorter) return `its key ${shown(shorter)} cannot be a value and, for another key, an object; ${OTHER_KEYS}`
  const renamedRoot = roots.find((root) => reserved.includes(root) && roots.includes(`${root}_`))
  if (renamedRoot === undefined) return undefined
  return `its key "${renamedRoot}" must be renamed "${renamedRoot}_", and its key "${renamedRoot}_" is of that name; ${OTHER_KEYS}`
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isStart(a, b)
}

function isStart(a: readonly string[], b: readonly string[]): boolean {
  return a.every((name, index) => name === b[index])
}

/** The order of a key's fields in comparisons. A config, a record or a Kafka key may list the fields of a row's key in any order, so
 *  everything that identifies rows uses this one; only `keys` itself may keep its own. It goes by UTF-16 code units of the names in a
 *  point's `keys`, and is the same in every process and locale. */
export function inKeyOrder(names: readonly string[]): string[] {
  return [...names].sort()
}
