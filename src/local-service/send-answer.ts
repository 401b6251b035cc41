// Puts an ending on the wire. Knows no endpoint.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ending } from './types.ts'

/** Resolves when the answer is handed over or its reader has gone; never rejects. `type`: the content type of answers
 *  that name none. */
export async function sendAnswer(response: ServerResponse, ending: Ending, type: string): Promise<void> {
  const { socket } = response
  if (ending === 'reset') {
    if (socket !== null && !socket.destroyed) socket.resetAndDestroy()
    return
  }
  const { status, headers = {}, body } = ending
  response.statusCode = status
  response.setHeader('Content-Type', type)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
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
