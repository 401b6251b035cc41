// What `write` does with records that cannot be stored, made ready before data moves: the run ends, or they are kept as rows
// of a table of the warehouse, which outlives the process, or as lines of a file that `write` takes again. In messages of several parts
// (`MessageParts`), `said` marks the words of the service, which may repeat data of records.

import type { RejectsConfig } from '../config/write/write-load.ts'
import { ConnectorError, type MessageParts } from '../core/errors.ts'
import type { Rejected, Track } from '../core/types.ts'
import { fileIdentity } from '../files/file-identity.ts'
import { RejectedPoints, type Rejection } from '../mapping/rejected-points.ts'
import { label } from '../mapping/stream-mapping.ts'
import type { Log } from '../process/io.ts'
import type { Input } from '../process/pipe-input.ts'
import type { RejectBudgets } from '../rejects/reject-budget.ts'
import { openRejectFile, tryRejectFile } from '../rejects/reject-file.ts'
import { rejectedBy } from '../rejects/reject-counts.ts'
import { keepRejected, stopAtRejected } from '../rejects/reject-policy.ts'
import type { RejectOrigins, RejectPolicy, RejectSink } from '../rejects/reject-policy.ts'
import type { ReservedPath } from '../run/open-input.ts'
import { streamName } from '../run/track-rows.ts'
import { holdsLine, lineNumber, lineText, type Origin } from './record-line.ts'
import { withRejection } from './rejection.ts'

interface PolicyParts {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  readonly log: Log
  readonly budgets: RejectBudgets<Track>
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly input: Input
  readonly maxRequestBytes: number
  /** Collects garbage, at once. */
  readonly collect: () => void
  /** Files that rejected records must not be added to, and what they are. */
  readonly reservedPaths: readonly ReservedPath[]
  /** Whether this is a dry run, in which rejected records are counted but not kept. */
  readonly isDry: boolean
}

/** Makes the policy that a config asks for. @throws ConnectorError config when the file cannot be appended to, or is a reserved path */
export async function rejectPolicy(config: RejectsConfig, parts: PolicyParts): Promise<RejectPolicy<Origin>> {
  const { logKeys } = config
  const { scrub, log, budgets, isDry } = parts
  const origins: RejectOrigins<Origin> = {
    noun: 'stream',
    remedy:
      'Correct it at its source, leave the stream out, or set rejected_records to {"policy":"table"} to keep such records aside,',
    remedyOfMany:
      'Correct the cause at the source, or raise that limit (a max_rejected_share of 1 is none; an entry of streams has its own),',
    again: ' and run again: the next run continues from the last state.',
    nameOf: ({ track }) => streamName(track),
    whereOf: ({ track, origin }) => ({ place: `input line ${lineNumber(origin)}`, stream: `stream ${label(track)}` }),
    placeOf: lineNumber,
    orderOf: lineNumber,
    clean: scrub,
    // the service may refuse a row of the table of rejected records, too; its origin has no line, and its record was counted before
    take: ({ track, origin }) => (isDry || holdsLine(origin) ? budgets.take(track) : undefined),
  }
  if (config.policy === 'stop') return stopAtRejected(origins, { scrub, logKeys })
  const sink = config.policy === 'table' ? tableSink(config.table, parts) : await fileSink(config.path, parts)
  return keepRejected(sink, origins, { scrub, log: isDry ? () => Promise.resolve() : log, logKeys })
}

/** A sink that keeps a record as rows of a table: `keep` makes them, and the engine delivers them in place of the record. */
function tableSink(name: string, { maxRequestBytes, collect, wallClock, isDry }: PolicyParts): RejectSink<Origin> {
  const points = new RejectedPoints(name, maxRequestBytes, collect)
  return {
    place: `the table "${name}"`,
    async keep(rejected, { reason }) {
      if (isDry) return undefined
      const { track, table, origin } = rejected
      const line = lineNumber(origin)
      // a row of this very table was refused: to make a row of it again would go on for ever
      if (table === points.table) {
        const message: MessageParts = (said) =>
          `The table "${name}" itself refused a rejected record (input line ${line})${said(`: ${reason}`)}. ` +
          'If it is too large, set max_request_bytes to what the service accepts, because records are split by it; or keep rejected records in a file or in another table (rejected_records). Then run again: the next run continues from the last state.'
        throw new ConnectorError('config', 'rejects.table-refused', message, { track })
      }
      return points.of<Origin>(track, rejectionOf(rejected, reason, wallClock), lineText(origin), line)
    },
  }
}

/** A sink that keeps a record as a line of a file, durable when `keep` resolves. It resolves to `undefined`: nothing is left to deliver. */
async function fileSink(
  path: string,
  { input, reservedPaths, wallClock, isDry }: PolicyParts,
): Promise<RejectSink<Origin>> {
  const shown = JSON.stringify(path)
  const { fd } = input
  keepApart(path, reservedPaths)
  const file = isDry ? await tryRejectFile(path) : await openRejectFile(path)
  const identity = fileIdentity(path)
  // a line added to the file that is being read would be read, rejected and added without end
  const isInput = fd !== undefined && identity !== undefined && identity === fileIdentity(fd)
  return {
    place: `the file ${shown}`,
    async keep(rejected, { reason }) {
      const { track, origin } = rejected
      if (isInput) {
        const why = `: ${reason}`
        const isRefused = rejectedBy(rejected) === 'refused'
        const message: MessageParts = (said) =>
          `Input line ${lineNumber(origin)} holds a record that still cannot be stored${isRefused ? said(why) : why}. ` +
          `It cannot be kept in ${shown}, which is the input itself: move that file to another name, and read it from there.`
        throw new ConnectorError('config', 'rejects.file-in-use', message, { track })
      }
      if (!file) return undefined
      const line = lineText(origin)
      // a text has one character for each byte of the line
      const bytes = typeof line === 'string' ? Buffer.from(line, 'latin1') : line
      await file.append(withRejection(bytes, rejectionOf(rejected, reason, wallClock)))
      return undefined
    },
    [Symbol.asyncDispose]: async () => file?.[Symbol.asyncDispose](),
  }
}

function rejectionOf(rejected: Rejected<Origin>, reason: string, wallClock: () => number): Rejection {
  const { track, table, superseded, supersededAt, origin } = rejected
  return {
    stream: track.name,
    namespace: track.namespace,
    table: table?.name,
    reason,
    superseded,
    supersededAt: supersededAt.map((place) => lineNumber(place.origin)),
    line: lineNumber(origin),
    rejectedAt: new Date(wallClock()).toISOString(),
  }
}

/** Throws a ConnectorError (config) when the path leads to a reserved file. */
function keepApart(path: string, reservedPaths: readonly ReservedPath[]): void {
  const identity = fileIdentity(path)
  // no ordinary file is there yet; if none can be made, opening it says why
  if (identity === undefined) return
  const reserved = reservedPaths.find(({ file }) => fileIdentity(file) === identity)
  if (!reserved) return
  const message = `The file ${JSON.stringify(path)} for rejected records is ${reserved.what}. Give rejected records a file of their own.`
  throw new ConnectorError('config', 'rejects.file-in-use', message)
}
