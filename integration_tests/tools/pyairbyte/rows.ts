// What rows there must be, and how two sets of them are compared. Reads JSON by the language's own parser, numbers by their
// text: whole ones exactly, others as the doubles that Python makes of them.

import assert from 'node:assert/strict'

export type Data = Readonly<Record<string, unknown>>

/** JSON whose whole numbers are bigints. */
export function parse(text: string): unknown {
  // the third argument is younger than its type
  const exactly = (_name: string, value: unknown, context?: { source: string }): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(context!.source) ? BigInt(context!.source) : value
  return JSON.parse(text, exactly)
}

/** The same text for the same value, whatever the order of members; 1, 1.0, true and "1" differ. */
export function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return `float ${value}`
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.toSorted().join(',')}}`
}

/** Fails unless both hold the same rows, each as often. Shows a few that differ. */
export function assertSameRows(actual: readonly Data[], expected: readonly Data[], table: string): void {
  const surplus = new Map<string, number>()
  const count = (rows: readonly Data[], by: number): void => {
    for (const row of rows.map(canonical)) surplus.set(row, (surplus.get(row) ?? 0) + by)
  }
  count(actual, 1)
  count(expected, -1)
  const differing = [...surplus].filter(([, times]) => times !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const shown = differing.slice(0, 6).map(([row, times]) => `${times > 0 ? '+' : '-'} ${row.slice(0, 300)}`)
  const sizes = `table ${table}: ${actual.length} rows (+), ${expected.length} expected (-)`
  assert.ok(differing.length === 0, `${sizes}, ${differing.length} differ:\n${shown.join('\n')}`)
}

/** The last one of each key, keys compared exactly. */
export function newest(records: readonly Data[], key: readonly string[]): Data[] {
  const rows = new Map(records.map((data) => [canonical(key.map((field) => data[field])), data]))
  return [...rows.values()]
}

/** What is left of the rows of a table whose key is the primary key. Fails where one has other keys. */
export function keyedBy(key: readonly string[], rows: readonly Data[]): Data[] {
  return rows.map(({ keys, ...data }) => {
    assert.deepEqual(keys, key)
    return data
  })
}

/** What is left of the rows of a table in which every record is a row. Fails where ids are not what they must be. */
export function keyedByRawId(rows: readonly Data[]): Data[] {
  const ids = new Set<unknown>()
  const records = rows.map(({ keys, _airbyte_raw_id: id, _airbyte_raw_id_: own, ...data }) => {
    assert.deepEqual(keys, ['_airbyte_raw_id'])
    assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    ids.add(id)
    // a record's own member of that name has been renamed
    return own === undefined ? data : { _airbyte_raw_id: own, ...data }
  })
  assert.equal(ids.size, rows.length, 'an id belongs to one row')
  return records
}
