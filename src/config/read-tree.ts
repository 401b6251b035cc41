// Reads a value by a schema of groups and lists, member by member: returns the valid parts with defaults, and reports every problem.
// Never quotes a value.

import { z } from 'zod'

import type { Secret } from '../core/secret.ts'
import { MOST_SUGGESTIONS, nearestName } from '../text/nearest-name.ts'
import { errorMapFor, kindOf } from './error-map.ts'
import type { Findings, Path } from './findings.ts'
import { pathText } from './findings.ts'
import { optionsIn } from './references.ts'
import type { Option } from './references.ts'
import { written } from './write-instead.ts'
import type { Notation } from './write-instead.ts'
import { isObject } from '../json/is-object.ts'

/** A value without its invalid parts. A list keeps its length. */
export type Partly<T> = T extends Secret
  ? T
  : T extends readonly (infer Entry)[]
    ? readonly (Partly<Entry> | undefined)[]
    : T extends object
      ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
      : T

/** form: an empty text counts as absent if the option is optional, and an unknown name is a warning, as platforms and newer forms add
 *  some; but one that is nearly an option is a problem in a group, and at the top where that is `decisive`. file: a text becomes a
 *  number or boolean where one is expected, because environment variables are always text. */
export type TreeOrigin = 'file' | { readonly form: { readonly decisive: ReadonlySet<string> } }

/** Null counts as absent unless the schema takes it; an absent group counts as empty unless it is optional. */
export function readTree<Schema extends z.ZodType>(
  given: unknown,
  schema: Schema,
  findings: Findings,
  origin: TreeOrigin = 'file',
): Partly<z.output<Schema>> {
  return new TreeReader(schema, findings, origin).read(given, schema, []) as Partly<z.output<Schema>>
}

/** Ends a message whose choices are explained behind it. */
const NONE_OF_THEM = /, found (?:another string|"[a-z_-]+")$/

/** Options by the word that catalogs have for them. */
const IN_CATALOGS = new Map([['primary_key', 'keys']])

class TreeReader {
  readonly #schema: z.ZodType
  readonly #findings: Findings
  readonly #origin: TreeOrigin
  readonly #notation: Notation
  /** Every option of the schema; computed at the first unknown name. */
  #options: readonly Option[] | undefined

  constructor(schema: z.ZodType, findings: Findings, origin: TreeOrigin) {
    this.#schema = schema
    this.#findings = findings
    this.#origin = origin
    this.#notation = origin === 'file' ? 'yaml' : 'json'
  }

  read(given: unknown, schema: z.ZodType, path: Path): unknown {
    const value = this.#isAbsent(given, schema) ? undefined : given
    if (value === undefined && isWrapper(schema)) {
      const { success, data } = schema.safeParse(undefined)
      if (success) return data
    }
    return this.#readInner(value, schema, schema, path)
  }

