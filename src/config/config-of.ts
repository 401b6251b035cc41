// Converts options as named in a file to the program's form: names in camelCase, times in milliseconds.

import type { z } from 'zod'
import type { Secret } from '../core/secret.ts'
import { thousands } from '../text/figures.ts'

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** `retry_for_seconds` is `retryForMs`, `max_points` is `maxPoints`. */
type ConfigName<Name extends string> = Name extends `${infer Time}_seconds` ? `${Camel<Time>}Ms` : Camel<Name>

/** The type that `configOf` makes of options. An optional one is `T | undefined` there. */
export type ConfigOf<Options> = Options extends Secret | RegExp
  ? Options
  : Options extends readonly (infer Entry)[]
    ? readonly ConfigOf<Entry>[]
    : Options extends object
      ? { readonly [Name in keyof Options as ConfigName<Name & string>]-?: ConfigOf<Options[Name]> }
      : Options

/** Renames the options of a group, and of groups and lists in it. A number of seconds becomes milliseconds. */
export function configOf<Options extends object>(options: Options): ConfigOf<Options> {
  return renamed(options) as ConfigOf<Options>
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed)
  // an object of a class, such as a Secret, is no group of options
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const time = /^(.*)_seconds$/.exec(name)?.[1]
      return time === undefined ? [camel(name), renamed(member)] : [camel(`${time}_ms`), Number(member) * 1_000]
    }),
  )
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Picks some options of a group.
 *  @param shape an object with their names, whatever its values are: the shape of a schema, for example */
export function picked<Options extends object, Name extends keyof Options>(
  options: Options,
  shape: Readonly<Record<Name, unknown>>,
): Pick<Options, Name> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, options[name as Name]])) as Pick<Options, Name>
}

type Defined<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> }

/** Leaves out options that are `undefined`. */
export function withoutUndefined<Options extends object>(options: Options): Defined<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<Options>
}

/** Lists the numeric options of a config (made by `configOf`) that are not at their default: an option's name, its title, and its value in
 *  the unit that its title ends with, as in `Retry for (seconds)`.
 *  @param shape the schemas of these options by their names in a file; each has a default or is optional */
export function changedOptions(
  config: object,
  shape: Readonly<Record<string, z.ZodType>>,
): (readonly [option: string, title: string, value: string])[] {
  const values = new Map<string, unknown>(Object.entries(config))
  return Object.entries(shape).flatMap(([option, schema]) => {
    // name and default as the config has them
    const [name, byDefault] = Object.entries(configOf({ [option]: schema.parse(undefined) }))[0]!
    const value = values.get(name)
    if (value === undefined || value === byDefault) return []
    const [, title = option, unit = ''] = /^(.*?)(?: \((.*)\))?$/.exec(schema.meta()?.title ?? option) ?? []
    const shown = thousands(option.endsWith('_seconds') ? Number(value) / 1_000 : Number(value))
    return [[option, title, `${shown} ${unit}`.trimEnd()] as const]
  })
}
