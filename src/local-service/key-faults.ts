// What is wrong with a point's `keys` (assumptions 7). Knows no bytes and no rows.

const NAME_SHOWN = 80

/** Empty: `keys` names fields that can identify a row. `point`: an object as JSON.parse gives it. */
export function keyFaults(point: Readonly<Record<string, unknown>>): readonly string[] {
  if (!Object.hasOwn(point, 'keys')) return ['keys is missing']
  const keys = point['keys']
  if (!Array.isArray(keys)) return ['keys is not an array of field names']
  if (keys.length === 0) return ['keys is empty: it must name at least one field']
  if (keys.some((name) => typeof name !== 'string')) return ['keys holds something that is not a string']
  const seen = new Set<string>()
  const faults: string[] = []
  for (const name of keys as readonly string[]) {
    if (seen.has(name)) faults.push(`keys names ${shown(name)} twice`)
    else faults.push(...fieldFaults(point, name))
    seen.add(name)
  }
  return faults
}

function fieldFaults(point: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  if (!Object.hasOwn(point, name)) return [`keys names ${shown(name)}, a field the point does not have`]
  const value = point[name]
  if (value === null) return [`the key field ${shown(name)} is null`]
  if (Array.isArray(value)) return [`the key field ${shown(name)} is an array`]
  return typeof value === 'object' ? [`the key field ${shown(name)} is an object`] : []
}

function shown(name: string): string {
  return JSON.stringify(name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}…` : name)
}
