// A file of dead letters read back, from where the last replay ended up to where the file ended when this one began. How far it
// was replayed is kept beside it, as a consumer group keeps its offsets: the file itself is never changed, so that others may
// append to it meanwhile.

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, stat, readFile, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { asConnectorError, codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { LineTooLong, LineSplitter } from '../../json/split-lines.ts'
import type { Lines } from '../../json/split-lines.ts'
import { fromLine, isCutOffLetter } from '../dead-letters/letter-line.ts'
import { firstRead } from '../dead-letters/dead-letter-replay.ts'
import type { Replayed } from '../dead-letters/dead-letter-replay.ts'
import type { ReadRecord, ReadBatch } from './types.ts'
import type { Log } from '../../process/io.ts'
import { Wakeup } from '../../core/wakeup.ts'
import type { GroupMember } from '../client/group-member.ts'
import type { MemberEvents, PartitionPosition } from '../types.ts'
import type { Replaying } from './kafka-source.ts'

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
  /** The last commit: all write to the same file before it is renamed. */
  #kept: Promise<void> = Promise.resolve()

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

  /** The next replay goes on there. Durable when it resolves. One may begin before another is done. */
  async commit(to: bigint): Promise<void> {
    const [path, file] = [this.#path, this.#file]
    if (!file) return
    const turn = this.#kept.then(() => keepPlace(path, file, Number(to)))
    this.#kept = turn.catch(() => undefined)
    try {
      await turn
    } catch (error) {
      throw unkept(path, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept
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

function unkept(path: string, cause: unknown): ConnectorError {
  const words = codeOf(cause)
  const message = `How far ${JSON.stringify(path)} has been replayed cannot be saved beside it: ${words}. Give this user the right to write to its folder, and run again: what is replayed already is replayed once more.`
  return new ConnectorError('config', 'dead-letters.place-unkept', message, { cause })
}

/** Bytes before the place, by which the file is known again. */
const KNOWN_BY = 4096
const MODE = 0o600

interface ReplayPlace {
  /** Bytes of the file. */
  readonly replayed: number
  /** The digest of the bytes before it. */
  readonly sha256: string
}

export function placePath(path: string): string {
  return `${path}.replayed`
}

/** @param file the dead letters, open
 *  @returns where to go on; 0 when none were replayed
 *  @throws ConnectorError config when they are not those that were replayed so far */
async function readPlace(path: string, file: FileHandle): Promise<number> {
  const text = await readFile(placePath(path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return 0
  const place = placeOf(text)
  if (place && place.sha256 === (await hashBefore(file, place.replayed))) return place.replayed
  const [shown, beside] = [JSON.stringify(path), JSON.stringify(placePath(path))]
  const message =
    `The file ${shown} is not the one that was replayed before: ${beside} does not match it. ` +
    `If it was cut or changed, restore it; to replay all of it, remove ${beside}, and run again.`
  throw new ConnectorError('config', 'dead-letters.file-changed', message)
}

/** Resolves when it would outlive the machine. */
async function keepPlace(path: string, file: FileHandle, replayed: number): Promise<void> {
  const place: ReplayPlace = { replayed, sha256: await hashBefore(file, replayed) }
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

function placeOf(text: string): ReplayPlace | undefined {
  try {
    const { replayed, sha256 } = JSON.parse(text) as Partial<ReplayPlace>
    const isPlace = Number.isSafeInteger(replayed) && replayed! >= 0 && typeof sha256 === 'string'
    return isPlace ? { replayed: replayed!, sha256: sha256 } : undefined
  } catch {
    return undefined
  }
}

/** Digest of what is before a place; of a file that is shorter, of what there is: it fits none. */
async function hashBefore(file: FileHandle, place: number): Promise<string> {
  const from = Math.max(0, place - KNOWN_BY)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(place - from), 0, place - from, from)
  return createHash('sha256').update(`${place}:`).update(buffer.subarray(0, bytesRead)).digest('hex')
}

// A file of dead letters in the place of a consumer group's member: it has one partition, the file, whose offsets are bytes of
// it. So one source replays both topics and files.

const FILE = { topic: 'dead letters', partition: 0 }

type ReplayedFile = Pick<ReplayFile, 'from' | 'read' | 'commit'>

/** One use. Nothing has to be joined or left, and nothing else reads the file. */
export class ReplayFileMember implements Pick<GroupMember, keyof GroupMember>, Replaying {
  readonly isFile = true
  readonly counts = { written: 0, rejected: 0 }
  readonly generation = 'file'
  readonly hasLeft = true
  readonly #file: ReplayedFile
  readonly #wake = new Wakeup()
  #isPaused = false
  #isHalted = false
  /** Behind the last letter, once all are read. */
  #end: bigint | undefined
  #failure: ConnectorError | undefined
  #events: Pick<MemberEvents, 'assigned' | 'batch' | 'failed'> | undefined

  constructor(file: ReplayedFile) {
    this.#file = file
  }

  /** To be called before it runs. */
  use(events: Pick<MemberEvents, 'assigned' | 'batch' | 'failed'>): void {
    this.#events = events
  }

  /** Resolves when `signal` aborted.
   *  @throws ConnectorError when it could not be kept how far the file is replayed */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake.notify()
    signal.addEventListener('abort', wake, { once: true })
    this.#events!.assigned([{ ...FILE, offset: this.#file.from }])
    try {
      await this.#read(signal)
    } catch (error) {
      this.#events!.failed(asConnectorError(error))
    }
    while (!signal.aborted) await this.#wake.wait()
    if (this.#failure) throw this.#failure
  }

  async #read(signal: AbortSignal): Promise<void> {
    let place = this.#file.from
    for await (const { records, next, error } of this.#file.read(signal)) {
      const batch: ReadBatch = { ...FILE, records, bytes: Number(next - place), next, highWatermark: next, error }
      this.#events!.batch(batch)
      place = next
      if (error) return
      while (this.#isPaused && !this.#isHalted && !signal.aborted) await this.#wake.wait()
      if (this.#isHalted) return
    }
    this.#end = place
    // the source looks again whether it is at the end
    this.#events!.batch({ ...FILE, records: [], bytes: 0, next: place, highWatermark: place })
  }

  read<T>(batch: T): T {
    return batch
  }

  endOf(): bigint | undefined {
    return this.#end
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#wake.notify()
  }

  halt(): void {
    this.#isHalted = true
    this.#wake.notify()
  }

  async commit([position]: readonly PartitionPosition[]): Promise<void> {
    if (!position) return
    try {
      await this.#file.commit(position.offset)
    } catch (error) {
      this.#failure = asConnectorError(error)
      this.#events!.failed(this.#failure)
      throw error
    }
  }

  isMember(): boolean {
    return true
  }

  end(): undefined {
    return undefined
  }
}
