// How a command tells its user something on the way. Types only.

export type LogLevel = 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE'

/** One LOG line, scrubbed. Resolves when there is room for more. */
export type Say = (level: LogLevel, message: string) => Promise<void>
