// What `COMMAND --example` prints: every option of a schema, explained; valid as soon as its variables are set.

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

import { wrap } from '../src/text/printable.ts'
import { innerOf } from '../src/config/schema-options.ts'

const WIDTH = 100

const INTRODUCTION = `YAML or JSON. An option that begins with # is optional: it shows its default, or an example.

Never put secrets here: write \${NAME} for a variable of the environment, or { file: /path } for the content of a file (its last line break does not count; a path that is not absolute begins at this file). Any other single value may be \${NAME} too.`

/** YAML. @param schema whose metadata says `description`, `examples`, and what only this asks for: `example` (a value to show without #),
 *  `shown` (a group to show without #) */
export function exampleOf(command: string, schema: z.ZodObject): string {
  const lines = [...comment(`A config for: ${command} --config FILE\n\n${INTRODUCTION}`), '']
  return `${lines.concat(groupLines(schema)).join('\n').trimEnd()}\n`
}

interface Meta {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly example?: unknown
  readonly shown?: boolean
  readonly airbyte_secret?: boolean
  readonly multiline?: boolean
}

function optionLines(name: string, option: z.ZodType): string[] {
  const { inner, meta, preset, isOptional } = unwrapped(option)
  const isShown = !isOptional || meta.shown === true
  const members = membersOf(inner)
  const own = members === undefined || meta.example !== undefined ? valueLines(name, meta, preset, isShown) : []
  if (members === undefined) return own
  const group = [`${name}:`, ...members].map((line) => (isShown ? line : `# ${line}`))
  return own.length > 0 ? [...own, ...group] : ['', ...comment(meta.description), ...group]
}

function valueLines(name: string, meta: Meta, preset: unknown, isShown: boolean): string[] {
  const fallback = meta.multiline === true ? { file: `/etc/ssl/${name}.pem` } : ''
  const reference = meta.airbyte_secret === true ? [`\${${name.toUpperCase()}}`] : []
  const known = [meta.example, ...reference, preset, ...(meta.examples ?? [])].filter((value) => value !== undefined)
  const [value, ...others] = known.length === 0 ? [fallback] : known
  const hidden = isShown || meta.example !== undefined ? '' : '# '
  const line = `${hidden}${name}: ${value === '' && preset === undefined ? '' : valueText(value)}`.trimEnd()
  const more = others
    .filter((other) => reference.length === 0 && preset === undefined && !isDeepStrictEqual(other, value))
    .map((other) => `# ${name}: ${valueText(other)}`)
  const about = `${line.padEnd(30)} # ${meta.description}`
  if (meta.description === undefined) return [line, ...more]
  return about.length <= WIDTH ? [about, ...more] : [...comment(meta.description), line, ...more]
}

/** Of a group, or of the entry of a list of groups; undefined: it is neither. */
function membersOf(schema: z.ZodType): string[] | undefined {
  if (schema instanceof z.ZodObject) return indented(groupLines(schema))
  if (!(schema instanceof z.ZodArray && schema.element instanceof z.ZodObject)) return undefined
  const entry = indented(indented(groupLines(schema.element)))
  const first = entry.findIndex((line) => /^ +[^ #]/.test(line))
  return entry.with(first, entry[first]!.replace('    ', '  - '))
}

function groupLines(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape).flatMap(([name, option]) => optionLines(name, option as z.ZodType))
}

interface Unwrapped {
  readonly inner: z.ZodType
  readonly meta: Meta
  readonly preset: unknown
  readonly isOptional: boolean
}

function unwrapped(option: z.ZodType): Unwrapped {
  const meta = option.meta() as Meta | undefined
  const around = innerOf(option)
  const isOptional = option.safeParse(undefined).success
  if (around === undefined) return { inner: option, meta: { ...meta }, preset: undefined, isOptional }
  const own = unwrapped(around)
  const preset = option instanceof z.ZodDefault ? option.def.defaultValue : own.preset
  return { inner: own.inner, meta: { ...own.meta, ...meta }, preset, isOptional }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? line : `  ${line}`))
}

function comment(text = ''): string[] {
  return text === '' ? [] : text.split('\n').flatMap((part) => wrap(`# ${part}`.trimEnd(), WIDTH, '# ').split('\n'))
}

/** YAML in one line. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${name}: ${valueText(member)}`)
      .join(', ')} }`
  const isPlain =
    typeof value !== 'string' ||
    /^(?:\$\{\w+\}|(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z/][\w./:@-]*(?: \w+)*)$/i.test(value)
  return isPlain ? String(value) : JSON.stringify(value)
}
