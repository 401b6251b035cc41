// Lets nothing out of the process but through the scrubber: what a library prints (NODE_DEBUG shows addresses with the key
// in them), what Node prints itself, warnings that go to a file. Knows no message of ours.

import type { Writable } from 'node:stream'
import { format } from 'node:util'
import type { Scrubber } from './scrubber.ts'
import type { Sieve } from './sieve.ts'

/** What it takes of a process. `_rawDebug`: how Node prints where streams can't be used. */
export interface Printing {
  readonly stdout: Writable
  readonly stderr: Writable
  _rawDebug?: (...args: unknown[]) => void
  prependListener(event: 'warning', listener: (warning: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

/** A stream's own way out. */
export interface Unguarded {
  write(bytes: Uint8Array, written: () => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** From now on `write` and `end` of both streams scrub, piece by piece, and byte for byte leave alone what is no secret.
 *  What is written before the scrubber knows a secret passes as it is.
 *  @returns standard output as it was, for what is not to be altered */
export function guardOutput(process: Printing, scrubber: Scrubber): Unguarded {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const unguarded: Unguarded = {
    write: (bytes, written) => write(bytes, written),
    on: (event, listener) => stdout.on(event, listener),
  }
  const rests = [guard(stdout, scrubber), guard(stderr, scrubber)]
  guardRawDebug(process, scrubber)
  // the first listener: it goes before Node's own, which prints
  process.prependListener('warning', (warning) => scrubWarning(warning, scrubber))
  process.on('exit', () => {
    for (const rest of rests) rest()
  })
  return unguarded
}

type Done = (error?: Error | null) => void

/** @returns lets out what is held back, and from then on nothing is */
function guard(stream: Writable, scrubber: Scrubber): () => void {
  const write = stream.write.bind(stream)
  const end = stream.end.bind(stream)
  const sieve = scrubber.sieve()
  let isLast = false
  stream.write = (chunk: unknown, encoding?: BufferEncoding | Done, written?: Done): boolean => {
    const done = typeof encoding === 'function' ? encoding : written
    const bytes = scrubber.knows ? bytesOf(chunk, typeof encoding === 'function' ? undefined : encoding) : undefined
    // nothing to look for, or no text: as it is
    if (bytes === undefined) return write(chunk, encoding as BufferEncoding, done)
    return write(passed(sieve, bytes, isLast), done)
  }
  const rest = (): void => {
    isLast = true
    const text = sieve.end()
    if (text !== '') write(Buffer.from(text, 'latin1'))
  }
  stream.end = ((chunk?: unknown, encoding?: BufferEncoding | Done, ended?: Done) => {
    const done = [chunk, encoding, ended].find((argument) => typeof argument === 'function') as Done | undefined
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
      stream.write(chunk, typeof encoding === 'string' ? encoding : 'utf8')
    rest()
    return end(done)
  }) as typeof stream.end
  return rest
}

/** A character a byte, so that what is no secret stays byte for byte. */
function passed(sieve: Sieve, bytes: Buffer, isLast: boolean): Buffer {
  const text = sieve.push(bytes.toString('latin1'))
  return Buffer.from(isLast ? text + sieve.end() : text, 'latin1')
}

function bytesOf(chunk: unknown, encoding: BufferEncoding | undefined): Buffer | undefined {
  if (typeof chunk === 'string') return Buffer.from(chunk, Buffer.isEncoding(encoding ?? 'utf8') ? encoding : 'utf8')
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return undefined
}

/** Whole lines, past the stream: through it, what a stream prints of itself would never end. */
function guardRawDebug(process: Printing, { scrub }: Scrubber): void {
  const print = process._rawDebug
  if (print === undefined) return
  process._rawDebug = (...args) => print(scrub(format(...args)))
}

/** Warnings may go to a file (NODE_REDIRECT_WARNINGS) instead of standard error. */
function scrubWarning(warning: object, { scrub }: Scrubber): void {
  for (const name of ['name', 'message', 'stack', 'detail', 'code']) {
    const text: unknown = Reflect.get(warning, name)
    if (typeof text !== 'string') continue
    const clean = scrub(text)
    if (clean !== text) Reflect.set(warning, name, clean)
  }
}
