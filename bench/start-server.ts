// The do-nothing server as the runner sees it: a child process that can be asked. Knows nothing of what is measured.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { RESET_PATH, STATS_PATH, type ServerSettings, type ServerStats } from './server-stats.ts'

export interface DoNothingServer extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** Counts from zero again, from now on with these settings. */
  reset(settings: ServerSettings): Promise<void>
  stats(): Promise<ServerStats>
}

/** Starts the server on a free loopback port; disposing ends it and waits for its end. */
export async function startServer(): Promise<DoNothingServer> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)))
  const ended = once(child, 'exit')
  const gone = new AbortController()
  child.once('exit', () => gone.abort(new Error('the do-nothing server ended before it listened')))
  const [message] = (await once(child, 'message', { signal: gone.signal })) as [{ port: number }]
  const url = `http://127.0.0.1:${message.port}`
  return {
    url,
    async reset({ latencyMs, countPoints, standStillMs = 0 }) {
      const query = `latency_ms=${latencyMs}&count_points=${countPoints}&stand_still_ms=${standStillMs}`
      await ask('POST', `${url}${RESET_PATH}?${query}`)
    },
    async stats() {
      return (await ask('GET', url + STATS_PATH)) as ServerStats
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

async function ask(method: string, url: string): Promise<unknown> {
  const response = await fetch(url, { method })
  if (!response.ok) throw new Error(`the do-nothing server answered ${response.status}: ${await response.text()}`)
  return await response.json()
}
