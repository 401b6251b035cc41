import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { Worker, isMainThread, workerData, parentPort } from 'node:worker_threads'
import { loadEngine } from '../engine.ts'
import { faults } from '../faults.ts'
import { plant } from '../plant.ts'
import { Choices } from './choices.ts'
import { playWorld } from './play-world.ts'
import { worlds } from './worlds.ts'
if (isMainThread) {
  const root = await mkdtemp(join(tmpdir(), 'mut-'))
  const only = process.argv[2]
  const todo = faults.filter((f) => !only || f.name === only)
  const missed: string[] = []
  const work = async () => {
    for (let f = todo.shift(); f; f = todo.shift()) {
      const dir = join(root, String(faults.indexOf(f)))
      await plant(f.edits, dir)
      const w = new Worker(new URL(import.meta.url), { workerData: { dir } })
      const name = f.name
      const r = await new Promise<string>((resolve) => {
        const t = setTimeout(() => resolve('HANGS/timeout'), 60_000)
        w.on('message', (m) => {
          clearTimeout(t)
          resolve(m)
        })
        w.on('error', (e) => {
          clearTimeout(t)
          resolve('broke thread ' + e.message)
        })
      })
      await w.terminate()
      console.log(name.padEnd(60), r)
      if (r === 'MISSED' || r.startsWith('HANGS')) missed.push(name)
    }
  }
  await Promise.all([work()])
  console.log('MISSED', missed.length, missed)
  await rm(root, { recursive: true })
} else {
  let stray: string | undefined
  process.on('unhandledRejection', (e) => (stray ??= String(e)))
  const engine = await loadEngine(workerData.dir)
  const end = Date.now() + 45_000
  search: for (const most of [0, 1, 2, 3])
    for (const world of worlds) {
      if (Date.now() > end) break search
      let given: number[] | undefined = []
      const until = Date.now() + (most === 0 ? 600 : 1500)
      for (let n = 0; given && Date.now() < until; n++) {
        const choices = new Choices(given)
        const { broken } = await playWorld(engine, world, choices)
        if (broken || stray) {
          parentPort!.postMessage(`${most} ${n} ${world.name} | ${stray ?? broken!.law}`)
          break search
        }
        given = choices.next(most)
      }
    }
  parentPort!.postMessage('MISSED')
}
