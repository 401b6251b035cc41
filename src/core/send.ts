// One attempt, whatever the transport does.

import { asConnectorError } from './errors.ts'
import type { Outcome, Request, Transport } from './types.ts'

/** A transport that throws, which it must not, stops the run like any other fault. */
export async function send(transport: Transport, request: Request, signal: AbortSignal): Promise<Outcome> {
  try {
    return await transport.send(request, signal)
  } catch (error) {
    return { status: 'stop', error: asConnectorError(error) }
  }
}
