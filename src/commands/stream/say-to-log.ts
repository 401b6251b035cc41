// What a part says, as an entry of `stream`'s log.

import type { Log } from '../../telemetry/log.ts'
import type { Say } from '../../process/say.ts'

export function sayToLog(log: Log): Say {
  return (level, message) => log(level === 'INFO' ? 'info' : level === 'DEBUG' ? 'debug' : 'warn', message)
}
