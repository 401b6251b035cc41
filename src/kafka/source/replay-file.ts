// A file of dead letters read back, from where the last replay ended up to where the file ended when this one began. How far it
// was replayed is kept beside it, as a consumer group keeps its offsets: the file itself is never changed, so that others may
// append to it meanwhile.

import { open, stat, type FileHandle } from 'node:fs/promises'
import { codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { LineTooLong, LineSplitter, type Lines } from '../../json/split-lines.ts'
import type { Log } from '../../process/io.ts'
import { fromLine, isCutOffLetter } from '../dead-letters/letter-line.ts'
import { firstRead, type Replayed } from '../dead-letters/dead-letter-replay.ts'
import { keepPlace, readPlace } from './replay-place.ts'
import type { ReadRecord } from './types.ts'

const CHUNK = 256 * 1024

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
  if (!(await stat(path)).isFile()) throw new OtherKind('NO_FILE')
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
  readonly #to: number
  /** Read so far. */
  #at: number
  /** The place of the line that comes next. */
  #place: number

  constructor(path: string, file: FileHandle | undefined, from: number, to: number, log: Log) {
    this.#path = path
    this.#file = file
    this.#at = this.#place = from
    this.#to = to
    this.#log = log
    this.from = BigInt(from)
  }

  /** A chunk's letters at a time; ends early, without error, on `signal`. `next` is a place in the file, in bytes. */
  async *read(signal: AbortSignal): AsyncGenerator<Replayed> {
    while (this.#file && this.#at < this.#to && !signal.aborted) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, this.#to - this.#at))
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, this.#at)
      if (bytesRead === 0) return
      this.#at += bytesRead
      const replayed = this.#replayed(chunk.subarray(0, bytesRead))
      if (replayed.records.length > 0 || replayed.error) yield replayed
      if (replayed.error) return
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

  #replayed(chunk: Buffer): Replayed {
    const records: ReadRecord[] = []
    const error = this.#take(chunk, records)
    return { records, next: BigInt(this.#place), error }
  }

  #take(chunk: Buffer, records: ReadRecord[]): ConnectorError | undefined {
    try {
      for (const { bytes, bounds, count, unterminated } of this.#lines(chunk)) {
        for (let index = 0; index < count; index++) {
          const line = bytes.subarray(bounds[2 * index], bounds[2 * index + 1])
          const letter = isBlank(line) ? undefined : fromLine(line)
          if (letter && 'problem' in letter) {
            // it may still be being written: the next replay reads it
            if (unterminated) return undefined
            if (!isCutOffLetter(line)) return noLetter(this.#path, this.#place, letter.problem)
            void this.#logCutOff()
          } else if (letter) records.push(firstRead(letter, BigInt(this.#place)))
          this.#place += line.length + (unterminated ? 0 : 1)
        }
      }
      return undefined
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      return noLetter(this.#path, this.#place, `it is longer than ${error.limit} bytes`)
    }
  }

  *#lines(chunk: Buffer): Generator<Lines> {
    yield* this.#splitter.push(chunk)
    if (this.#at === this.#to) yield* this.#splitter.end()
  }

  #logCutOff(): Promise<void> {
    const what = `A line of ${JSON.stringify(this.#path)}, ${this.#place} bytes from its beginning, is cut off and left out`
    return this.#log('warn', `${what}: the process ended while it wrote it, and read its record again later.`).catch(
      () => {},
    )
  }
}

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
