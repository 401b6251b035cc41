// For tests: the error that something ended with.

import { ConnectorError } from '../errors.ts'

/** @throws any other error as it is, and one where there was none */
export async function failureOf(promise: Promise<unknown>): Promise<ConnectorError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ConnectorError) return error
    throw error
  }
  throw new Error('It did not fail.')
}
