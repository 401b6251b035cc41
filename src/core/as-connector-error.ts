// Whatever was thrown, as the one error that stops a run.

import { ConnectorError } from './errors.ts'

export function asConnectorError(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ConnectorError('system', `An unexpected fault stopped the run: ${message}`, { cause: error })
}
