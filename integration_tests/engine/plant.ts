// Copies the rooms core, service and json elsewhere, a fault planted. They import nothing but each other and packages, so
// the copy runs where it is.

import { readFileSync, readdirSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { membersOf } from './members.ts'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const ROOMS = ['core', 'service', 'json']

/** In `place`, a member of a source (`deliver`, `Body.add`; where several files have it, with its file: `statuses.ts:TABLE`), what
 *  matches `from` becomes `to`, both as String.replace takes them. The less `from` says, the freer the member is to change. */
export type Edit = readonly [place: string, from: string | RegExp, to: string]

export interface Fault {
  readonly name: string
  readonly edits: readonly Edit[]
}

export function fault(name: string, ...edits: Edit[]): Fault {
  return { name, edits }
}

/** @throws as `planted` does */
export async function plant(edits: readonly Edit[], directory: string): Promise<void> {
  const sources = new Map([...SOURCES, ...planted(edits)])
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  await symlink(PACKAGES, join(directory, 'node_modules'))
  await Promise.all(
    [...sources].map(async ([path, source]) => {
      await mkdir(dirname(join(directory, path)), { recursive: true })
      await writeFile(join(directory, path), source)
    }),
  )
}

/** The sources that the edits change, one edit after another, by their path below src.
 *  @throws when an edit does not match exactly once: the engine has changed under it */
export function planted(edits: readonly Edit[]): ReadonlyMap<string, string> {
  const changed = new Map<string, string>()
  for (const [place, from, to] of edits) {
    const [name, file = ''] = place.split(':').toReversed() as [string, string?]
    const path = onlyOne(
      [...NAMES.keys()].filter((path) => path.endsWith(file) && NAMES.get(path)!.has(name)),
      place,
    )
    const source = changed.get(path) ?? SOURCES.get(path)!
    const { start, end } = membersOf(source).find((member) => member.name === name)!
    const text = source.slice(start, end)
    const pattern = typeof from === 'string' ? RegExp(from.replaceAll(/\W/g, String.raw`\$&`)) : from
    onlyOne(text.match(RegExp(pattern, 'g')) ?? [], `${place}: ${from}`)
    changed.set(path, source.slice(0, start) + text.replace(from, to) + source.slice(end))
  }
  return changed
}

function onlyOne<T>(found: readonly T[], of: string): T {
  if (found.length !== 1) throw new Error(`Found ${found.length} times, not once: correct the fault.\n${of}`)
  return found[0]!
}

/** By their path below src. */
const SOURCES: ReadonlyMap<string, string> = new Map(
  ROOMS.flatMap(sourcesOf).map((path) => [path, readFileSync(join(SRC, path), 'utf8')]),
)

/** Of the members of each. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...SOURCES].map(([path, source]) => [path, new Set(membersOf(source).map(({ name }) => name))]),
)

function sourcesOf(room: string): string[] {
  const files = readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).map((file) => `${room}/${file}`)
}
