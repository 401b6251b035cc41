// Asks a `stream` process for its health. Knows no case.

import type { StreamProcess } from './stream-process.ts'

export interface HealthAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** @param process of a config with `health`; resolves once it listens */
export async function healthOf(process: StreamProcess): Promise<(path: string) => Promise<HealthAnswer>> {
  const { message } = await process.said(/^Health is served on port/)
  const port = /\d+/.exec(message)![0]
  return async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
}
