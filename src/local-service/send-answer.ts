// How an answer goes to its reader: headers, and a body whole or in pieces; or a reset in its place.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ending } from './types.ts'

/** Headers of every answer: it is JSON, if it does not say otherwise; and whatever it is labelled, it is no page, and no script in it
 *  runs. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
}

/** Sends an answer. Resolves when it is handed over or its reader has gone; never rejects.
 *  @param headers of answers that do not say otherwise */
export async function sendAnswer(
  response: ServerResponse,
  ending: Ending,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { socket } = response
  if (ending.status === 'reset') {
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
    await pipeline(Readable.from(whole(body, () => socket?.resetAndDestroy())), response)
  } catch {
    // a reader that leaves early is no fault of ours; pipeline has destroyed the response
  }
}

/** The pieces of a body. Calls `reset` when they break off: a reader to whom the connection's end is the answer's would take a part for
 *  all. */
function* whole(body: Iterable<Uint8Array>, reset: () => void): Generator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    reset()
    throw error
  }
}
