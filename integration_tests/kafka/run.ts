// `npm run kafka`: a Kafka broker for people, until Ctrl-C. Without --data nothing of it is left.

import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve as resolvePath } from 'node:path'
import { parseArgs } from 'node:util'
import { startBroker, type BrokerOptions } from './broker.ts'
import { SERVER_PROPERTIES_TITLE } from './broker-files.ts'
import { isFree } from './free-port.ts'

const HELP = `Starts a Kafka broker on this machine, until Ctrl-C.

  npm run kafka -- [--port N] [--data DIR] [--identity]

  --port N     its port; a free one without it
  --data DIR   keeps its topics in DIR, for the next time; without it they are gone when it stops
  --identity   a token server beside it, and a second port that wants its tokens: docs/kafka-login.md. Of --port N, they are N+1
               (the broker's) and N+2 (the token server's)

KAFKA_VERSION is another version than the usual one, if fetched: KAFKA_VERSION=3.9.2 npm run fetch:test-parts
`

const ORPHANED_MS = 500
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

// a signal to npm ends its shell alone, and this process gets another parent; where npm is killed, its shell stays, and gets another one
const parents = parentsNow()
setInterval(() => parentsNow() !== parents && stopped.abort(), ORPHANED_MS).unref()

try {
  await main()
} catch (error) {
  if (!stopped.signal.aborted) {
    process.exitCode = 1
    console.error(error instanceof Error ? error.message : error)
  }
}

async function main(): Promise<void> {
  const { port, data, identity, help } = readOptions()
  if (help) {
    process.stdout.write(HELP)
    return
  }
  if (port !== undefined && !(await isFree(port))) throw new Error(`Port ${port} of 127.0.0.1 is not free.`)
  if (data !== undefined) await checkFolder(data)
  const options = {
    signal: stopped.signal,
    ...(port === undefined ? {} : { port }),
    ...(data === undefined ? {} : { folder: data }),
  }
  await using tokens = identity ? await startTokens(port) : undefined
  await using broker = tokens ? await tokens.startBroker(options) : await startBroker(options)
  if (tokens) console.log(tokens.words(broker.address('OAUTH')))
  console.log(`Kafka is at ${broker.bootstrap}. Topics are not created automatically. This creates one with three records:

  node spec/sample/produce.mjs ${broker.bootstrap} orders < spec/sample/orders.jsonl

Ctrl-C stops it${data === undefined ? ', and its topics are gone' : `; its topics stay in ${data}`}.`)
  const { promise: interrupted, resolve } = Promise.withResolvers<void>()
  stopped.signal.addEventListener('abort', () => resolve())
  await Promise.race([interrupted, broker.ended()])
  if (!stopped.signal.aborted) throw new Error('The Kafka broker ended unexpectedly.')
}

/** A token server, and what starts a broker that takes its tokens. */
async function startTokens(port: number | undefined) {
  const { startIdentityBroker } = await import('../identity/identity-broker.ts')
  const { CLIENT_SECRET, TokenServer } = await import('../identity/token-server.ts')
  // a renewal can be seen after a minute
  const server = await TokenServer.start({ seconds: 120 }, port && port + 2)
  const ports = port === undefined ? {} : { ports: { OAUTH: port + 1 } }
  return {
    startBroker: (options: BrokerOptions) => startIdentityBroker(startBroker, server, { ...options, ...ports }),
    words: (
      address: string,
    ) => `Logins by oauthbearer are taken at ${address}, with tokens of the issuer ${server.issuer}:
client_id stream, scope kafka, and this as the client_secret:

  export CLIENT_SECRET='${CLIENT_SECRET}'
`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      identity: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { port, data, identity, help } = values
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw new TypeError(`--port must be a number from 1 to 65535, not "${port}".`)
  if (data === '') throw new TypeError('--data must be the path of a folder.')
  return {
    port: port === undefined ? undefined : Number(port),
    data: data === undefined ? undefined : resolvePath(data),
    identity,
    help,
  }
}

/** A broker fills its folder as it likes: it gets one that is empty, absent or an earlier broker's. */
async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new Error(`--data ${folder} is no folder that can be read (${error.code}).`, { cause: error })
  })
  if (names.length === 0) return
  const properties = await readFile(join(folder, 'server.properties'), 'utf8').catch(() => '')
  if (!properties.startsWith(SERVER_PROPERTIES_TITLE))
    throw new Error(`--data ${folder} holds other things than a broker's data. Name an empty folder or a new one.`)
}

/** This process's parent, and the parent of that where the system says so. */
function parentsNow(): string {
  const { ppid } = process
  try {
    return `${ppid} ${/^PPid:.*$/m.exec(readFileSync(`/proc/${ppid}/status`, 'utf8'))?.[0]}`
  } catch {
    return `${ppid}`
  }
}
