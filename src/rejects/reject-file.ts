// A file of rejected records, to which lines are appended, each durable when that is confirmed. It is opened once, `append` may be called
// at any time until it is disposed, and the first failure is that of every later call. Whether a file would do is said in
// reject-file-check.ts.

import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ConnectorError } from '../core/errors.ts'
import { isThere, rejectFileProblem, REJECTED_FILE } from './reject-file-check.ts'

const LF = 10
const LINE_END = Buffer.of(LF)
/** Lines this long are written in their pieces, if there are not too many: a copy would take as much again. */
const LONG = 8 * 1024 * 1024
const MOST_PIECES = 512
/** For this user alone: records are in it. */
const MODE = 0o600

interface Waiting {
  readonly line: Buffer | readonly Buffer[]
  readonly done: PromiseWithResolvers<void>
}

/** Opens the file, or makes it. Nothing is written yet.
 *  @param option what it is called where the user named it
 *  @throws ConnectorError config when that cannot be */
export async function openRejectFile(path: string, option = REJECTED_FILE): Promise<RejectFile> {
  const problem = (error: unknown): ConnectorError => rejectFileProblem(path, error, option)
  try {
    const before = await isThere(path)
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, MODE)
    try {
      if (!before) await keepEntry(dirname(path))
      const { dev, ino } = await handle.stat({ bigint: true })
      return new RejectFile(problem, handle, `${dev}:${ino}`, await isTorn(handle))
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    throw problem(error)
  }
}

/** Makes the name of a new file durable, which its folder holds. Not every file system can be asked to. */
async function keepEntry(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, constants.O_RDONLY)
    await handle.sync()
  } catch {
    // the file itself is synchronised all the same
  }
}

/** Tells whether the last line was cut off, for example by a crash. */
async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== LF
}

export class RejectFile implements AsyncDisposable {
  /** Device and number: no two files share them. */
  readonly identity: string
  readonly #problem: (error: unknown) => ConnectorError
  readonly #handle: FileHandle
  #isTorn: boolean
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #failure: ConnectorError | undefined

  constructor(problem: (error: unknown) => ConnectorError, handle: FileHandle, identity: string, torn: boolean) {
    this.#problem = problem
    this.#handle = handle
    this.identity = identity
    this.#isTorn = torn
  }

  /** Appends a line, given whole or in pieces, its end added. Resolves when it would outlive the machine; several at once share one write.
   *  @throws ConnectorError, this and every later time */
  append(line: Buffer | readonly Buffer[]): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ line, done })
    this.#writing ??= this.#writeAll()
    return done.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing
    await this.#handle.close()
  }

  async #writeAll(): Promise<void> {
    // what comes in this turn goes along
    await Promise.resolve()
    for (let group = this.#taken(); group.length > 0; group = this.#taken()) {
      this.#failure ??= await this.#write(group.flatMap(({ line }) => [...[line].flat(), LINE_END]))
      for (const { done } of group) {
        if (this.#failure) done.reject(this.#failure)
        else done.resolve()
      }
    }
    this.#writing = undefined
  }

  #taken(): Waiting[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  async #write(pieces: readonly Buffer[]): Promise<ConnectorError | undefined> {
    // a line that was cut off must not run into ours
    const lead = this.#isTorn ? [LINE_END] : []
    try {
      await this.#writeWhole([...lead, ...pieces])
      await this.#handle.datasync()
      this.#isTorn = false
      return undefined
    } catch (error) {
      return this.#problem(error)
    }
  }

  /** Writes all pieces at once where the system takes it so: others may append, too. */
  async #writeWhole(pieces: readonly Buffer[]): Promise<void> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    // a copy of what is very long would take as much again
    let rest = length > LONG && pieces.length <= MOST_PIECES ? pieces : [Buffer.concat(pieces)]
    while (rest.length > 0) rest = behind(rest, (await this.#handle.writev(rest)).bytesWritten)
  }
}

/** Pieces that are left after that many bytes. */
function behind(pieces: readonly Buffer[], bytes: number): Buffer[] {
  let written = bytes
  return pieces.flatMap((piece) => {
    const gone = Math.min(written, piece.length)
    written -= gone
    return gone === piece.length ? [] : [piece.subarray(gone)]
  })
}
