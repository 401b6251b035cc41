// Loaded into the connector's process before its own code (NODE_OPTIONS=--import): at a moment when the key is known there,
// it behaves like the worst of libraries. PLANT says how (several ways: joined by commas), PLANT_KEY names a JSON file with
// the key as `api_key`.

import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { debuglog, inspect } from 'node:util'
import { inAllForms } from './forms.ts'

const keyOf = (file: string): string => (JSON.parse(readFileSync(file, 'utf8')) as { api_key: string }).api_key

class Telling extends Error {
  readonly url: string

  constructor(key: string) {
    super(`could not reach http://h/?apikey=${encodeURIComponent(key)}: ${key}`, { cause: new Error(inAllForms(key)) })
    this.name = `Error of ${key}`
    this.url = key
  }

  [inspect.custom](): string {
    return `${this.message} ${this.url}`
  }
}

const WAYS: Readonly<Record<string, (key: string) => void>> = {
  throw(key) {
    throw new Telling(key)
  },
  'throw a text'(key) {
    // oxlint-disable-next-line no-throw-literal
    throw key
  },
  'throw again and again'(key) {
    for (let time = 0; time < 3; time++)
      setImmediate(() => {
        throw new Telling(key)
      })
  },
  reject(key) {
    void Promise.reject(new Telling(key))
    // oxlint-disable-next-line prefer-promise-reject-errors
    void Promise.reject({ key })
  },
  warn(key) {
    process.emitWarning(inAllForms(key))
    process.emitWarning(new Telling(key))
    process.emitWarning('a warning', { type: `Of ${key}`, code: key, detail: inAllForms(key) })
    process.emit('warning', Object.freeze(new Telling(key)))
  },
  print(key) {
    const all = inAllForms(key)
    for (const method of ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const) console[method](all)
    console.error('%s %j %o %d', key, { key }, new Telling(key), key)
    console.dir({ key, list: [key], bytes: Buffer.from(key), map: new Map([[key, key]]) })
    console.table([{ key }])
    console.group(key)
    console.error(new Telling(key))
    debuglog('canary')('%s %O', all, { key, bytes: new Uint8Array(Buffer.from(key)) })
    ;(process as unknown as { _rawDebug(...args: unknown[]): void })._rawDebug('%s', all, new Telling(key))
  },
  'print in pieces'(key) {
    for (const stream of [process.stdout, process.stderr]) {
      for (const byte of Buffer.from(inAllForms(key))) stream.write(Uint8Array.of(byte))
      for (const sign of inAllForms(key)) stream.write(sign)
      stream.write(Buffer.from(key).toString('hex'), 'hex')
      stream.write(Buffer.from(key).toString('base64'), 'base64', () => {})
      stream.cork()
      stream.write(key.slice(0, 3))
      stream.write(key.slice(3), 'utf8')
      stream.uncork()
      stream.write('\n')
    }
  },
  'print at the end'(key) {
    process.on('beforeExit', () => console.error(key))
    process.on('exit', () => {
      process.stderr.write(key.slice(0, 4))
      process.stderr.write(key.slice(4))
      process.stdout.write(`${encodeURIComponent(key)} the last words`)
    })
  },
  'end the stream'(key) {
    process.stderr.write(key.slice(0, 4))
    process.stderr.end(`${key.slice(4)} the last words`)
  },
}

/** When the key is known: at the first request with it, to or from this process, or at the first line on standard output. */
function whenKnown(act: () => void): void {
  let done = false
  const once = (): void => {
    if (done) return
    done = true
    process.nextTick(act)
  }
  subscribe('undici:request:create', (message) => {
    if ((message as { request: { path: string } }).request.path.includes('apikey')) once()
  })
  subscribe('http.server.request.start', once)
  if (process.env['PLANT_AT'] !== 'output') return
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = ((...args: Parameters<typeof write>) => {
    once()
    return write(...args)
  }) as typeof process.stdout.write
}

const { PLANT: ways, PLANT_KEY: file } = process.env
if (ways !== undefined && file !== undefined)
  whenKnown(() => {
    for (const way of ways.split(',')) WAYS[way]!(keyOf(file))
  })
