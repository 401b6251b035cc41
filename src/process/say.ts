// How a command tells its user something on the way. Types only.

export type AirbyteLogLevel = 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE'

/** One LOG line, scrubbed. Resolves when there is room for more. */
export type Say = (level: AirbyteLogLevel, message: string) => Promise<void>
