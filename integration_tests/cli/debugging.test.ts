// What CONTRIBUTING.md says to start is what a debugger attaches to: the process that runs the program, or the test.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { it } from 'vitest'
import { AS_USER, freePort, readPage } from './readme-commands.ts'

interface Told {
  readonly method?: string
  readonly params?: { readonly url?: string }
}

/** Starts it and attaches. Resolves when a script of that name was loaded in the process. */
async function loads(command: string, script: string): Promise<void> {
  const child = spawn('sh', ['-c', `exec ${command}`], {
    ...AS_USER,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'close')
  try {
    const socket = new WebSocket(await addressIn(child.stderr))
    await once(socket, 'open')
    const loaded = Promise.withResolvers<void>()
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = JSON.parse(String(data)) as Told
      if (method === 'Debugger.scriptParsed' && params?.url?.endsWith(script)) loaded.resolve()
      if (method === 'Debugger.paused') socket.send('{"id":3,"method":"Debugger.resume"}')
    })
    socket.send('{"id":1,"method":"Debugger.enable"}')
    socket.send('{"id":2,"method":"Runtime.runIfWaitingForDebugger"}')
    await Promise.race([loaded.promise, ended.then(() => Promise.reject(new Error(`${script} was not loaded`)))])
    socket.close()
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
}

async function addressIn(stderr: Readable): Promise<string> {
  let said = ''
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    const [address] = /ws:\/\/\S+/.exec(said) ?? []
    if (address !== undefined) {
      stderr.resume()
      return address
    }
  }
  throw new Error(`No debugger can attach: ${said}`)
}

it.each([
  ['node_modules/.bin/node --inspect-brk', '/src/main.ts'],
  ['npx vitest run --inspect-brk', '/src/mapping/table-name.ts'],
])('%s … attaches to what runs it', async (begin, script) => {
  const page = await readPage('CONTRIBUTING.md')
  const command = page.split('\n').find((line) => line.startsWith(begin))!
  await loads(command.replace('--inspect-brk', `--inspect-brk=127.0.0.1:${await freePort()}`), script)
})
