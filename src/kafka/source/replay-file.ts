// Reads a file of dead letters back, from where the last replay ended up to where the file ended when this one began. How far it was replayed
// is kept beside it as FILE.replayed, as a consumer group keeps its offsets: the file itself is never changed, so that others may append to
// it meanwhile. Places in the file are in bytes from its beginning.

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

/** Opens the file. Letters that are appended from now on are left for the next replay. A file that is not there counts as one without letters.
 *  @throws ConnectorError config when it cannot be read, or is not the one that was replayed before */
export async function openReplayFile(path: string, log: Log): Promise<ReplayFile> {
  const file = await openRegular(path).catch((error: NodeJS.ErrnoException) => {
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

async function openRegular(path: string): Promise<FileHandle> {
  // opening a pipe would wait for its writer
  if (!(await stat(path)).isFile()) throw new OtherKind('NOT_REGULAR')
  return open(path, 'r')
}

/** One use: `read` once, and `commit` what is settled. */
export class ReplayFile implements AsyncDisposable {
  /** The place where the last replay ended. */
  readonly from: bigint
  readonly #path: string
  readonly #file: FileHandle | undefined
  readonly #log: Log
  readonly #splitter = new LineSplitter()
  /** The place where the file ended when it was opened. */
  readonly #end: number
  #readTo: number
  /** The place where the line begins that is read next. */
  #lineAt: number

  /** @param file `undefined` when there is none
   *  @param from, end where reading begins and ends */
  constructor(path: string, file: FileHandle | undefined, from: number, end: number, log: Log) {
    this.#path = path
    this.#file = file
    this.#readTo = this.#lineAt = from
    this.#end = end
    this.#log = log
    this.from = BigInt(from)
  }

  /** Yields the letters of a chunk of the file at a time; `next` is the place behind them. Ends early, without error, on `signal`. */
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

  /** Keeps that the next replay goes on at `to`: on the disk when it resolves. To be called again only after that.
   *  @throws ConnectorError config when it cannot be kept */
  async commit(to: bigint): Promise<void> {
    if (this.#file) await keepPlace(this.#path, this.#file, Number(to))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }

  /** Adds the records of a chunk's letters to `records`, and moves `#lineAt` on behind them.
   *  @returns what is wrong with the line behind them; `undefined` when nothing is */
  #readLetters(chunk: Buffer, records: ReadRecord[]): ConnectorError | undefined {
    try {
      for (const { bytes, bounds, count, unterminated } of this.#lines(chunk)) {
        for (let index = 0; index < count; index++) {
          // where a line begins and ends is in `bounds`, in turn
          const line = bytes.subarray(bounds[2 * index], bounds[2 * index + 1])
          const letter = isBlank(line) ? undefined : fromLine(line)
          if (letter && 'problem' in letter) {
            // the file's last line may still be being written: the next replay reads it
            if (unterminated) return undefined
            if (!isCutOffLetter(line)) return notALetter(this.#path, this.#lineAt, letter.problem)
            this.#logCutOff()
          } else if (letter) records.push(firstRead(letter, BigInt(this.#lineAt)))
          this.#lineAt += line.length + (unterminated ? 0 : 1)
        }
      }
      return undefined
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      return notALetter(this.#path, this.#lineAt, `it is longer than ${error.limit} bytes`)
    }
  }

  /** Lines that end in this chunk; with the file's last chunk also what is left without a line feed. */
  *#lines(chunk: Buffer): Generator<Lines> {
    yield* this.#splitter.push(chunk)
    if (this.#readTo === this.#end) yield* this.#splitter.end()
  }

  #logCutOff(): void {
    const what = `A line of ${JSON.stringify(this.#path)}, ${this.#lineAt} bytes from its beginning, is cut off and left out`
    void this.#log('warn', `${what}: the process ended while it wrote it, and read its record again later.`)
  }
}

/** Whether a line holds no more than a space or the rest of a CRLF; no letter is so short. */
function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString('latin1').trim() === ''
}

function notALetter(path: string, place: number, problem: string): ConnectorError {
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

/** Most bytes that a digest is made of. */
const DIGESTED_BYTES = 4096

/** How far the file is replayed, as FILE.replayed says it. */
interface ReplayPlace {
  readonly replayed: number
  /** The digest of the bytes before that place, which tells whether it is still the same file (`hashBefore`). */
  readonly sha256: string
}

/** Reads how far the file was replayed: 0 when it was not yet.
 *  @throws ConnectorError config when it is not the file that was replayed; what node:fs throws */
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

/** Writes how far the file is replayed.
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

/** Reads the text of FILE.replayed. `undefined` when it is not in that form. */
function parsePlace(text: string): ReplayPlace | undefined {
  const { replayed, sha256 }: Record<string, unknown> = parseObject(text) ?? {}
  const isPlace = Number.isSafeInteger(replayed) && (replayed as number) >= 0 && typeof sha256 === 'string'
  return isPlace ? { replayed: replayed as number, sha256 } : undefined
}

/** The digest of the last bytes before a place. In a file that ends before the place they are fewer, so it is not the digest that was kept. */
async function hashBefore(file: FileHandle, place: number): Promise<string> {
  const from = Math.max(0, place - DIGESTED_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(place - from), 0, place - from, from)
  return createHash('sha256').update(`${place}:`).update(buffer.subarray(0, bytesRead)).digest('hex')
}
