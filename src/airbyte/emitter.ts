// Our own output lines: compact JSON, `type` first.

import type { ConnectorError, ErrorKind } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import type { LogLevel } from '../process/io.ts'

const FAILURE: Record<ErrorKind, string> = {
  config: 'config_error',
  transient: 'transient_error',
  system: 'system_error',
}

function line(message: object): string {
  return `${singleLine(message)}\n`
}

export function log(level: LogLevel, message: string): string {
  return line({ type: 'LOG', log: { level: level.toUpperCase(), message } })
}

/** @param now milliseconds since 1970
 *  @param internal for developers, a stack perhaps; default: the message, for PyAirbyte shows nothing else */
export function traceError(error: ConnectorError, now: number, internal = error.message): string {
  const { track } = error
  const descriptor = track && {
    stream_descriptor: { name: track.name, ...(track.namespace === undefined ? {} : { namespace: track.namespace }) },
  }
  return line({
    type: 'TRACE',
    trace: {
      type: 'ERROR',
      emitted_at: now,
      error: {
        message: error.message,
        internal_message: internal,
        failure_type: FAILURE[error.kind],
        ...descriptor,
      },
    },
  })
}

export function connectionStatus(status: 'SUCCEEDED' | 'FAILED', message: string): string {
  return line({ type: 'CONNECTION_STATUS', connectionStatus: { status, message } })
}
