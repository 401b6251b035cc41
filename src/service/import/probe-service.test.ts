// How long a check waits for an answer, and what it advises where none comes.

import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'

import { Secret } from '../../core/secret.ts'
import { PATIENCE, probeService } from './probe-service.ts'

async function probed(listener: RequestListener, requestTimeoutMs: number, longestMs = 50_000): Promise<string[]> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addressOption: 'import_url',
    clientId: 7,
    apiKey: new Secret('canary'),
    proxy: undefined,
    requestTimeoutMs,
  } as const
  try {
    return await probeService(service, (text) => text, new AbortController().signal, {
      ...PATIENCE,
      longestMs,
      retryMs: 0,
    })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('an answer that takes longer than an impatient check would wait is waited for', async () => {
  const listener: RequestListener = (request, response) =>
    void pause(request.url === '/' ? 0 : 13_000).then(() => response.end('{}'))
  expect(await probed(listener, 60_000)).toEqual([])
})

test('none within request_timeout_seconds: to raise it is advised, and helps', async () => {
  const slow: RequestListener = (_, response) => void pause(1_000).then(() => response.end('{}'))
  expect(await probed(slow, 300)).toEqual([
    expect.stringMatching(/did not answer in time\. .*if the service is slow, raise request_timeout_seconds\./),
  ])
  expect(await probed(slow, 30_000)).toEqual([])
})

test('none within the longest wait: nothing is advised that has no effect', async () => {
  for (const requestTimeoutMs of [300, 3_600_000]) {
    expect(await probed(() => {}, requestTimeoutMs, 300)).toEqual([
      expect.stringMatching(
        /did not answer in time\. .*a check waits 0\.3 s for an answer at most, whatever request_t/,
      ),
    ])
  }
})
