// How far a file of dead letters has been replayed, kept beside it: as a consumer group keeps its offsets. The file itself is
// never changed, so that others may append to it meanwhile.

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConnectorError } from '../../core/errors.ts'

/** Bytes before the place, by which the file is known again. */
const KNOWN_BY = 4096
const MODE = 0o600

interface Place {
  /** Bytes of the file. */
  readonly replayed: number
  /** Of the bytes before it. */
  readonly sha256: string
}

export function placePath(path: string): string {
  return `${path}.replayed`
}

/** @param file the dead letters, open
 *  @returns where to go on; 0 when none were replayed
 *  @throws ConnectorError config when they are not those that were replayed so far */
export async function readPlace(path: string, file: FileHandle): Promise<number> {
  const text = await readFile(placePath(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return 0
  const place = placeOf(text)
  if (place && place.sha256 === (await hashBefore(file, place.replayed))) return place.replayed
  const [shown, beside] = [JSON.stringify(path), JSON.stringify(placePath(path))]
  const message =
    `The file ${shown} is not the one that was replayed before: ${beside} does not fit it. ` +
    `Was it cut or changed, bring it back as it was; to replay all it holds, remove ${beside}, and run again.`
  throw new ConnectorError('config', message)
}

/** Resolves when it would outlive the machine. */
export async function keepPlace(path: string, file: FileHandle, replayed: number): Promise<void> {
  const place: Place = { replayed, sha256: await hashBefore(file, replayed) }
  const fresh = `${placePath(path)}.new`
  {
    await using handle = await open(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, MODE)
    await handle.writeFile(`${JSON.stringify(place)}\n`)
    await handle.sync()
  }
  await rename(fresh, placePath(path))
  // not every file system can be asked to keep a name
  const folder = await open(dirname(path), constants.O_RDONLY).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

function placeOf(text: string): Place | undefined {
  try {
    const { replayed, sha256 } = JSON.parse(text) as Partial<Place>
    const isPlace = Number.isSafeInteger(replayed) && replayed! >= 0 && typeof sha256 === 'string'
    return isPlace ? { replayed: replayed!, sha256: sha256 } : undefined
  } catch {
    return undefined
  }
}

/** Of a file that is shorter, of what there is: it fits none. */
async function hashBefore(file: FileHandle, place: number): Promise<string> {
  const from = Math.max(0, place - KNOWN_BY)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(place - from), 0, place - from, from)
  return createHash('sha256').update(`${place}:`).update(buffer.subarray(0, bytesRead)).digest('hex')
}
