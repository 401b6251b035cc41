// A part that tests need and the project does not hold: found, or made once, in a cache outside the tree. A finished part
// appears at once, under its name; what a killed fetch left behind is never taken for one. Knows no part.

import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface Part {
  /** Lower case letters, digits and hyphens. */
  readonly name: string
  /** All that it is made from: another recipe is another part. */
  recipe(): Promise<string>
  /** Why this machine cannot have it; undefined when it can. */
  obstacle(signal: AbortSignal): Promise<string | undefined>
  /** Makes it in an empty folder, its place for good. Throws what a person can act upon. */
  make(folder: string, signal: AbortSignal): Promise<void>
  /** Whether what was made once still works, looked at briefly. */
  works(folder: string): Promise<boolean>
  /** Whether it is, byte for byte, what it is to be; absent where its own tools see to that. */
  isGenuine?(folder: string): Promise<boolean>
}

export type Fetched =
  | { readonly status: 'there' | 'made'; readonly folder: string }
  | { readonly status: 'impossible'; readonly reason: string }

/** @param environment XDG_CACHE_HOME, HOME, and TEST_PARTS, which overrides them. @returns the folder of all parts */
export function partsFolder(environment: NodeJS.ProcessEnv): string {
  const { TEST_PARTS, XDG_CACHE_HOME, HOME } = environment
  if (TEST_PARTS) return TEST_PARTS
  const cache = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(HOME ?? '/tmp', '.cache')
  return join(cache, 'destination-analytics-service', 'test-parts')
}

/** @returns the folder of a finished part that works; undefined when there is none. Makes nothing. */
export async function findPart(root: string, part: Part): Promise<string | undefined> {
  const target = await readlink(join(root, part.name)).catch(() => undefined)
  if (target === undefined || !target.startsWith(`${await title(part)}.`)) return undefined
  const folder = join(root, target)
  return (await part.works(folder)) ? folder : undefined
}

/** Makes a part unless it is there and genuine, then clears away what others of its name are left. */
export async function fetchPart(root: string, part: Part, signal: AbortSignal): Promise<Fetched> {
  const found = await findPart(root, part)
  const isGood = found !== undefined && ((await part.isGenuine?.(found)) ?? true)
  if (isGood) return { status: 'there', folder: found }
  const reason = await part.obstacle(signal)
  if (reason !== undefined) return { status: 'impossible', reason }
  await mkdir(root, { recursive: true })
  const folder = await mkdtemp(join(root, `${await title(part)}.${process.pid}.`))
  try {
    await part.make(folder, signal)
    signal.throwIfAborted()
    await publish(root, part.name, basename(folder))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  await clearAway(root, part.name, basename(folder))
  return { status: 'made', folder }
}

/** What the folders of a part begin with: its name and a digest of its recipe. */
async function title(part: Part): Promise<string> {
  const digest = createHash('sha256').update(await part.recipe())
  return `${part.name}-${digest.digest('hex').slice(0, 12)}`
}

/** A link, for a Python environment cannot be moved once it is made. */
async function publish(root: string, name: string, target: string): Promise<void> {
  const link = join(root, `${target}.link`)
  await symlink(target, link)
  await rename(link, join(root, name))
}

async function clearAway(root: string, name: string, kept: string): Promise<void> {
  const ofPart = new RegExp(`^${name}-[0-9a-f]{12}\\.(\\d+)\\.`)
  for (const entry of await readdir(root)) {
    const pid = ofPart.exec(entry)?.[1]
    if (pid === undefined || entry === kept || isAlive(Number(pid))) continue
    await rm(join(root, entry), { recursive: true, force: true })
  }
}

/** Another fetch may be making the same part right now. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
