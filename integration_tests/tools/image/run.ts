// `npm run test:image`: gets an engine, builds the image, tries it in every situation, leaves nothing running.
// The last line is `N passed, M failed, K skipped`; without an engine it is the only one and says why.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { fileURLToPath } from 'node:url'
import { writeResults } from '../results/situations.ts'
import type { Tried } from '../results/situations.ts'
import { buildImage, TAG } from './build-image.ts'
import { findEngine } from './find-engine.ts'
import type { Engine } from './find-engine.ts'
import { CanNotTry } from './scene.ts'
import { SITUATIONS } from './situations.ts'
import { Stage } from './stage.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const total = Object.keys(SITUATIONS).length + 2 // with the two before them
const tried: Tried[] = []
const from = performance.now()

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Does `work`, prints what came of it. @returns its result; undefined when it failed */
async function attempt<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
  const since = performance.now()
  try {
    const result = await work()
    tried.push({ title })
    console.log(`ok      ${title} (${seconds(since)})`)
    return result
  } catch (error) {
    if (error instanceof CanNotTry) {
      console.log(`skipped ${title}: ${error.message}`)
      return undefined
    }
    tried.push({ title, error })
    console.log(`not ok  ${title} (${seconds(since)})\n${error instanceof Error ? error.stack : String(error)}`)
    return undefined
  }
}

async function tryImage({ docker, name, base }: Engine): Promise<void> {
  console.log(`        on ${name}`)
  const size = await attempt('the image builds from the checkout', async () => {
    await buildImage(docker, base)
    return docker.output(['image', 'inspect', '--format', '{{.Size}}', TAG])
  })
  if (size === undefined || stopped.signal.aborted) return
  console.log(`        ${Math.round(Number(size) / 1e6)} MB with its base`)
  const set = await attempt('serve answers in a container', () => Stage.set(docker, TAG))
  if (set === undefined) return
  await using stage = set
  for (const [title, situation] of Object.entries(SITUATIONS)) {
    if (stopped.signal.aborted) return
    await attempt(title, () => situation({ docker, stage }))
  }
}

/** @returns why nothing was tried, if so */
async function tryOnEngine(): Promise<string | undefined> {
  const engine = await findEngine(process.env, stopped.signal)
  if (typeof engine === 'string') return engine
  await using held = engine
  await tryImage(held)
  return undefined
}

/** What no situation is: the engine did not come up, or the stage could not be cleared. */
const fault = (error: unknown): undefined => {
  tried.push({ title: 'the group', error })
  console.log(`not ok  ${error instanceof Error ? error.stack : String(error)}`)
}

const reason = await tryOnEngine().catch(fault)
const failed = tried.filter(({ error }) => error !== undefined).length
const passed = tried.length - failed
const skipped = Math.max(0, total - passed - failed)
await writeResults(fileURLToPath(import.meta.url), tried, total)
const sum = `${passed} passed, ${failed} failed, ${skipped} skipped`
console.log(reason === undefined ? `        ${seconds(from)}\n${sum}` : `image test skipped: ${reason}: ${sum}`)
if (failed > 0 || stopped.signal.aborted) process.exitCode = 1
