// How `write` tells its user something: LOG lines of the level that LOG_LEVEL asks for. What the protocol asks for (STATE,
// TRACE, CONNECTION_STATUS) goes past it.

import { log } from '../airbyte/emitter.ts'
import type { ToldExchange } from '../service/http/told-exchange.ts'
import { isWanted, wantedBy } from '../telemetry/log.ts'
import type { LogLevel } from '../telemetry/log.ts'
import type { Io } from '../process/io.ts'
import { requestLog } from './request-log.ts'
import type { AirbyteLogLevel as AirbyteLevel, Say } from '../process/say.ts'

export interface Said {
  readonly say: Say
  /** Undefined: requests are not wanted. */
  readonly onExchange: ((told: ToldExchange) => void) | undefined
}

const LEVELS: Readonly<Record<AirbyteLevel, LogLevel>> = {
  FATAL: 'error',
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'debug',
}

/** Says it when LOG_LEVEL is not understood. */
export async function openSay({ stdout, env, scrubber }: Pick<Io, 'stdout' | 'env' | 'scrubber'>): Promise<Said> {
  const { least, problem } = wantedBy(env['LOG_LEVEL'])
  const say: Say = async (level, message) => {
    if (isWanted(LEVELS[level], least)) await stdout.write(log(level, scrubber.scrub(message)))
  }
  if (problem !== undefined) await say('WARN', problem)
  return { say, onExchange: isWanted('debug', least) ? requestLog((message) => say('DEBUG', message)) : undefined }
}
