// `npm run test:image`: gets an engine, builds the image, tries it in every situation, leaves nothing running.
// The last line is `N passed, M failed, K skipped`; without an engine it is the only one and says why.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { Attempts } from '../results/attempts.ts'
import { buildImage, TAG } from './build-image.ts'
import { findEngine, type Engine } from './find-engine.ts'
import { SITUATIONS } from './situations.ts'
import { Stage } from './stage.ts'

const attempts = new Attempts()
const { signal } = attempts

async function tryImage({ docker, name, base }: Engine): Promise<void> {
  console.log(`        on ${name}`)
  const size = await attempts.try('the image builds from the checkout', async () => {
    await buildImage(docker, base)
    return docker.output(['image', 'inspect', '--format', '{{.Size}}', TAG])
  })
  if (size === undefined || signal.aborted) return
  console.log(`        ${Math.round(Number(size.value) / 1e6)} MB with its base`)
  const set = await attempts.try('serve answers in a container', () => Stage.set(docker, TAG))
  if (set === undefined) return
  await using stage = set.value
  for (const [title, situation] of Object.entries(SITUATIONS)) {
    if (signal.aborted) return
    await attempts.try(title, () => situation({ docker, stage }))
  }
}

/** @returns why nothing was tried, if so */
async function tryOnEngine(): Promise<string | undefined> {
  const engine = await findEngine(process.env, signal)
  if (typeof engine === 'string') return engine
  await using held = engine
  await tryImage(held)
  return undefined
}

// what no situation is: the engine did not come up, or the stage could not be cleared
const reason = await tryOnEngine().catch((error: unknown) => attempts.failed('the group', error))
await attempts.end(import.meta.filename, Object.keys(SITUATIONS).length + 2, reason ?? undefined) // with the two before them
