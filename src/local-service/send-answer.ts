// Sends an answer: its headers, and its body whole or in pieces; or resets the connection instead.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ending } from './types.ts'

/** Headers of every answer that sets no others of these names. It is JSON; no script in it runs, even when a browser shows it as a page. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
}

/** Sends an answer. Resolves when it is handed over or its reader has gone; never rejects.
 *  @param defaults headers for an answer that has none of these names */
export async function sendAnswer(
  response: ServerResponse,
  ending: Ending,
  defaults: Readonly<Record<string, string>>,
): Promise<void> {
  const { socket } = response
  if (ending.status === 'reset') {
    if (socket !== null && !socket.destroyed) socket.resetAndDestroy()
    return
  }
  const { status, headers: own = {}, body } = ending
  response.statusCode = status
  for (const [name, value] of [...Object.entries(defaults), ...Object.entries(own)]) response.setHeader(name, value)
  if (typeof body === 'string') {
    response.end(body)
    return
  }
  try {
    await pipeline(Readable.from(piecesOf(body, () => socket?.resetAndDestroy())), response)
  } catch {
    // a reader that leaves early is no fault of ours; pipeline has destroyed the response
  }
}

/** The pieces of a body. Calls `reset` when making them fails: to a reader who takes the end of the connection for the end of the answer,
 *  the part that was sent would look complete. */
function* piecesOf(body: Iterable<Uint8Array>, reset: () => void): Generator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    reset()
    throw error
  }
}