  /** @param inner the schema without what is around it */
  #readInner(value: unknown, schema: z.ZodType, inner: z.ZodType, path: Path): unknown {
    if (isWrapper(inner)) return this.#readInner(value, schema, inner.unwrap() as z.ZodType, path)
    if (inner instanceof z.ZodPipe && inner.in instanceof z.ZodTransform && holdsGroup(inner.out as z.ZodType))
      return this.read(inner.in.parse(value), inner.out as z.ZodType, path)
    if (inner instanceof z.ZodObject) return this.#readGroup(value ?? {}, inner, path)
    if (inner instanceof z.ZodDiscriminatedUnion && isObject(value)) {
      const { discriminator } = inner.def
      const [kind, groups] = [value[discriminator], groupsOf(inner)]
      const ofAny = [...groups.values()].flatMap(({ shape }) => Object.keys(shape))
      if (groups.has(kind)) return this.#readGroup(value, groups.get(kind)!, path, ofAny)
      const what = Array.from(groups, ([of, group]) => `${String(of)}: ${group.description}`)
      const wanted = z.enum([...groups.keys()] as string[]).describe(what.join(' '))
      return this.#readLeaf(kind ?? undefined, wanted, [...path, discriminator])
    }
    if (inner instanceof z.ZodDiscriminatedUnion && value !== undefined) {
      this.#findings.add(path, choiceProblem(value, inner, this.#notation))
      return undefined
    }
    if (inner instanceof z.ZodRecord && isObject(value)) return this.#readNamed(value, inner, path)
    if (inner instanceof z.ZodArray && Array.isArray(value)) return this.#readList(value, inner, path)
    return this.#readLeaf(value, schema, path)
  }

  #isAbsent(value: unknown, schema: z.ZodType): boolean {
    if (value === null) return !schema.safeParse(null).success
    return value === '' && this.#origin !== 'file' && schema.safeParse(undefined).success
  }

  /** @param ofAny the names in all groups of the choice that this one is of */
  #readGroup(value: unknown, schema: z.ZodObject, path: Path, ofAny: readonly string[] = []): unknown {
    if (!isObject(value)) return this.#readLeaf(value, schema, path)
    const { shape } = schema
    this.#findUnknown(value, Object.keys(shape), path, ofAny)
    return Object.fromEntries(
      Object.entries(shape).map(([name, member]) => {
        const given = Object.hasOwn(value, name) ? value[name] : undefined
        return [name, this.read(given, member as z.ZodType, [...path, name])]
      }),
    )
  }

  #readList(list: readonly unknown[], schema: z.ZodArray, path: Path): unknown[] {
    const own = schema
      .safeParse(list, { error: errorMapFor(this.#notation) })
      .error?.issues.find((issue) => issue.path.length === 0)
    this.#findings.add(path, own?.message)
    return list.map((entry, index) => this.read(entry, schema.element as z.ZodType, [...path, index]))
  }

  /** The user gives the names. */
  #readNamed(group: object, { keyType, valueType }: z.ZodRecord, path: Path): unknown {
    return Object.fromEntries(
      Object.entries(group).map(([name, value]) => {
        this.#readLeaf(name, keyType as z.ZodType, [...path, name])
        return [name, this.read(value, valueType as z.ZodType, [...path, name])]
      }),
    )
  }

  #readLeaf(value: unknown, schema: z.ZodType, path: Path): unknown {
    const result = schema.safeParse(value, { error: errorMapFor(this.#notation) })
    if (result.success) return result.data
    const meant = this.#origin === 'file' && typeof value === 'string' ? schema.safeParse(meantBy(value)) : result
    if (meant.success) return meant.data
    const { message } = result.error.issues[0]!
    const told = NONE_OF_THEM.test(message) ? schema.description : undefined
    this.#findings.add(path, told === undefined ? message : `${message}. ${told.replace(/\.$/, '')}`)
    return undefined
  }

  #findUnknown(group: object, names: readonly string[], path: Path, ofAny: readonly string[]): void {
    // editors find the schema of a file by $schema
    const isKnown = (name: string): boolean => names.includes(name) || (path.length === 0 && name === '$schema')
    const unknown = Object.entries(group).filter(([name]) => !isKnown(name))
    for (const [at, [given, value]] of unknown.entries()) {
      const name = this.#origin === 'file' ? withoutValue(given) : given
      const meant = names.find((one) => one === IN_CATALOGS.get(name))
      const near = at >= MOST_SUGGESTIONS ? undefined : (meant ?? nearestName(name, names))
      const isOfOther = ofAny.includes(name)
      const hint = at >= MOST_SUGGESTIONS ? '' : isOfOther ? OF_OTHER : this.#hint(name, value, near, path)
      const inner = [...path, name]
      if (this.#isNoted(name, value, isOfOther ? undefined : near, path)) {
        const more = holdsAny(value, names) ? WRAPPED : hint
        this.#findings.warnings.push(`unknown option \`${pathText(inner)}\` ignored${more}`)
      } else this.#findings.add(inner, name !== given && isKnown(name) ? UNDIVIDED : `is unknown${hint}`)
    }
  }

  /** Tells whether an unknown name is only noted. The choice of a misspelt option would be made otherwise, and not a
   *  word said: rows under another key, say, which cannot be deleted. */
  #isNoted(name: string, value: unknown, near: string | undefined, path: Path): boolean {
    if (this.#origin === 'file') return false
    const isDecisive = near !== undefined && (path.length > 0 || this.#origin.form.decisive.has(near))
    return !isDecisive || value === null || value === '' || /^[$_]/.test(name)
  }

  #hint(name: string, value: unknown, near: string | undefined, path: Path): string {
    this.#options ??= optionsIn(this.#schema)
    const home = homeOf(name, value, path, this.#options)
    const isGuessed = near !== undefined && (home === undefined || home.includes(near))
    return `${home ?? ''}${isGuessed ? `; did you mean \`${near}\`?` : ''}`
  }
}

/** The place where an option of that name belongs, or the group that has all members of an unknown group. `undefined`
 *  when there is none. Places inside the current group come first. */
function homeOf(name: string, value: unknown, path: Path, options: readonly Option[]): string | undefined {
  const here = path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.')
  const inPath = (places: readonly string[]): readonly string[] => {
    const within = places.filter((place) => place.startsWith(here === '' ? '' : `${here}.`))
    return within.length > 0 ? within : places
  }
  const homes = inPath(options.filter((option) => option.path.at(-1) === name).map(groupOf))
  if (homes.length > 0) return `; it is an option of ${homes.map(placeText).join(' or ')}`
  const members = isObject(value) ? Object.keys(value) : []
  if (members.length === 0) return undefined
  const byGroup = Map.groupBy(options, groupOf)
  const groups = [...byGroup].filter(([, all]) =>
    members.every((member) => all.some((one) => one.path.at(-1) === member)),
  )
  const [group, ...others] = inPath(groups.map(([place]) => place)).filter((place) => place !== here)
  return group === undefined || others.length > 0 ? undefined : `; its contents are options of ${placeText(group)}`
}

function groupOf({ path }: Option): string {
  return path.slice(0, -1).join('.')
}

function placeText(place: string): string {
  return place === '' ? 'the top level' : `\`${place.replaceAll('.[]', '[]')}\``
}

/** Between `{ }`, YAML takes `password:VALUE` and `password=VALUE` for a name, and the value may be a secret. */
function withoutValue(name: string): string {
  return /^[^\s:=]*/.exec(name)![0]
}

const UNDIVIDED = 'must be followed by a colon and a space, and then its value'

const OF_OTHER = '; it goes with another choice'

const WRAPPED = ', and it wraps the options: give its contents alone'

/** Tells a config that a platform's API has wrapped. */
function holdsAny(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => Object.hasOwn(value, name))
}

/** @param value what was given where a choice is wanted, no object */
function choiceProblem(value: unknown, choice: z.ZodDiscriminatedUnion, notation: Notation): string {
  const kinds = [...groupsOf(choice).keys()]
  const kind = kinds.includes(value) ? value : kinds[0]
  return `must be a group of options, found ${kindOf(value)}: write ${written({ [choice.def.discriminator]: kind }, notation)}`
}

/** Groups of a choice, each by the value that names it. */
function groupsOf({ def }: z.ZodDiscriminatedUnion): ReadonlyMap<unknown, z.ZodObject> {
  const groups = def.options as readonly z.ZodObject[]
  return new Map(groups.map((group) => [(group.shape[def.discriminator] as z.ZodLiteral).value, group]))
}

function isWrapper(schema: z.ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
}

/** Whether its members are read one by one. */
function holdsGroup(schema: z.ZodType): boolean {
  return isWrapper(schema)
    ? holdsGroup(schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodObject || schema instanceof z.ZodArray
}

function meantBy(text: string): unknown {
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text.trim())) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}
