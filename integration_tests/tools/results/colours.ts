// Vitest colours what it prints wherever TERM is not "dumb", pipes and files included. Its configuration calls this to end that.

import { stripVTControlCharacters } from 'node:util'

/** Lets a stream that is no terminal write text only. */
export function colourless(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, env = process.env): void {
  if (stream.isTTY || env['FORCE_COLOR'] !== undefined) return
  const write = stream.write.bind(stream) as (chunk: unknown, ...others: unknown[]) => boolean
  stream.write = (chunk: unknown, ...others: unknown[]) =>
    write(typeof chunk === 'string' ? stripVTControlCharacters(chunk) : chunk, ...others)
}
