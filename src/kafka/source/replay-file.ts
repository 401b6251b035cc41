// A file of dead letters read back, from where the last replay ended up to where the file ended when this one began. How far it
// was replayed is kept beside it as FILE.replayed, as a consumer group keeps its offsets: the file itself is never changed, so that
// others may append to it meanwhile.

import { createHash } from 'node:crypto'
import { open, readFile, stat, type FileHandle } from 'node:fs/promises'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { WholeFile } from '../../files/whole-file.ts'
import { parseObject } from '../../json/is-object.ts'
import { LineTooLong, LineSplitter, type Lines } from '../../json/split-lines.ts'
import type { Log } from '../../process/io.ts'
import { fromLine, isCutOffLetter } from '../dead-letters/letter-line.ts'
import { firstRead, placePath, type Replayed } from '../dead-letters/dead-letter-replay.ts'
import type { ReadRecord } from './types.ts'

const CHUNK_BYTES = 256 * 1024

/** Letters that are appended from now on are left for the next replay. A file that is not there has none.
 *  @throws ConnectorError config when it cannot be read, or is another one than the last replay's */
export async function openReplayFile(path: string, log: Log): Promise<ReplayFile> {
  const file = await opened(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(path, error)
  })
  if (!file) return new ReplayFile(path, undefined, 0, 0, log)
  try {
    const { size } = await file.stat()
    return new ReplayFile(path, file, await readPlace(path, file), size, log)
  } catch (error) {
    await file.close()
    throw error instanceof ConnectorError ? error : unreadable(path, error)
  }
}

async function opened(path: string): Promise<FileHandle> {
  // a pipe would wait for its writer
  if (!(await stat(path)).isFile()) throw new OtherKind('NOT_REGULAR')
  return open(path, 'r')
}

/** `file` is `undefined` when there is none, which has no letters. */
export class ReplayFile implements AsyncDisposable {
  /** The place where the last replay ended, in bytes of the file. */
  readonly from: bigint
  readonly #path: string
  readonly #file: FileHandle | undefined
  readonly #log: Log
  readonly #splitter = new LineSplitter()
  /** Places in bytes: where the file ended when it was opened, up to where it is read, and where the next line begins. */
  readonly #end: number
  #readTo: number
  #lineAt: number

  constructor(path: string, file: FileHandle | undefined, from: number, end: number, log: Log) {
    this.#path = path
    this.#file = file
    this.#readTo = this.#lineAt = from
    this.#end = end
    this.#log = log
    this.from = BigInt(from)
  }

  /** A chunk's letters at a time; ends early, without error, on `signal`. `next` is a place in the file, in bytes. */
  async *read(signal: AbortSignal): AsyncGenerator<Replayed> {
    while (this.#file && this.#readTo < this.#end && !signal.aborted) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#end - this.#readTo))
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, this.#readTo)
      if (bytesRead === 0) return
      this.#readTo += bytesRead
      const records: ReadRecord[] = []
      const error = this.#readLetters(chunk.subarray(0, bytesRead), records)
      if (records.length > 0 || error) yield { records, next: BigInt(this.#lineAt), error }
      if (error) return
    }
  }

  /** Keeps that the next replay goes on at `to`; on the disk when it resolves. One after another.
   *  @throws ConnectorError config when it cannot be kept */
  async commit(to: bigint): Promise<void> {
    if (this.#file) await keepPlace(this.#path, this.#file, Number(to))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }

  /** Adds the letters of a chunk to `records`.
   *  @returns what is wrong with the line behind them; `undefined` when nothing is */
  #readLetters(chunk: Buffer, records: ReadRecord[]): ConnectorError | undefined {
    try {
      for (const { bytes, bounds, count, unterminated } of this.#lines(chunk)) {
        for (let index = 0; index < count; index++) {
          const line = bytes.subarray(bounds[2 * index], bounds[2 * index + 1])
          const letter = isBlank(line) ? undefined : fromLine(line)
          if (letter && 'problem' in letter) {
            // it may still be being written: the next replay reads it
            if (unterminated) return undefined
            if (!isCutOffLetter(line)) return noLetter(this.#path, this.#lineAt, letter.problem)
            this.#logCutOff()
          } else if (letter) records.push(firstRead(letter, BigInt(this.#lineAt)))
          this.#lineAt += line.length + (unterminated ? 0 : 1)
        }
      }
      return undefined
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      return noLetter(this.#path, this.#lineAt, `it is longer than ${error.limit} bytes`)
    }
  }

  *#lines(chunk: Buffer): Generator<Lines> {
    yield* this.#splitter.push(chunk)
    if (this.#readTo === this.#end) yield* this.#splitter.end()
  }

  #logCutOff(): void {
    const what = `A line of ${JSON.stringify(this.#path)}, ${this.#lineAt} bytes from its beginning, is cut off and left out`
    void this.#log('warn', `${what}: the process ended while it wrote it, and read its record again later.`)
  }
}

/** Tells the rest of a CRLF or a space from a letter, of which none is so short. */
function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString('latin1').trim() === ''
}

function noLetter(path: string, place: number, problem: string): ConnectorError {
  const message =
    `The file ${JSON.stringify(path)} holds a line that is not a dead letter, ${place} bytes from its beginning: ${problem}. ` +
    `Look at it with tail -c +${place + 1} FILE | head -n 1, correct or remove it, and run again: the letters before it are replayed.`
  return new ConnectorError('config', 'dead-letters.not-a-letter', message)
}

function unreadable(path: string, cause: unknown): ConnectorError {
  const words = cause instanceof OtherKind ? fileFault(cause, 'read') : codeOf(cause)
  const message = `The file ${JSON.stringify(path)} of dead_letters.file cannot be read: ${words}. Give this user the right to read it and what is beside it, and run again.`
  return new ConnectorError('config', 'dead-letters.file-unreadable', message, { cause })
}

/** Most bytes before the place that the digest is made of. */
const DIGESTED_BYTES = 4096

/** How far the file is replayed. The digest tells whether it is still the same file. */
interface ReplayPlace {
  /** Bytes of the file. */
  readonly replayed: number
  /** The digest of the bytes before it. */
  readonly sha256: string
}

/** @param file the dead letters, open
 *  @returns where to go on, in bytes; 0 when none were replayed
 *  @throws ConnectorError config when they are not those that were replayed so far; what node:fs throws */
async function readPlace(path: string, file: FileHandle): Promise<number> {
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
async function keepPlace(path: string, file: FileHandle, replayed: number): Promise<void> {
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
  const from = Math.max(0, place - DIGESTED_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(place - from), 0, place - from, from)
  return createHash('sha256').update(`${place}:`).update(buffer.subarray(0, bytesRead)).digest('hex')
}
