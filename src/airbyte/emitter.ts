// The lines that this connector itself prints in the Airbyte protocol: compact JSON, `type` first.

import type { ConnectorError, ErrorKind } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import type { LogFields, LogLevel } from '../process/io.ts'

const FAILURE_TYPE: Record<ErrorKind, string> = {
  config: 'config_error',
  transient: 'transient_error',
  system: 'system_error',
}

function line(message: object): string {
  return `${singleLine(message)}\n`
}

/** A LOG line. @param fields only code and event are shown, because the message tells the rest */
export function log(level: LogLevel, message: string, { code, event }: LogFields = {}): string {
  const shown = { ...(code === undefined ? {} : { code }), ...(event === undefined ? {} : { event }) }
  return line({ type: 'LOG', log: { level: level.toUpperCase(), message, ...shown } })
}

/** The line of a TRACE ERROR.
 *  @param now milliseconds since 1970
 *  @param internal words for developers, perhaps a stack; by default code and message, because PyAirbyte shows nothing else */
export function traceError(error: ConnectorError, now: number, internal?: string): string {
  const { track, code, message } = error
  const descriptor = track && {
    stream_descriptor: { name: track.name, ...(track.namespace === undefined ? {} : { namespace: track.namespace }) },
  }
  return line({
    type: 'TRACE',
    trace: {
      type: 'ERROR',
      emitted_at: now,
      error: {
        message,
        internal_message: internal ?? (code === undefined ? message : `${code}: ${message}`),
        failure_type: FAILURE_TYPE[error.kind],
        ...(code === undefined ? {} : { code }),
        ...descriptor,
      },
    },
  })
}

/** A CONNECTION_STATUS line. @param findings what is wrong or odd, as in the message, for programs */
export function connectionStatus(
  status: 'SUCCEEDED' | 'FAILED',
  message: string,
  findings: readonly object[] = [],
): string {
  return line({
    type: 'CONNECTION_STATUS',
    connectionStatus: { status, message, ...(findings.length === 0 ? {} : { findings }) },
  })
}
