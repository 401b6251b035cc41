// The file that remembers what an onboarding has sent and what came of it, so that nothing is made twice. One JSON line an
// entry, on the disk before `append` returns. Knows no meaning of an entry; holds no secret.

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { ConnectorError } from '../core/errors.ts'
import type { JournalEntry, Known } from './journal-entries.ts'
import { entrySchema, NOTHING_KNOWN, withEntry } from './journal-entries.ts'

export interface Journal extends Disposable {
  readonly path: string
  /** What its lines say together. */
  readonly known: Known
  /** Throws a ConnectorError when the line may not be on the disk: then nothing more may be sent. */
  append(entry: Unstamped<JournalEntry>): void
}

type Unstamped<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never

export interface JournalParts {
  /** Undefined: somebody else holds it. It ends with the process, however that ends. */
  readonly lock: (path: string) => Disposable | undefined
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

const MAX_BYTES = 16_777_216

/** How every journal begins. */
const BEGINNING = '{"event":"onboarding"'

/** Opens a journal or makes one (mode 0600, beside it a lock). A last line that was cut off is taken away: what it told of
 *  had not been sent yet, or is asked about. Throws a ConnectorError (config) when another run has it, when it cannot be
 *  written, or when the file is no journal; then it is left as it is. */
export function openJournal(path: string, parts: JournalParts): Journal {
  return explained(path, () => {
    const real = realPath(path)
    const found = statSync(real, { throwIfNoEntry: false })
    if (found && !found.isFile())
      throw unusable(path, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file')
    const held = parts.lock(`${real}.lock`)
    if (held === undefined) {
      throw unusable(path, 'another onboard is using it. Wait for that one to end, then run again')
    }
    try {
      return new JournalFile(path, real, held, parts)
    } catch (error) {
      held[Symbol.dispose]()
      throw error
    }
  })
}

class JournalFile implements Journal {
  readonly path: string
  readonly #file: number
  readonly #held: Disposable
  readonly #parts: JournalParts
  #known: Known

  constructor(path: string, real: string, held: Disposable, parts: JournalParts) {
    this.path = path
    this.#held = held
    this.#parts = parts
    const isNew = statSync(real, { throwIfNoEntry: false }) === undefined
    this.#file = openSync(real, 'a+', 0o600)
    try {
      const { known, length } = read(path, this.#file)
      this.#known = known
      fchmodSync(this.#file, 0o600)
      ftruncateSync(this.#file, length)
      fsyncSync(this.#file)
      if (isNew) syncFolder(dirname(real))
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  get known(): Known {
    return this.#known
  }

  append(entry: Unstamped<JournalEntry>): void {
    const { wallClock, scrub } = this.#parts
    const at = new Date(wallClock()).toISOString()
    const words = Object.entries(entry).filter(([name]) => name === 'why' || name === 'word')
    const scrubbed = Object.fromEntries(words.map(([name, text]) => [name, scrub(String(text))]))
    const stamped: JournalEntry = { ...entry, ...scrubbed, at }
    try {
      const bytes = Buffer.from(`${JSON.stringify(stamped)}\n`)
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
      fsyncSync(this.#file)
    } catch (error) {
      throw unusable(this.path, `writing to it failed (${codeOf(error)})`, error)
    }
    this.#known = withEntry(this.#known, stamped)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    this.#held[Symbol.dispose]()
  }
}

/** `length`: up to the end of the last whole line. */
function read(path: string, file: number): { known: Known; length: number } {
  const bytes = readFileSync(file)
  if (bytes.length > MAX_BYTES) throw unusable(path, 'it is larger than any journal')
  const length = bytes.lastIndexOf(0x0a) + 1
  const start = bytes.toString('latin1', 0, BEGINNING.length)
  if (!BEGINNING.startsWith(start) && !start.startsWith(BEGINNING)) {
    throw unusable(path, 'it is not a journal of onboard. Give another file with --journal')
  }
  const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1)
  const known = lines.reduce((known, line, index) => withEntry(known, entryOf(path, line, index)), NOTHING_KNOWN)
  return { known, length }
}

function entryOf(path: string, line: string, index: number): JournalEntry {
  const read = entrySchema.safeParse(parsed(line))
  if (read.success) return read.data
  throw unusable(
    path,
    `its line ${index + 1} is damaged, or of another version of this program. Use the version that wrote it, or have somebody look at that line`,
  )
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Of whatever name the file has: the one file must have one lock. */
function realPath(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync(absolute)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return join(realpathSync(dirname(absolute)), basename(absolute))
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function explained<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConnectorError) throw error
    throw unusable(path, `it cannot be opened or made (${codeOf(error)})`, error)
  }
}

function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError('config', `The journal ${JSON.stringify(path)} cannot be used: ${why}.`, { cause })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
