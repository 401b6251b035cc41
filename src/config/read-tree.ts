// Reads a config by its schema, a tree of groups and lists: returns the valid parts with defaults, reports all problems. Quotes no value.

import { z } from 'zod'
import type { Secret } from '../core/secret.ts'
import { errorMapFor, kindOf, written, type Notation } from './error-map.ts'
import type { Findings, Path } from './findings.ts'
import { isOptional } from './schema-options.ts'
import { UnknownOptions, type TreeOrigin } from './unknown-options.ts'
import { isObject } from '../json/is-object.ts'

/** A value in which invalid parts are `undefined`. A list keeps its length. */
export type Partly<T> = T extends Secret
  ? T
  : T extends readonly (infer Entry)[]
    ? readonly (Partly<Entry> | undefined)[]
    : T extends object
      ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
      : T

/** Reads the valid parts of a value, and adds all that is wrong to `findings`. Never throws. Null counts as absent unless the schema takes
 *  it, and an absent group as empty unless it is optional. In a form an empty text counts as absent too, if the option is optional. In
 *  a file a text becomes a number or boolean where one is expected, because environment variables are always text. */
export function readTree<Schema extends z.ZodType>(
  given: unknown,
  schema: Schema,
  findings: Findings,
  origin: TreeOrigin = 'file',
): Partly<z.output<Schema>> {
  return new TreeReader(schema, findings, origin).read(given, schema, []) as Partly<z.output<Schema>>
}

/** The end of a message of error-map.ts (`wrongWord`) that a word is none of several. What those mean is told behind it. */
const NO_CHOICE = /, found (?:another string|"[a-z_-]+")$/

/** Reads one config: `read` calls itself for each member of a group and each entry of a list, with the value there and its schema. What
 *  cannot be read becomes `undefined`, and a problem at its path. */
class TreeReader {
  readonly #findings: Findings
  readonly #origin: TreeOrigin
  readonly #notation: Notation
  readonly #unknown: UnknownOptions

  constructor(schema: z.ZodType, findings: Findings, origin: TreeOrigin) {
    this.#findings = findings
    this.#origin = origin
    this.#notation = origin === 'file' ? 'yaml' : 'json'
    this.#unknown = new UnknownOptions(schema, findings, origin)
  }

  read(given: unknown, schema: z.ZodType, path: Path): unknown {
    const value = this.#isAbsent(given, schema) ? undefined : given
    if (value === undefined && isOptional(schema)) {
      const { success, data } = schema.safeParse(undefined)
      if (success) return data
    }
    return this.#readInner(value, schema, schema, path)
  }

