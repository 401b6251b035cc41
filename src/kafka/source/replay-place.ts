// How far a file of dead letters is replayed, kept beside it as FILE.replayed. A digest of the bytes before that place tells whether
// the file is still the same one.

import { createHash } from 'node:crypto'
import { readFile, type FileHandle } from 'node:fs/promises'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import { WholeFile } from '../../files/whole-file.ts'
import { parseObject } from '../../json/is-object.ts'
import { placePath } from '../dead-letters/dead-letter-replay.ts'

/** Most bytes before the place that the digest is made of. */
const KNOWN_BY = 4096

interface ReplayPlace {
  /** Bytes of the file. */
  readonly replayed: number
  /** The digest of the bytes before it. */
  readonly sha256: string
}

/** @param file the dead letters, open
 *  @returns where to go on, in bytes; 0 when none were replayed
 *  @throws ConnectorError config when they are not those that were replayed so far; what node:fs throws */
export async function readPlace(path: string, file: FileHandle): Promise<number> {
  const text = await readFile(placePath(path), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return 0
  const place = parsePlace(text)
  if (place && place.sha256 === (await hashBefore(file, place.replayed))) return place.replayed
  const [shown, beside] = [JSON.stringify(path), JSON.stringify(placePath(path))]
  const message =
    `The file ${shown} is not the one that was replayed before: ${beside} does not match it. ` +
    `If it was cut or changed, restore it; to replay all of it, remove ${beside}, and run again.`
  throw new ConnectorError('config', 'dead-letters.file-changed', message)
}

/** Keeps that the next replay goes on at `replayed`, in bytes; on the disk when it resolves.
 *  @throws ConnectorError config when it cannot be written */
export async function keepPlace(path: string, file: FileHandle, replayed: number): Promise<void> {
  try {
    const place: ReplayPlace = { replayed, sha256: await hashBefore(file, replayed) }
    const beside = await WholeFile.at(placePath(path))
    await beside.write(`${JSON.stringify(place)}\n`)
  } catch (cause) {
    const message = `How far ${JSON.stringify(path)} has been replayed cannot be saved beside it: ${codeOf(cause)}. Give this user the right to write to its folder, and run again: what is replayed already is replayed once more.`
    throw new ConnectorError('config', 'dead-letters.place-unkept', message, { cause })
  }
}

/** `undefined` when the text is no place. */
function parsePlace(text: string): ReplayPlace | undefined {
  const { replayed, sha256 }: Record<string, unknown> = parseObject(text) ?? {}
  const isPlace = Number.isSafeInteger(replayed) && (replayed as number) >= 0 && typeof sha256 === 'string'
  return isPlace ? { replayed: replayed as number, sha256 } : undefined
}

/** Digest of what is before a place; of a file that is shorter, of what there is: it fits none. */
async function hashBefore(file: FileHandle, place: number): Promise<string> {
  const from = Math.max(0, place - KNOWN_BY)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(place - from), 0, place - from, from)
  return createHash('sha256').update(`${place}:`).update(buffer.subarray(0, bytesRead)).digest('hex')
}
