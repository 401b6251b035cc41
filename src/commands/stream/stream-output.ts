// How `stream` tells what it does: a table on a terminal, JSON lines elsewhere.

import type { ToldExchange } from '../../service/http/told-exchange.ts'
import { jsonLog } from '../../telemetry/json-log.ts'
import { isWanted, wantedBy } from '../../telemetry/log.ts'
import type { Log } from '../../telemetry/log.ts'
import { streamLines } from '../../telemetry/stream/stream-lines.ts'
import type { StreamProgress } from '../../telemetry/stream/stream-progress.ts'
import { streamTerminal } from '../../telemetry/stream/stream-terminal.ts'
import type { Io } from '../../process/io.ts'
import { requestLog } from '../request-log.ts'

const EVERY_MS = 60_000
const ROWS = 24
const COLUMNS = 80

/** Says it when LOG_LEVEL is not understood. */
export function progressOf(io: Pick<Io, 'stdout' | 'env' | 'isTty' | 'size'>): StreamProgress {
  const { least, problem } = wantedBy(io.env['LOG_LEVEL'])
  const progress = opened(io, least)
  if (problem !== undefined) void progress.log('warn', problem)
  return progress
}

function opened(
  { stdout, isTty, size }: Pick<Io, 'stdout' | 'isTty' | 'size'>,
  least: ReturnType<typeof wantedBy>['least'],
): StreamProgress {
  const wallClock = Date.now
  if (!isTty) return streamLines({ log: jsonLog({ output: stdout, least, wallClock }), everyMs: EVERY_MS })
  return streamTerminal({
    write: (text) => stdout.write(text),
    size: () => size?.() ?? { columns: COLUMNS, rows: ROWS },
    least,
    wallClock,
  })
}

/** To be told every request; undefined: LOG_LEVEL does not ask for them. */
export function requestsTold({ env }: Pick<Io, 'env'>, log: Log): ((told: ToldExchange) => void) | undefined {
  const { least } = wantedBy(env['LOG_LEVEL'])
  return isWanted('debug', least) ? requestLog((message, fields) => log('debug', message, fields)) : undefined
}