  /** Reads a value by the kind of its schema inside all wrappers, for each of which this method calls itself: `inner` is what is left of
   *  the schema. A single value is read by the whole `schema`. */
  #readInner(value: unknown, schema: z.ZodType, inner: z.ZodType, path: Path): unknown {
    if (isOptional(inner)) return this.#readInner(value, schema, inner.unwrap() as z.ZodType, path)
    // z.preprocess of a group: what it makes of the value is read member by member
    if (inner instanceof z.ZodPipe && inner.in instanceof z.ZodTransform && holdsGroup(inner.out as z.ZodType))
      return this.read(inner.in.parse(value), inner.out as z.ZodType, path)
    if (inner instanceof z.ZodObject) return this.#readGroup(value ?? {}, inner, path)
    if (inner instanceof z.ZodDiscriminatedUnion && value !== undefined) return this.#readChoice(value, inner, path)
    if (inner instanceof z.ZodRecord && isObject(value)) return this.#readNamed(value, inner, path)
    if (inner instanceof z.ZodArray && Array.isArray(value)) return this.#readList(value, inner, path)
    return this.#readLeaf(value, schema, path)
  }

  /** Reads one of several groups: which one, a member of them (the discriminator) says. */
  #readChoice(value: unknown, choice: z.ZodDiscriminatedUnion, path: Path): unknown {
    const groups = groupsOf(choice)
    const { discriminator } = choice.def
    if (!isObject(value)) {
      const kindMeant = groups.has(value) ? value : [...groups.keys()][0]
      const example = written({ [discriminator]: kindMeant }, this.#notation)
      this.#findings.add(path, `must be a group of options, found ${kindOf(value)}: write ${example}`)
      return undefined
    }
    const kind = value[discriminator]
    const group = groups.get(kind)
    const allNames = [...groups.values()].flatMap(({ shape }) => Object.keys(shape))
    if (group) return this.#readGroup(value, group, path, allNames)
    const meanings = Array.from(groups, ([name, { description }]) => `${String(name)}: ${description}`)
    const kinds = z.enum([...groups.keys()] as string[]).describe(meanings.join(' '))
    // finds what is wrong with the member; null counts as absent there too
    return this.#readLeaf(kind ?? undefined, kinds, [...path, discriminator])
  }

  #isAbsent(value: unknown, schema: z.ZodType): boolean {
    if (value === null) return !schema.safeParse(null).success
    return value === '' && this.#origin !== 'file' && schema.safeParse(undefined).success
  }

  /** @param otherNames options of all groups of a choice, where this group is one of them */
  #readGroup(value: unknown, schema: z.ZodObject, path: Path, otherNames: readonly string[] = []): unknown {
    if (!isObject(value)) return this.#readLeaf(value, schema, path)
    const { shape } = schema
    this.#unknown.find(value, { path, names: Object.keys(shape), otherNames })
    return Object.fromEntries(
      Object.entries(shape).map(([name, member]) => {
        const given = Object.hasOwn(value, name) ? value[name] : undefined
        return [name, this.read(given, member as z.ZodType, [...path, name])]
      }),
    )
  }

  #readList(list: readonly unknown[], schema: z.ZodArray, path: Path): unknown[] {
    const issueOfList = schema
      .safeParse(list, { error: errorMapFor(this.#notation) })
      .error?.issues.find((issue) => issue.path.length === 0)
    this.#findings.add(path, issueOfList?.message)
    return list.map((entry, index) => this.read(entry, schema.element as z.ZodType, [...path, index]))
  }

  /** Reads a group whose names the user gives. */
  #readNamed(group: object, { keyType, valueType }: z.ZodRecord, path: Path): unknown {
    return Object.fromEntries(
      Object.entries(group).map(([name, value]) => {
        this.#readLeaf(name, keyType as z.ZodType, [...path, name])
        return [name, this.read(value, valueType as z.ZodType, [...path, name])]
      }),
    )
  }

  /** Reads a single value, or one that is no group or list although its schema is. */
  #readLeaf(value: unknown, schema: z.ZodType, path: Path): unknown {
    const result = schema.safeParse(value, { error: errorMapFor(this.#notation) })
    if (result.success) return result.data
    const converted = this.#origin === 'file' && typeof value === 'string' ? schema.safeParse(meantBy(value)) : result
    if (converted.success) return converted.data
    const { message } = result.error.issues[0]!
    const meanings = NO_CHOICE.test(message) ? schema.description : undefined
    this.#findings.add(path, meanings === undefined ? message : `${message}. ${meanings.replace(/\.$/, '')}`)
    return undefined
  }
}

/** Groups of a choice, each by the value that names it. */
function groupsOf({ def }: z.ZodDiscriminatedUnion): ReadonlyMap<unknown, z.ZodObject> {
  const groups = def.options as readonly z.ZodObject[]
  return new Map(groups.map((group) => [(group.shape[def.discriminator] as z.ZodLiteral).value, group]))
}

/** Whether a schema is of a group or a list, whose members are read one by one. */
function holdsGroup(schema: z.ZodType): boolean {
  return isOptional(schema)
    ? holdsGroup(schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodObject || schema instanceof z.ZodArray
}

/** The number or truth value that a text stands for. A text that stands for none is returned as it is. */
function meantBy(text: string): unknown {
  if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text.trim())) return Number(text)
  if (text === 'true') return true
  return text === 'false' ? false : text
}
