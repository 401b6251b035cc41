// The file that records what an onboarding has sent and with what result, so that nothing is created twice. One JSON line per
// entry, on disk before `append` returns. Holds no secret.

import { unusable, holdFile } from './held-file.ts'
import { disguised, entrySchema, NOTHING_KNOWN, withEntry, type JournalEntry, type Known } from './journal-entries.ts'

/** An open journal, as the steps see it. */
export type Journal = ReturnType<typeof openJournal>

type Unstamped<Entry> = Entry extends unknown ? Omit<Entry, 'at'> : never

type Member<Entry = JournalEntry> = Entry extends unknown ? keyof Entry : never

/** Members that are not scrubbed: any other text may quote the service, secrets and all. `base_url`, like `of`, is disguised instead, and
 *  create.ts looks at an `id`. */
const KEPT: ReadonlySet<string> = new Set<Member>(['event', 'endpoint', 'base_url', 'id', 'pubkey', 'digest'])

export interface JournalParts {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** How every journal begins. */
const BEGINNING = '{"event":"onboarding"'

/** Opens a journal or makes one (mode 0600, beside it a lock). A truncated last line is removed: its request was not sent yet, or the
 *  user is asked about it. One that only lacks its line break (editors do that) counts.
 *  @throws ConnectorError config: another run has it open, under any name; it cannot be written; or the file is no journal, and is left
 *  as it is */
export function openJournal(path: string, { wallClock, scrub }: JournalParts) {
  using stack = new DisposableStack()
  const file = stack.use(holdFile(path))
  const { known: before, length, isEnded } = read(path, file.read())
  file.keep(length)
  if (!isEnded) file.append(Buffer.from('\n'))
  const held = stack.move()
  let known = before
  return {
    /** The path as given by the user. */
    path,
    /** The journal and its lock file. */
    files: file.files as readonly string[],
    /** Knowledge that all its lines together give. */
    get known(): Known {
      return known
    },
    /** Milliseconds since the service last answered that something was created; Infinity when it has not. */
    get createdAgoMs(): number {
      const { createdAt } = known
      // the distance: after the clock was set back, an age below zero would make whatever was created look new for as long
      return createdAt === undefined ? Infinity : Math.abs(wallClock() - Date.parse(createdAt))
    },
    /** Adds a line. Throws a ConnectorError when it may not be on disk, or another run has written one: then nothing more may be sent. */
    append(entry: Unstamped<JournalEntry>): void {
      const at = new Date(wallClock()).toISOString()
      const texts = Object.entries(entry).filter(([name, value]) => typeof value === 'string' && !KEPT.has(name))
      const scrubbed = Object.fromEntries(texts.map(([name, text]) => [name, scrub(String(text))]))
      const stamped: JournalEntry = { ...disguisedIn(entry, scrub), ...scrubbed, at }
      file.append(Buffer.from(`${JSON.stringify(stamped)}\n`))
      known = withEntry(known, stamped)
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  }
}

/** Disguises values that identify this onboarding and happen to be secrets too. */
function disguisedIn(entry: Unstamped<JournalEntry>, scrub: JournalParts['scrub']): Unstamped<JournalEntry> {
  const shown = (text: string): string => (scrub(text) === text ? text : disguised(text))
  if (entry.event === 'onboarding') return { ...entry, base_url: shown(entry.base_url) }
  if (!('of' in entry)) return entry
  return { ...entry, of: Object.fromEntries(Object.entries(entry.of).map(([option, value]) => [option, shown(value)])) }
}

/** Reads the lines of a file. Only the last one may be broken, by a crash.
 *  @returns `length`: bytes up to the end of the last whole line; `isEnded`: whether that line has its line break */
function read(path: string, bytes: Buffer) {
  const ended = bytes.lastIndexOf(0x0a) + 1
  const start = bytes.toString('latin1', 0, BEGINNING.length)
  // shorter than the beginning where a crash cut off the first line, and empty where the file is new
  if (!BEGINNING.startsWith(start) && !start.startsWith(BEGINNING)) {
    throw unusable(path, 'it is not a journal of onboard. Give another file with --journal')
  }
  const lines = bytes.toString('utf8', 0, ended).split('\n').slice(0, -1)
  const known = lines.reduce((known, line, index) => withEntry(known, entryOf(path, line, index)), NOTHING_KNOWN)
  const last = entrySchema.safeParse(parsed(bytes.toString('utf8', ended)))
  if (!last.success) return { known, length: ended, isEnded: true }
  return { known: withEntry(known, last.data), length: bytes.length, isEnded: false }
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
