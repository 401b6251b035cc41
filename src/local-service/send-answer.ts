// Puts an ending on the wire. Knows no endpoint.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ending } from './types.ts'

/** On every answer: JSON, if it does not say otherwise; and whatever it is labelled, it is no page, and no script in it runs. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
}

/** Resolves when the answer is handed over or its reader has gone; never rejects. `headers`: those of answers
 *  that do not say otherwise. */
export async function sendAnswer(
  response: ServerResponse,
  ending: Ending,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { socket } = response
  if (ending === 'reset') {
    if (socket !== null && !socket.destroyed) socket.resetAndDestroy()
    return
  }
  const { status, headers: own = {}, body } = ending
  response.statusCode = status
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(own)]) response.setHeader(name, value)
  if (typeof body === 'string') {
    response.end(body)
    return
  }
  try {
    await pipeline(Readable.from(body), response)
  } catch {
    // A reader that leaves early is its own affair; pipeline has destroyed the response.
  }
}
