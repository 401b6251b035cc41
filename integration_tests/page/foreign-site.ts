// A site that is none of the local service's own.

import { createServer } from 'node:http'
import { listening, type Listening } from '../../src/process/testing/listening.ts'

/** Answers every request with a page until it is disposed of.
 *  @param content HTML of the page's body */
export function startForeignSite(content: string): Promise<Listening> {
  return listening(
    createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<!doctype html>${content}`)
    }),
  )
}
