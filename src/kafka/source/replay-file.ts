// A file of dead letters read back, from where the last replay ended up to where the file ended when this one began. Knows no
// mapper and no delivery.

import { open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { ConnectorError } from '../../core/errors.ts'
import { LineTooLong } from '../../json/line-too-long.ts'
import { LineSplitter } from '../../json/split-lines.ts'
import type { Say } from '../../process/io.ts'
import { NoFile } from '../../rejects/reject-file-problem.ts'
import { fromLine, isCutOffLetter } from '../dead-letters/dead-letter-line.ts'
import { runsOf } from '../dead-letters/dead-letter-replay.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { keepPlace, readPlace } from './replay-place.ts'

const CHUNK = 256 * 1024

export interface ReplayFile extends AsyncDisposable {
  /** Letters to come, in bytes of the file. */
  readonly bytes: number
  /** A chunk's letters at a time; ends early, without error, on `signal`. `next` is a place in the file, in bytes. */
  read(signal: AbortSignal): AsyncIterable<Replayed>
  /** The next replay goes on there. Durable when it resolves. */
  commit(next: bigint): Promise<void>
}

/** Letters that are appended from now on are left for the next replay. A file that is not there has none.
 *  @throws ConnectorError config when it cannot be read, or is another one than the last replay's */
export async function openReplayFile(path: string, say: Say): Promise<ReplayFile> {
  const file = await opened(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadable(path, error)
  })
  if (!file) return NONE
  try {
    const { size } = await file.stat()
    return new OpenFile(path, file, await readPlace(path, file), size, say)
  } catch (error) {
    await file.close()
    throw error instanceof ConnectorError ? error : unreadable(path, error)
  }
}

async function opened(path: string): Promise<FileHandle> {
  // a pipe would wait for its writer
  if (!(await stat(path)).isFile()) throw new NoFile()
  return open(path, 'r')
}

const NONE: ReplayFile = {
  bytes: 0,
  async *read() {},
  commit: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

class OpenFile implements ReplayFile {
  readonly bytes: number
  readonly #path: string
  readonly #file: FileHandle
  readonly #say: Say
  readonly #splitter = new LineSplitter()
  readonly #to: number
  /** Read so far. */
  #at: number
  /** Of the line that comes next. */
  #place: number

  constructor(path: string, file: FileHandle, from: number, to: number, say: Say) {
    this.#path = path
    this.#file = file
    this.#at = this.#place = from
    this.#to = to
    this.#say = say
    this.bytes = Math.max(0, to - from)
  }

  async *read(signal: AbortSignal): AsyncGenerator<Replayed> {
    while (this.#at < this.#to && !signal.aborted) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, this.#to - this.#at))
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, this.#at)
      if (bytesRead === 0) return
      this.#at += bytesRead
      const replayed = this.#replayed(chunk.subarray(0, bytesRead))
      if (replayed.runs.length > 0 || replayed.error) yield replayed
      if (replayed.error) return
    }
  }

  async commit(next: bigint): Promise<void> {
    try {
      await keepPlace(this.#path, this.#file, Number(next))
    } catch (error) {
      throw unkept(this.#path, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  #replayed(chunk: Buffer): Replayed {
    const letters: DeadLetter[] = []
    const error = this.#take(chunk, letters)
    return { runs: runsOf(letters), next: BigInt(this.#place), error }
  }

  #take(chunk: Buffer, letters: DeadLetter[]): ConnectorError | undefined {
    try {
      for (const { bytes, bounds, count } of this.#splitter.push(chunk)) {
        for (let index = 0; index < count; index++) {
          const line = bytes.subarray(bounds[2 * index], bounds[2 * index + 1])
          const letter = isBlank(line) ? undefined : fromLine(line)
          if (letter && 'problem' in letter) {
            if (!isCutOffLetter(line)) return noLetter(this.#path, this.#place, letter.problem)
            void this.#tellCutOff()
          } else if (letter) letters.push(letter)
          this.#place += line.length + 1
        }
      }
      return undefined
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      return noLetter(this.#path, this.#place, `it is longer than ${error.limit} bytes`)
    }
  }

  #tellCutOff(): Promise<void> {
    const what = `A line of ${JSON.stringify(this.#path)}, ${this.#place} bytes behind its beginning, is cut off and left out`
    return this.#say('WARN', `${what}: the process ended while it wrote it, and read its record again later.`).catch(
      () => {},
    )
  }
}

function isBlank(line: Buffer): boolean {
  return line.length < 3 && line.toString('latin1').trim() === ''
}

function noLetter(path: string, place: number, problem: string): ConnectorError {
  const message =
    `The file ${JSON.stringify(path)} holds a line that is no dead letter, ${place} bytes behind its beginning: ${problem}. ` +
    `Look at it with tail -c +${place + 1} FILE | head -n 1, correct or remove it, and run again: the letters before it are replayed.`
  return new ConnectorError('config', message)
}

function unreadable(path: string, cause: unknown): ConnectorError {
  const words = cause instanceof NoFile ? 'it is no ordinary file' : codeOf(cause)
  const message = `The file ${JSON.stringify(path)} of dead_letters.file cannot be read: ${words}. Give this user the right to read it and what is beside it, and run again.`
  return new ConnectorError('config', message, { cause })
}

function unkept(path: string, cause: unknown): ConnectorError {
  const words = codeOf(cause)
  const message = `How far ${JSON.stringify(path)} is replayed cannot be kept beside it: ${words}. Give this user the right to write to its folder, and run again: what is replayed already is replayed once more.`
  return new ConnectorError('config', message, { cause })
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
}
