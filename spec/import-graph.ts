// Who imports whom in src, types and lazy `import()` included: oxlint follows neither circles nor floors through those.

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const IMPORT =
  /^(?:import|export) (?:type )?(?:[^'"\n]*|\{[^}]*\} )?(?:from )?'(\.[^']+)'|^(?!\s*(?:\/\/|\*|\/\*)).*\bimport\('(\.[^']+)'\)/gm

export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Returns the imports of each production file of src, by paths from the root of the repository. */
export function readImports(): ImportGraph {
  const all = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
  const files = all.filter((file) => /\.(ts|js)$/.test(file) && !/\.test\.ts$|(^|\/)testing\//.test(file))
  const known = new Set(files.map((file) => `src/${file}`))
  return new Map(
    Array.from(known, (file) => {
      const found = [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(IMPORT)].map(
        ([, plain, lazy]) => plain ?? lazy!,
      )
      return [file, found.map((path) => posix.join(posix.dirname(file), path)).filter((path) => known.has(path))]
    }),
  )
}

/** Returns the groups of files that import one another in a circle (Tarjan). */
export function findCircles(graph: ImportGraph): readonly (readonly string[])[] {
  const seen = new Map<string, { low: number; readonly index: number }>()
  const path: string[] = []
  const circles: string[][] = []
  const visit = (file: string): { low: number; readonly index: number } => {
    const own = { low: seen.size, index: seen.size }
    seen.set(file, own)
    path.push(file)
    for (const next of graph.get(file) ?? []) {
      const known = seen.get(next)
      if (known === undefined) own.low = Math.min(own.low, visit(next).low)
      else if (path.includes(next)) own.low = Math.min(own.low, known.index)
    }
    if (own.low === own.index) {
      const circle = path.splice(path.indexOf(file))
      if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle)
    }
    return own
  }
  for (const file of graph.keys()) if (!seen.has(file)) visit(file)
  return circles
}

/** Returns the rules of .oxlintrc.json on which room may import which, as a test of an import: none of a room without a rule. */
export function readFloors(): (file: string, imported: string) => boolean {
  const { overrides } = JSON.parse(readFileSync(`${ROOT}.oxlintrc.json`, 'utf8')) as { overrides: readonly Override[] }
  // the upper floor has no rule: it may import all rooms
  const known = new Set(['', 'commands', ...overrides.flatMap(({ files }) => files.map(roomOf))])
  const floors = overrides.flatMap(({ files, rules }) => {
    const rule = rules['no-restricted-imports']?.[1]
    const regexes = rule?.patterns?.flatMap(({ regex }) => (regex === undefined ? [] : [new RegExp(regex)])) ?? []
    const rooms = files
      .filter((glob) => glob.startsWith('src/') && glob.endsWith('/**'))
      .map((glob) => glob.slice(0, -2))
    return regexes.length === 0 ? [] : [{ rooms, regexes }]
  })
  return (file, imported) => {
    const path = posix.relative(posix.dirname(file), imported)
    if (!known.has(roomOf(file))) return false
    return floors.every(({ rooms, regexes }) => {
      return !rooms.some((room) => file.startsWith(room)) || !regexes.some((regex) => regex.test(path))
    })
  }
}

/** Returns the folder of src that a file or a glob is of; '' for a file that is in none. */
function roomOf(path: string): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? ''
}

interface Override {
  readonly files: readonly string[]
  readonly rules: Readonly<Record<string, readonly [string, { patterns?: readonly { regex?: string }[] }]>>
}
