// Sends everything the process prints through the scrubber: also the output of libraries (NODE_DEBUG shows addresses with the key in
// them) and of Node itself, and warnings that go to a file.

import type { Writable } from 'node:stream'
import { format } from 'node:util'
import { DEBUG_LINE, withoutBytes } from './node-debug.ts'
import type { Scrubber } from './scrubber.ts'

/** The members of `process` that are used. `_rawDebug` is what Node prints with where streams cannot be used. */
export interface Printing {
  readonly stdout: Writable
  readonly stderr: Writable
  _rawDebug?: (...args: unknown[]) => void
  prependListener(event: 'warning', listener: (warning: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

/** A stream that takes bytes. */
export interface Sink {
  write(bytes: Uint8Array, written: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Makes `write` and `end` of both streams mask secrets and leave every other byte as it is. What may be the beginning of a secret is held
 *  back until the next write, or the end of the process. Node's debug output shows no dumps of bytes, and waits while a secret is being
 *  fetched (`HeldDebug`).
 *  Not covered: what is written to the descriptors directly (fs.writeSync(2), Node's message on running out of memory).
 *  @returns standard output without the guard, for bytes that must not be altered */
export function guardOutput(process: Printing, scrubber: Scrubber): Sink {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const unguarded: Sink = {
    write: (bytes, written) => write(bytes, written),
    on: (event, listener) => stdout.on(event, listener),
  }
  const releases = [stdout, stderr].map((stream) => guard(stream, scrubber))
  guardRawDebug(process, scrubber)
  // before Node's own listener, which prints the warning
  process.prependListener('warning', (warning) => scrubWarning(warning, scrubber))
  process.on('exit', () => {
    // pieces that still wait may show secrets whose fetch will never end
    scrubber.debug.leaveOut()
    for (const release of releases) release()
  })
  return unguarded
}

type Done = (error?: Error | null) => void

/** Puts the scrubber in front of one stream. @returns a function that writes what is held back */
function guard(stream: Writable, scrubber: Scrubber): () => void {
  const write = stream.write.bind(stream)
  const end = stream.end.bind(stream)
  const matcher = scrubber.matcher()
  // latin1: one character per byte, so that everything else stays as it is
  const release = (): void => void write(Buffer.from(matcher.end(), 'latin1'))
  const writeMasked = (chunk: unknown, encoding?: BufferEncoding | Done, written?: Done): boolean => {
    const bytes = scrubber.knows ? bytesOf(chunk, typeof encoding === 'string' ? encoding : 'utf8') : undefined
    // there are no secrets yet, or the chunk is not valid
    if (bytes === undefined) return write(chunk, encoding as BufferEncoding, written)
    const text = matcher.push(bytes.toString('latin1'))
    return write(Buffer.from(text, 'latin1'), typeof encoding === 'function' ? encoding : written)
  }
  stream.write = (chunk: unknown, encoding?: BufferEncoding | Done, written?: Done): boolean => {
    // Node prints its debug output as text, without a callback
    const hasCallback = typeof encoding === 'function' || written !== undefined
    if (hasCallback || typeof chunk !== 'string' || !DEBUG_LINE.test(chunk))
      return writeMasked(chunk, encoding, written)
    // the notice of what was left out has no line feed, and `withoutBytes` may have taken that of a piece
    scrubber.debug.print(withoutBytes(chunk), (text) => writeMasked(text.replace(/\n?$/, '\n')))
    return true
  }
  stream.end = (chunk?: unknown, encoding?: BufferEncoding | Done, written?: Done): typeof stream => {
    const done = [chunk, encoding, written].find((argument) => typeof argument === 'function') as Done | undefined
    const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== 'function'
    if (hasChunk) stream.write(chunk, typeof encoding === 'string' ? encoding : 'utf8')
    release()
    return end(done)
  }
  return release
}

/** Bytes of a chunk. `undefined` when it is not a valid one, which the stream reports. */
function bytesOf(chunk: unknown, encoding: string): Buffer | undefined {
  if (typeof chunk === 'string') return Buffer.isEncoding(encoding) ? Buffer.from(chunk, encoding) : undefined
  if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return undefined
}

/** Guards `_rawDebug`, by which Node prints debug output about streams: written to a stream, it would cause more of itself without end. */
function guardRawDebug(process: Printing, { scrub, debug }: Scrubber): void {
  const print = process._rawDebug
  if (print === undefined) return
  const printClean = (text: string): void => print(scrub(text))
  process._rawDebug = (...args) => debug.print(withoutBytes(format(...args)), printClean)
}

/** Masks a warning itself, which may go to a file (NODE_REDIRECT_WARNINGS) instead of standard error. */
function scrubWarning(warning: object, { scrub }: Scrubber): void {
  for (const name of ['name', 'message', 'stack', 'detail', 'code']) {
    const text: unknown = Reflect.get(warning, name)
    if (typeof text !== 'string') continue
    const clean = scrub(text)
    if (clean !== text) Reflect.set(warning, name, clean)
  }
}
