// The journal: a file that records what an onboarding has sent and with what result, so that nothing is created twice. It has a JSON line
// for each entry, which is on the disk when `append` returns, and no secret.

import { unusable, holdFile } from './held-file.ts'
import { disguised, entrySchema, NOTHING_KNOWN, withEntry, type JournalEntry, type Known } from './journal-entries.ts'

/** An open journal, as the steps see it. */
export type Journal = ReturnType<typeof openJournal>

/** An entry as `append` takes it, without the time. Written so that it goes over each member of the union of entries by itself. */
type Unstamped<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never

/** The name of a member of some entry. */
type MemberName<Entry = JournalEntry> = Entry extends unknown ? keyof Entry : never

/** Members whose texts are not scrubbed. Any other may quote the service, and is scrubbed of secrets. `base_url`, like `of`, is hashed
 *  instead when it holds one (disguisedIn), and create.ts checks an `id`. */
const AS_IT_IS: ReadonlySet<string> = new Set<MemberName>(['event', 'endpoint', 'base_url', 'id', 'pubkey', 'digest'])

export interface JournalParts {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** The first characters of every journal. */
const BEGINNING = '{"event":"onboarding"'

/** Opens a journal or makes one (mode 0600, with a lock file beside it). An incomplete last line is removed: its request was not sent yet,
 *  or the user will be asked about it. One that lacks only its line break, as editors leave it, counts.
 *  @throws ConnectorError config when another run has it open, it cannot be written, or it is no journal, and is left as it is */
export function openJournal(path: string, { wallClock, scrub }: JournalParts) {
  using stack = new DisposableStack()
  const file = stack.use(holdFile(path))
  const { known: knownBefore, length, hasLineBreak } = read(path, file.read())
  file.keep(length)
  if (!hasLineBreak) file.append(Buffer.from('\n'))
  const held = stack.move()
  let known = knownBefore
  return {
    /** The path as given by the user. */
    path,
    /** The journal and its lock file. */
    files: file.files as readonly string[],
    /** The knowledge that all lines give together. */
    get known(): Known {
      return known
    },
    /** Milliseconds since the service last answered that something was created; Infinity when it has not. */
    get createdAgoMs(): number {
      const { createdAt } = known
      // never below 0, as it would be after the clock was set back: what was created would look new until the clock has caught up
      return createdAt === undefined ? Infinity : Math.abs(wallClock() - Date.parse(createdAt))
    },
    /** Adds a line. Throws a ConnectorError when it may not be on the disk, or the file was changed: then nothing more may be sent. */
    append(entry: Unstamped<JournalEntry>): void {
      const at = new Date(wallClock()).toISOString()
      const texts = Object.entries(entry).filter(([name, value]) => typeof value === 'string' && !AS_IT_IS.has(name))
      const scrubbed = Object.fromEntries(texts.map(([name, text]) => [name, scrub(String(text))]))
      const stamped: JournalEntry = { ...disguisedIn(entry, scrub), ...scrubbed, at }
      file.append(Buffer.from(`${JSON.stringify(stamped)}\n`))
      known = withEntry(known, stamped)
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  }
}

/** Replaces identifying values that have a secret in them by a hash, so that a later run can still compare them. */
function disguisedIn(entry: Unstamped<JournalEntry>, scrub: JournalParts['scrub']): Unstamped<JournalEntry> {
  const shown = (text: string): string => (scrub(text) === text ? text : disguised(text))
  if (entry.event === 'onboarding') return { ...entry, base_url: shown(entry.base_url) }
  if (!('of' in entry)) return entry
  return { ...entry, of: Object.fromEntries(Object.entries(entry.of).map(([option, value]) => [option, shown(value)])) }
}

/** Reads the lines of a file. Only the last one may be incomplete, after a crash.
 *  @returns `length`: bytes up to the end of the last complete line; `hasLineBreak`: whether that line has its line break */
function read(path: string, bytes: Buffer) {
  const endOfLines = bytes.lastIndexOf('\n') + 1
  const start = bytes.toString('latin1', 0, BEGINNING.length)
  // `start` is shorter where a crash cut off the first line, and empty where the file is new
  if (!BEGINNING.startsWith(start) && !start.startsWith(BEGINNING)) {
    throw unusable(path, 'it is not a journal of onboard. Give another file with --journal')
  }
  const lines = bytes.toString('utf8', 0, endOfLines).split('\n').slice(0, -1)
  const known = lines.reduce((known, line, index) => withEntry(known, entryOf(path, line, index)), NOTHING_KNOWN)
  const unended = entrySchema.safeParse(parsed(bytes.toString('utf8', endOfLines)))
  if (!unended.success) return { known, length: endOfLines, hasLineBreak: true }
  return { known: withEntry(known, unended.data), length: bytes.length, hasLineBreak: false }
}

function entryOf(path: string, line: string, index: number): JournalEntry {
  const read = entrySchema.safeParse(parsed(line))
  if (read.success) return read.data
  throw unusable(
    path,
    `its line ${index + 1} is damaged, or of another version of this program. Use the version that wrote it, or look at that line`,
  )
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
