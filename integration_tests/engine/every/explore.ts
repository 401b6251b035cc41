// Plays all histories of worlds in worker threads, up to their bounds or to the first that breaks a law.

import { Worker } from 'node:worker_threads'

/** A world, and how many departures there may be from its plain course. */
export interface Task {
  readonly world: string
  readonly most: number
  /** Fewer than there are in the world. */
  readonly chunks?: number
}

export interface Found {
  readonly world: string
  readonly choices: readonly number[]
  readonly law: string
  /** Which part it was found in: the first one counts. */
  readonly part: number
}

/** What a worker says of its part of a task. */
export interface Report {
  readonly task: number
  readonly histories: number
  readonly longest: number
  readonly found: Found | undefined
}

export interface Explored extends Report {
  readonly seconds: number
}

/** Shared by the workers of a run: whose part is whose. */
export interface Shared {
  readonly tasks: readonly Task[]
  readonly directory: string | undefined
  /** By task and part: whether somebody has taken it. */
  readonly taken: readonly Uint8Array[]
  /** The first part, of those of all tasks, in which a law was broken. */
  readonly failed: Int32Array
  /** How many histories were begun; of the last its task, and its choices behind their number. */
  readonly playing: Int32Array
}

/** Of a task at most. */
export const PARTS = 1 << 20
/** A history takes a millisecond. */
const PATIENCE_MS = 20_000

/** @returns what was found in each task, up to the first in which a law was broken */
export async function explore(
  tasks: readonly Task[],
  options: { readonly workers: number; readonly directory?: string | undefined },
  onDone: (task: Task, explored: Explored) => void = () => undefined,
): Promise<Found | undefined> {
  const shared = {
    tasks,
    directory: options.directory,
    taken: tasks.map(() => new Uint8Array(new SharedArrayBuffer(PARTS))),
    failed: new Int32Array(new SharedArrayBuffer(4)).fill(2 ** 31 - 1),
  }
  const reports: Report[][] = tasks.map(() => [])
  let since = performance.now()
  let found: Found | undefined
  const onReport = (report: Report): void => {
    const all = reports[report.task]!
    if (all.push(report) < options.workers) return
    const seconds = (performance.now() - since) / 1000
    since = performance.now()
    found ??= all.flatMap((one) => one.found ?? []).sort((a, b) => a.part - b.part)[0]
    const histories = all.reduce((sum, one) => sum + one.histories, 0)
    onDone(tasks[report.task]!, {
      ...report,
      histories,
      longest: Math.max(...all.map((one) => one.longest)),
      found,
      seconds,
    })
  }
  await Promise.all(Array.from({ length: options.workers }, () => work(shared, onReport)))
  return found
}

/** A thread, watched: a faulty engine may never end, or end the thread. */
function work(shared: Omit<Shared, 'playing'>, onReport: (report: Report) => void): Promise<void> {
  const playing = new Int32Array(new SharedArrayBuffer(4 * 256))
  const worker = new Worker(new URL('explore-worker.ts', import.meta.url), { workerData: { ...shared, playing } })
  return new Promise((resolve) => {
    let last = -1
    const end = (): void => {
      clearInterval(watch)
      void worker.terminate().then(() => resolve())
    }
    const fail = (law: string): void => {
      const [, task, length] = playing as unknown as [number, number, number]
      const found = { world: shared.tasks[task]!.world, choices: [...playing.subarray(3, 3 + length)], law, part: -1 }
      for (let at = task; at < shared.tasks.length; at++) onReport({ task: at, histories: 0, longest: 0, found })
      Atomics.store(shared.failed, 0, -1)
      end()
    }
    const watch = setInterval(() => {
      if (playing[0] === last) fail('it ends')
      last = playing[0]!
    }, PATIENCE_MS)
    worker.on('message', (report: Report | 'done') => (report === 'done' ? end() : onReport(report)))
    worker.on('error', (error) => fail(`the thread broke: ${error.message}`))
  })
}
