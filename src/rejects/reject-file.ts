// A file of rejected records, to which lines are appended: each is durable when `append` resolves. It is opened once (`openRejectFile`).
// `append` may then be called at any time until it is disposed; after a failure, each later call fails with the same error. Before a run,
// a check opens the file for a moment, and does not make it (`checkRejectFile`, `tryRejectFile`).

import { constants } from 'node:fs'
import { access, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, ConnectorError } from '../core/errors.ts'
import { fileFault, OtherKind } from '../files/file-faults.ts'
import { realPlaceOf } from '../files/file-identity.ts'

const LF = 10
const LINE_END = Buffer.of(LF)
/** Pieces of up to LONG bytes together, or more than MOST_PIECES of them, are copied into one buffer, which one call writes. Others are
 *  written as they are, because the copy would take as much memory again. */
const LONG = 8 * 1024 * 1024
const MOST_PIECES = 512
/** Readable for this user alone, because records are in it. */
const MODE = 0o600

interface Waiting {
  readonly line: Buffer | readonly Buffer[]
  readonly done: PromiseWithResolvers<void>
}

/** Remedies for a file that cannot be used, by the code of the error; OTHER_REMEDY is for other codes that `fileFault` has words for. */
const OTHER_REMEDY = 'Give the path of a file that can be appended to'
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'Create it, or give another path',
  ENOTDIR: 'Create it, or give another path',
  ENOSPC: 'Free some space, or give another path',
  EDQUOT: 'Free some space, or give another path',
  EFBIG: 'Move it away, or give another path',
}

/** Words for a file in "The file … of NAME cannot be appended to", and the end of a sentence that says what to set in its place. */
interface FileOption {
  readonly name: string
  readonly otherwise: string
}

export const REJECTED_FILE: FileOption = {
  name: 'rejected records',
  otherwise: 'set rejected_records to {"policy":"table"}, without older names beside it, to keep them in a table',
}

export const DEAD_LETTER_FILE: FileOption = {
  name: 'dead_letters.file',
  otherwise: 'set dead_letters.topic instead: then rejected records go to a topic',
}

/** Makes the error that says why a file cannot be appended to, and what to do. If `fileFault` has no words for it, the system is at fault.
 *  @param cause what opening or writing threw */
function rejectFileProblem(path: string, cause: unknown, option = REJECTED_FILE): ConnectorError {
  const found = fileFault(cause, 'write')
  const remedy = found === undefined ? 'Look after its storage, or give another path' : REMEDIES[codeOf(cause)]
  const message =
    `The file ${JSON.stringify(path)} of ${option.name} cannot be appended to: ${found ?? codeOf(cause)}. ` +
    `${remedy ?? OTHER_REMEDY}, or ${option.otherwise}.`
  return new ConnectorError(found === undefined ? 'system' : 'config', 'rejects.file-unusable', message, { cause })
}

/** Says why a file cannot be used, and what to do. `undefined` when it can be appended to, or made. Does not make it. Never throws. */
export async function checkRejectFile(path: string, option = REJECTED_FILE): Promise<string | undefined> {
  return tryRejectFile(path, option).catch((error: ConnectorError) => error.message)
}

/** Checks a file without making it, as `checkRejectFile` does.
 *  @throws ConnectorError when it could not be appended to, or made */
export async function tryRejectFile(path: string, option = REJECTED_FILE): Promise<undefined> {
  try {
    if (await isThere(path)) {
      await using _file = await open(path, constants.O_RDWR | constants.O_APPEND)
      return
    }
    if (path.endsWith('/')) throw new OtherKind('EISDIR')
    // a link to a missing file is followed, because the file would be made at its end
    await access(dirname(await realPlaceOf(path)), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw rejectFileProblem(path, error, option)
  }
}

/** Tells whether there is a file or a folder. Throws OtherKind for anything else, because to open a pipe would wait for its reader. */
async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found && !found.isFile() && !found.isDirectory()) throw new OtherKind('NOT_REGULAR')
  return found !== undefined
}

/** Opens the file, or makes it. Nothing is written yet.
 *  @param option the words for it, by where the user named it
 *  @throws ConnectorError config when that cannot be */
export async function openRejectFile(path: string, option = REJECTED_FILE): Promise<RejectFile> {
  const problem = (error: unknown): ConnectorError => rejectFileProblem(path, error, option)
  try {
    const before = await isThere(path)
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, MODE)
    try {
      if (!before) await keepEntry(dirname(path))
      return new RejectFile(problem, handle, await isTorn(handle))
    } catch (error) {
      await handle.close()
      throw error
    }
  } catch (error) {
    throw problem(error)
  }
}

/** Makes the name of a new file durable, by synchronising the folder that holds it. Not every file system can do that. */
async function keepEntry(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, constants.O_RDONLY)
    await handle.sync()
  } catch {
    // the file itself is synchronised all the same
  }
}

/** Tells whether the last line has no end, because it was cut off, for example by a crash. */
async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== LF
}

/** The open file. Lines that come while others are written are written together, as the next group. */
export class RejectFile implements AsyncDisposable {
  readonly #problem: (error: unknown) => ConnectorError
  readonly #handle: FileHandle
  #isTorn: boolean
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #failure: ConnectorError | undefined

  constructor(problem: (error: unknown) => ConnectorError, handle: FileHandle, torn: boolean) {
    this.#problem = problem
    this.#handle = handle
    this.#isTorn = torn
  }

  /** Appends a line, given whole or in pieces, and its end. Resolves when the line would outlive a crash of the machine.
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
    // lines that are appended in the same turn go along
    await Promise.resolve()
    for (let group = this.#takeWaiting(); group.length > 0; group = this.#takeWaiting()) {
      this.#failure ??= await this.#write(group.flatMap(({ line }) => [...[line].flat(), LINE_END]))
      for (const { done } of group) {
        if (this.#failure) done.reject(this.#failure)
        else done.resolve()
      }
    }
    this.#writing = undefined
  }

  #takeWaiting(): Waiting[] {
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

  /** Writes all pieces in one call where the system takes them so, because another process may append at the same time. */
  async #writeWhole(pieces: readonly Buffer[]): Promise<void> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const isCopied = length <= LONG || pieces.length > MOST_PIECES
    let left = isCopied ? [Buffer.concat(pieces)] : pieces
    while (left.length > 0) left = piecesAfter(left, (await this.#handle.writev(left)).bytesWritten)
  }
}

/** The pieces that are left after that many bytes. */
function piecesAfter(pieces: readonly Buffer[], bytes: number): Buffer[] {
  let written = bytes
  return pieces.flatMap((piece) => {
    const gone = Math.min(written, piece.length)
    written -= gone
    return gone === piece.length ? [] : [piece.subarray(gone)]
  })
}
