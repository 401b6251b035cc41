// Reads the text of a ConfiguredAirbyteCatalog into typed streams, or says everything that is wrong with it.

import { jsonFault } from '../config/json-text.ts'
import { ConnectorError } from '../core/errors.ts'
import type { CatalogStream } from '../mapping/stream-mapping.ts'
import { isObject } from '../json/is-object.ts'
import { parseJson } from '../json/true-names.ts'
import { declaredTypes, declares } from './declared-types.ts'

type Json = Readonly<Record<string, unknown>>

const WANTED =
  'A write needs a ConfiguredAirbyteCatalog: {"streams":[{"stream":{"name":…},"destination_sync_mode":"append_dedup","primary_key":[["id"]]}]}'

/** Reads the streams of a catalog. Unknown members are ignored, and null counts as absent.
 *  @throws ConnectorError config listing every problem */
export function parseCatalog(text: string): readonly CatalogStream[] {
  const problems: string[] = []
  const streams = streamsOf(text, problems).map((entry, index) => streamOf(entry, `stream ${index + 1}`, problems))
  const seen = new Set<string>()
  for (const { name, namespace } of streams) {
    const key = JSON.stringify([namespace, name])
    const within = namespace === undefined ? '' : ` of namespace "${namespace}"`
    if (seen.has(key) && name !== '') problems.push(`stream "${name}"${within} occurs twice`)
    seen.add(key)
  }
  if (problems.length === 0) return streams
  const message = `The catalog (--catalog) cannot be used: ${problems.join('; ')}.`
  throw new ConnectorError('config', 'catalog.malformed', message)
}

/** Returns the entries of `streams`, unread. Empty when a problem, which is added to `problems`, leaves none to read. */
function streamsOf(text: string, problems: string[]): unknown[] {
  const json = text.replace(/^\uFEFF/, '')
  let catalog: unknown
  try {
    catalog = parseJson(json)
  } catch {
    problems.push(`the file is not JSON: ${brokenJson(json)}`)
    return []
  }
  if (!isObject(catalog) || !Array.isArray(catalog['streams'])) {
    problems.push(`it has no "streams" list${describeGiven(catalog)}. ${WANTED}`)
    return []
  }
  const { streams } = catalog
  if (streams.length === 0) problems.push('it names no stream: choose at least one')
  if (streams.length > 0 && streams.every(isDiscovered)) {
    problems.push(`its streams are as discover found them, not configured: no entry has a "stream". ${WANTED}`)
    return []
  }
  return streams
}

/** Describes what was probably given in place of a configured catalog. */
function describeGiven(given: unknown): string {
  if (!isObject(given)) return ''
  if (given['type'] === 'CATALOG') return ', but is a message that discover prints'
  return Object.hasOwn(given, 'import_url') ? ', but looks like the config (--config)' : ''
}

/** Whether an entry is a stream as discover prints it, without the settings around it. */
function isDiscovered(entry: unknown): boolean {
  return isObject(entry) && entry['stream'] === undefined && isText(entry['name'])
}

function streamOf(entry: unknown, place: string, problems: string[]): CatalogStream {
  const configured = isObject(entry) ? entry : {}
  const stream = isObject(configured['stream']) ? configured['stream'] : {}
  const name = typeof stream['name'] === 'string' ? stream['name'] : ''
  if (name === '') problems.push(`${place} has no name`)
  const owner = name === '' ? place : `stream "${name}"`
  // returns `undefined` when the member is absent, null, or does not fit, which is noted as a problem
  const take = <T>(from: Json, member: string, wanted: string, fits: (value: unknown) => value is T): T | undefined => {
    const value = from[member] ?? undefined
    if (value === undefined || fits(value)) return value
    problems.push(`${member} of ${owner} is not ${wanted}`)
    return undefined
  }
  const text = (from: Json, member: string): string | undefined => take(from, member, 'a string', isText)
  const wholeNumber = (member: string): number | undefined =>
    take(configured, member, 'a whole number from 0 to 2^53 - 1', isWhole)
  const paths = (from: Json, member: string): string[][] =>
    take(from, member, 'a list of lists of names, none of them empty, such as [["id"]]', isPaths) ?? []
  const schema = isObject(stream['json_schema']) ? stream['json_schema'] : {}
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return {
    name,
    namespace: text(stream, 'namespace') || undefined,
    declared: Object.keys(properties),
    // fields that may have values of several types, which `plan` lists
    unions: Object.entries(properties)
      .map(([member, memberSchema]) => ({ name: member, types: declaredTypes(memberSchema) }))
      .filter(({ types }) => types.length > 1),
    declares: (path) => declares(schema, path),
    destinationSyncMode: text(configured, 'destination_sync_mode'),
    objectName: text(configured, 'destination_object_name') || undefined,
    primaryKey: paths(configured, 'primary_key'),
    sourceDefinedPrimaryKey: paths(stream, 'source_defined_primary_key'),
    cursorField: take(configured, 'cursor_field', 'a list of names', isPath) ?? [],
    generationId: wholeNumber('generation_id'),
    minimumGenerationId: wholeNumber('minimum_generation_id'),
    syncId: wholeNumber('sync_id'),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isPath(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

function isPaths(value: unknown): value is string[][] {
  return Array.isArray(value) && value.every((path) => isPath(path) && path.length > 0)
}

/** Says where a file's text stops being JSON. Never quotes the text: it may be another file, with a key in it.
 *  @param text that is not JSON */
function brokenJson(text: string): string {
  if (text.trim() === '') return 'it is empty'
  // there is a fault to find: its scanner accepts what JSON.parse accepts, and this was refused
  return jsonFault(text)!
}
