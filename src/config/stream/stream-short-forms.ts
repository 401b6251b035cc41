// The short forms of options of `stream`, written out as its schema has them. Looks at shapes only: what is wrong stays as it
// is. Pure.

import type { Path } from '../findings.ts'

/** The word null of `unavailable`, which YAML takes for nothing unless it stands in quotes.
 *  @param isLeftEmpty whether not even that word is there */
export function withNullWords(given: unknown, isLeftEmpty: (path: Path) => boolean): unknown {
  return changed(given, 'topics', (topics) =>
    entriesOf(topics, (entry, index) =>
      isGroup(entry) && entry['unavailable'] === null && !isLeftEmpty(['topics', index, 'unavailable'])
        ? { ...entry, unavailable: 'null' }
        : entry,
    ),
  )
}

/** `brokers` as one text, `tls` as true or false, `mechanism` in capitals, `keys` as a list, one key without its list. */
export function writtenOut(given: unknown): unknown {
  const inKafka = changed(given, 'kafka', (kafka) =>
    changed(changed(changed(kafka, 'brokers', brokers), 'tls', tls), 'sasl', (sasl) =>
      changed(sasl, 'mechanism', (name) => (typeof name === 'string' ? name.toLowerCase() : name)),
    ),
  )
  return changed(inKafka, 'topics', (topics) => entriesOf(topics, (entry) => changed(entry, 'keys', keys)))
}

function brokers(value: unknown): unknown {
  const list = typeof value === 'string' ? value.split(',').filter((broker) => broker.trim() !== '') : value
  return entriesOf(list, (broker) => (typeof broker === 'string' ? broker.trim() : broker))
}

function tls(value: unknown): unknown {
  if (value === true || value === 'true') return {}
  return value === false || value === 'false' ? undefined : value
}

function keys(value: unknown): unknown {
  if (Array.isArray(value)) return { value }
  return changed(value, 'value', (field) => (typeof field === 'string' ? [field] : field))
}

/** Where in the file stands what is at a place of the form written out. */
export function placeInFile(path: Path, given: unknown): Path {
  const [topics, index, ...inEntry] = path
  if (topics !== 'topics' || index === undefined || inEntry[0] !== 'keys' || inEntry[1] !== 'value') return path
  const entries = isGroup(given) ? given['topics'] : undefined
  const entry: unknown = Array.isArray(entries) ? entries[Number(index)] : undefined
  return isGroup(entry) && Array.isArray(entry['keys']) ? [topics, index, 'keys', ...inEntry.slice(2)] : path
}

type Group = Readonly<Record<string, unknown>>

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function changed(given: unknown, name: string, change: (value: unknown) => unknown): unknown {
  return isGroup(given) && Object.hasOwn(given, name) ? { ...given, [name]: change(given[name]) } : given
}

function entriesOf(given: unknown, change: (entry: unknown, index: number) => unknown): unknown {
  return Array.isArray(given) ? given.map(change) : given
}
