// Our own output lines: compact JSON, `type` first.

import type { ConnectorError, ErrorKind } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import type { LogFields, LogLevel } from '../process/io.ts'

const FAILURE: Record<ErrorKind, string> = {
  config: 'config_error',
  transient: 'transient_error',
  system: 'system_error',
}

function line(message: object): string {
  return `${singleLine(message)}\n`
}

/** @param fields of which only code and event are shown: the rest is in the message */
export function log(level: LogLevel, message: string, { code, event }: LogFields = {}): string {
  const told = { ...(code === undefined ? {} : { code }), ...(event === undefined ? {} : { event }) }
  return line({ type: 'LOG', log: { level: level.toUpperCase(), message, ...told } })
}

/** @param now milliseconds since 1970
 *  @param internal for developers, a stack perhaps; default: code and message, for PyAirbyte shows nothing else */
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
        failure_type: FAILURE[error.kind],
        ...(code === undefined ? {} : { code }),
        ...descriptor,
      },
    },
  })
}

/** @param findings what is wrong or odd once more, for programs */
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
