// `write` as a process that is pressed: a service that stalls, records and states of megabytes, half of a core.
// Memory is that of the process as the kernel counts it.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { finished, start, workFolder } from '../connector.ts'
import { argsOf, record, state, stream } from './driver.ts'

/** The most it ever had in memory, in MB. */
function peakOf({ pid }: ChildProcess): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return (Number(line[1]) * 1024) / 1e6
}

/** The same of one that is about to end. */
async function peakUntilEnd(child: ChildProcess): Promise<number> {
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    try {
      peak = peakOf(child)
    } catch {
      // it has just ended
    }
    await wait(20)
  }
  return peak
}

/** Feeds chunks as fast as they are taken, until it is aborted or there are no more.
 *  @returns how many, and their characters */
async function feed(
  child: ChildProcess,
  chunks: Iterable<string>,
  signal: AbortSignal,
): Promise<{ fed: number; taken: number }> {
  let [fed, taken] = [0, 0]
  const ended = once(child, 'close')
  for (const chunk of chunks) {
    if (signal.aborted) break
    const free = child.stdin!.write(chunk)
    fed++
    taken += chunk.length
    if (!free) await Promise.race([once(child.stdin!, 'drain', { signal }).catch(() => {}), ended])
    if (child.exitCode !== null || child.signalCode !== null) break
  }
  return { fed, taken }
}

function* endless(lineOf: (id: number) => string, perChunk: number): Generator<string> {
  for (let id = 0; ; id += perChunk) {
    let chunk = ''
    for (let more = 0; more < perChunk; more++) chunk += `${lineOf(id + more)}\n`
    yield chunk
  }
}

const small = (id: number): string => record(`{"id":${id},"text":"${'x'.repeat(150)}"}`)

it('holds states of megabytes within its buffers while the service stalls', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  service.fault({ every: 1, delay_ms: 600_000 })
  const child = start(await argsOf(service, work))
  const done = finished(child)
  const shared = `"${'s'.repeat(2e6)}"`
  const globalState = `{"type":"STATE","state":{"type":"GLOBAL","global":{"shared_state":${shared},"stream_states":[]}}}`
  const { taken } = await feed(
    child,
    endless((id) => `${small(id)}\n${globalState}`, 1),
    AbortSignal.timeout(4_000),
  )
  expect(taken).toBeLessThan(80e6)
  expect(peakOf(child)).toBeLessThan(260)
  child.kill('SIGKILL')
  child.stdin!.destroy()
  await done
})

/** Streams, records of each, and MB at most. Without a stream it is some 130: the program is not bundled here. */
const CATALOGS = [
  [20_000, 0, 240],
  [6_000, 5, 250],
] as const

it.each(CATALOGS)('holds a few KB a stream: %i streams with %i records each', async (count, records, most) => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const names = Array.from({ length: count }, (_, index) => `stream_${index}`)
  const child = start(
    await argsOf(
      service,
      work,
      names.map((name) => stream(name)),
    ),
  )
  const done = finished(child)
  const rounds = Array.from({ length: records }, (_, id) =>
    names.map((name) => `${record(`{"id":${id},"text":"${'x'.repeat(100)}"}`, name)}\n`).join(''),
  )
  await feed(child, rounds, new AbortController().signal)
  child.stdin!.end(`${state('1', names[0])}\n`)
  const peak = await peakUntilEnd(child)
  const { code, states } = await done
  expect([code, states.length]).toEqual([0, 1])
  expect(names.every((name) => service.rows(name).length === records)).toBe(true)
  expect(peak).toBeLessThan(most)
})

it('keeps its promises on half a core that comes and goes', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  service.fault({ every: 3, delay_ms: 40 })
  service.fault({ every: 50, answer: { status: 503 } })
  const child = start(await argsOf(service, work, [stream('orders'), stream('users')]))
  const done = finished(child)
  const lines: string[] = []
  for (let n = 0; n < 40_000; n++) {
    const name = n % 3 === 0 ? 'users' : 'orders'
    lines.push(record(`{"id":${(n * 7919) % 5_000},"n":${n}}`, name))
    if (n % 500 === 499) lines.push(state(String(n), name))
  }
  child.stdin!.end(`${lines.join('\n')}\n`)
  const ended = once(child, 'exit')
  // a second of nothing now and then: longer than any timer it has for a healthy service
  for (let turn = 0; child.exitCode === null && child.signalCode === null; turn++) {
    child.kill('SIGSTOP')
    await wait(turn % 20 === 19 ? 1_000 : 40)
    child.kill('SIGCONT')
    await Promise.race([ended, wait(40)])
  }
  const { code, states } = await done
  expect([code, states.length]).toEqual([0, 80])
  for (const name of ['orders', 'users']) {
    const newest = new Map<number, number>()
    for (const line of lines) {
      const { record } = JSON.parse(line) as { record?: { stream: string; data: { id: number; n: number } } }
      if (record?.stream === name) newest.set(record.data.id, record.data.n)
    }
    const rows = service.rows(name).map((row) => JSON.parse(row) as { id: number; n: number })
    expect(new Map(rows.map(({ id, n }) => [id, n]))).toEqual(newest)
  }
})
