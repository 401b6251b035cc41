// Ports of the loopback interface that nobody listens on. They lie below those that systems give to outgoing connections:
// a broker that comes back must not find its port taken by the client that looks for it.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 15_000
const END = 32_000
const TRIES = 100

/** @returns so many different ports that were free a moment ago */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; ports.size < count; tries++) {
    if (tries === TRIES) throw new Error(`no free port found between ${FIRST} and ${END} of 127.0.0.1`)
    const port = randomInt(FIRST, END)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

export async function isFree(port: number): Promise<boolean> {
  await using server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}
