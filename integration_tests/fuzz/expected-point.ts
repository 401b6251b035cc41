// What is right: the point a record becomes, or that it is rejected (decisions.md#rows-tables-and-names), from where
// its members stand. Uses nothing of the connector.

import { createHash } from 'node:crypto'
import { depthOf, membersOf, textOf, type Member } from './locate.ts'
import type { RightRecord } from './oracle.ts'

/** Equal texts: equal keys. */
export interface ExpectedKey {
  readonly exact: string
  readonly fence: string
  /** What the service tells rows apart by. */
  readonly identity: string
}

export type Expected =
  | { readonly rejected: true }
  /** Without a key every record is a row. */
  | { readonly rejected: false; readonly point: Buffer; readonly key: ExpectedKey | undefined }

const DEEPEST = 1024
const REJECTED: Expected = { rejected: true }
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Expects the records of one run, in order. */
export class ExpectedPoints {
  readonly #seen = new Map<string, number>()

  of(record: RightRecord): Expected {
    const { text, data, stream, isBroken } = record
    if (isBroken) return REJECTED
    if (depthOf(text, data) > DEEPEST) return REJECTED
    const members = membersOf(text, data.from)
    const values = stream.key.map((path) => valueAt(text, members, path))
    if (values.includes(undefined) || !isFree(record, members)) return REJECTED
    const renamed = rename(record, members)
    if (renamed === undefined) return REJECTED
    const scalars = values.map((value) => text.slice(value!.from, value!.to))
    if (scalars.some((scalar) => /^[[{n]/.test(scalar) || isBeyond(scalar))) return REJECTED
    const head = this.#head(record, scalars)
    const comma = members.length === 0 ? '' : ','
    const point = Buffer.from(`${head}${comma}${renamed}`, 'latin1')
    return { rejected: false, point, key: scalars.length === 0 ? undefined : keyOf(scalars) }
  }

  /** Without the comma behind it. */
  #head(record: RightRecord, scalars: readonly string[]): string {
    const { key, fields } = record.stream
    if (key.length === 0) return `{"keys":["_airbyte_raw_id"],"_airbyte_raw_id":"${this.#id(record)}"`
    const hoisted = key.flatMap((path, at) => (path.length > 1 ? [`,"${fields[at]}":${scalars[at]}`] : []))
    return `{"keys":${JSON.stringify(fields)}${hoisted.join('')}`
  }

  #id({ stream, text, emitted, data }: RightRecord): string {
    const parts = [
      stream.namespace ?? '',
      stream.name,
      text.slice(emitted.from, emitted.to),
      text.slice(data.from, data.to),
    ]
    const told = parts.join('\0')
    const before = this.#seen.get(told) ?? 0
    this.#seen.set(told, before + 1)
    const hash = createHash('sha256').update(before === 0 ? told : `${told}\0${before}`, 'latin1')
    const bytes = hash.digest().subarray(0, 16)
    bytes[6] = 0x80 | (bytes[6]! & 15)
    bytes[8] = 0x80 | (bytes[8]! & 63)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
}

/** No member takes the name of what a nested key is sent as. */
function isFree({ stream }: RightRecord, members: readonly Member[]): boolean {
  const hoisted = new Set(stream.fields.filter((_, at) => stream.key[at]!.length > 1))
  return !members.some(({ name }) => hoisted.has(name))
}

/** The value at a key's path; undefined: none, or one of several. */
function valueAt(text: string, members: readonly Member[], path: readonly string[]): Member | undefined {
  let [found, inside]: [Member | undefined, readonly Member[]] = [undefined, members]
  for (const step of path) {
    if (found !== undefined) inside = text[found.from] === '{' ? membersOf(text, found.from) : []
    const named = inside.filter(({ name }) => name === step)
    if (named.length !== 1) return undefined
    found = named[0]
  }
  return found
}

/** The data behind its brace, reserved names changed; undefined: that cannot be done. */
function rename({ text, data, stream }: RightRecord, members: readonly Member[]): string | undefined {
  const names = members.map(({ name }) => name)
  let [renamed, kept] = ['', data.from + 1]
  for (const { name, spelt } of members) {
    if (!stream.reserved.includes(name)) continue
    if (names.filter((other) => other === name).length > 1 || names.includes(`${name}_`)) return undefined
    renamed += `${text.slice(kept, spelt.from)}${name}_`
    kept = spelt.to
  }
  return renamed + text.slice(kept, data.to)
}

/** More bytes than a key may have, or a number with an exponent that none may have. */
function isBeyond(scalar: string): boolean {
  const [, exponent = '0'] = /^[-\d][^eE]*[eE]\+?(.*)$/.exec(scalar) ?? []
  return scalar.length > 65_536 || BigInt(exponent) > 10_000n || BigInt(exponent) < -10_000n
}

function keyOf(scalars: readonly string[]): ExpectedKey {
  const joined = (form: (scalar: string) => string): string => JSON.stringify(scalars.map(form))
  return { exact: joined(exactOf), fence: joined(fenceOf), identity: joined(identityOf) }
}

/** A text by what it says, anything else as it is written. */
function exactOf(scalar: string): string {
  return scalar.startsWith('"') ? `"${textOf(scalar, { from: 1, to: scalar.length - 1 })}` : scalar
}

/** A number by its value, a text that is a number too. */
function fenceOf(scalar: string): string {
  const exact = exactOf(scalar)
  const told = exact.startsWith('"') ? exact.slice(1) : exact
  return NUMBER.test(told) ? valueOf(told) : exact
}

function identityOf(scalar: string): string {
  return NUMBER.test(scalar) ? valueOf(scalar) : exactOf(scalar)
}

/** One text for each number there is. */
function valueOf(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number)!
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '') return '0'
  const short = digits.replace(/0+$/, '')
  const power = BigInt(exponent.replace('+', '')) - BigInt(fraction.length) + BigInt(digits.length - short.length)
  return `${sign}${short}e${power}`
}
