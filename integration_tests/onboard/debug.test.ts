// What Node prints for debugging while `onboard` logs in: the token arrives before anybody can know that it is one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MAIN, workFolder } from '../connector.ts'
import { configOf } from './driver.ts'

const TOKEN = 'Tok3n-9f81c2d7-4b6a'
const ANSWER = `{"access_token":"${TOKEN}","refresh_token":"Refr3sh-${TOKEN}","id":1,"user_id":5,"expires_in":14400}`
const TIMES = 10

/** A part of it as bytes: any four of them in a row. */
const PARTS = Array.from({ length: TOKEN.length - 3 }, (_, at) => Buffer.from(TOKEN.slice(at, at + 4)))
const FORMS = PARTS.flatMap((part) => [
  part.toString(),
  part.toString('hex').replaceAll(/..(?=.)/g, '$& '),
  [...part].join(', '),
  [...part].join(),
])

/** Each time the head of the answer is one packet, and the body is cut into these pieces, each another. */
const CUTS: Readonly<Record<string, readonly number[]>> = {
  'head and body': [],
  'in the midst of the token': [ANSWER.indexOf(TOKEN) + 9],
  'many pieces': [5, 19, 22, 26, 31, 60],
}

async function startService(cuts: readonly number[], whole: boolean): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    void (async () => {
      for await (const _ of request);
      if (request.url !== '/v1/tokens') {
        response.writeHead(401).end('{}')
        return
      }
      response.socket!.setNoDelay(true)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length })
      response.flushHeaders()
      for (const [at, from] of [0, ...cuts].entries()) {
        await wait(30)
        response.write(ANSWER.slice(from, cuts[at] ?? (whole ? undefined : ANSWER.length - 3)))
      }
      if (whole) response.end()
      else response.destroy()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** @returns all that it printed */
async function onboarded(url: string, debug: string): Promise<string> {
  await using work = await workFolder()
  const config = await work.file('onboard.json', { ...configOf(url), retry_for_seconds: 0 })
  const child = spawn(process.execPath, [MAIN, 'onboard', '--config', config], {
    env: {
      PATH: process.env['PATH'],
      PASSWORD: 'pass-4711-word',
      CLIENT_SECRET: 'client-4711-secret',
      DB_PASSWORD: 'db-4711',

      NODE_DEBUG: debug,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()))
  await once(child, 'close')
  return printed
}

test.each(Object.entries(CUTS).flatMap(([name, cuts]) => ['stream', '*'].map((debug) => [name, debug, cuts] as const)))(
  'nobody sees a token that comes in packets: %s, NODE_DEBUG=%s',
  async (_, debug, cuts) => {
    await using service = await startService(cuts, true)
    let seen = 0
    for (let time = 0; time < (debug === '*' ? 2 : TIMES); time++) {
      const printed = await onboarded(service.url, debug)
      expect(printed).toMatch(/^STREAM \d+: /m)
      expect(printed).toMatch(/A\d+ \(.*\): .*401/)

      if (FORMS.some((form) => printed.includes(form))) seen++
    }
    expect(seen).toBe(0)
  },
)

test('nobody sees a token of an answer that is cut off', async () => {
  await using service = await startService([20], false)
  const printed = await onboarded(service.url, '*')
  expect(printed).toMatch(/A1 \(log in\): /)
  expect(printed).toMatch(/pieces of debug output are left out/)
  expect(FORMS.filter((form) => printed.includes(form))).toEqual([])
})
