// What a check says that failed itself.

import { ConnectorError } from '../core/errors.ts'

/** To be scrubbed. */
export function checkFault(error: unknown): string {
  if (error instanceof ConnectorError) return error.message
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `The check itself failed, which is a defect of this program: please report it. ${words}`
}
