// How a command tells its user something on the way. Type only.

import type { LogLevel } from '../protocol/emitter.ts'

/** One LOG line, scrubbed. Resolves when there is room for more. */
export type Say = (level: LogLevel, message: string) => Promise<void>
