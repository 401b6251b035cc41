// `npm run test:deploy`: gets an engine, Compose and the images, brings up the stack of deploy/compose.yaml and tries it in
// every situation, leaves nothing running. Before it, sends the manifests of deploy/kubernetes to an API server, where the part
// `cluster` has been fetched.
// The last line is `N passed, M failed, K skipped`; without an engine it says why.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { fileURLToPath } from 'node:url'
import { buildImage, TAG } from '../image/build-image.ts'
import { findEngine } from '../image/find-engine.ts'
import type { Engine } from '../image/find-engine.ts'
import { BROKER_IMAGE, imageName } from '../image/image-names.ts'
import { writeResults } from '../results/situations.ts'
import type { Tried } from '../results/situations.ts'
import { tryManifests } from '../cluster/run.ts'
import { provideBrokerImage } from './broker-image.ts'
import { findCompose } from './compose.ts'
import type { Compose } from './compose.ts'
import { SITUATIONS } from './situations.ts'
import { Stack } from './stack.ts'

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const total = Object.keys(SITUATIONS).length + 3 // with those before them
const tried: Tried[] = []
const from = performance.now()

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Does `work`, prints what came of it. @returns whether it succeeded */
async function attempt(title: string, work: () => Promise<unknown>): Promise<boolean> {
  const since = performance.now()
  try {
    await work()
    tried.push({ title })
    console.log(`ok      ${title} (${seconds(since)})`)
    return true
  } catch (error) {
    tried.push({ title, error })
    console.log(`not ok  ${title} (${seconds(since)})\n${error instanceof Error ? error.stack : String(error)}`)
    return false
  }
}

async function tryStack({ docker, base }: Engine, compose: Compose, broker: string): Promise<void> {
  if (!(await attempt('the image builds from the checkout', () => buildImage(docker, base)))) return
  await using stack = await Stack.of(docker, compose, { connector: TAG, broker })
  const isValid = await attempt('Compose finds nothing wrong with the file', async () => {
    const { code, stdout, stderr } = await stack.run(['config', '--quiet'])
    if (code !== 0 || stdout + stderr !== '') throw new Error(`${code}: ${stdout}${stderr}`)
  })
  if (!isValid || !(await attempt('the stack comes up, and the connector is ready', () => stack.up()))) return
  for (const [title, situation] of Object.entries(SITUATIONS)) {
    if (stopped.signal.aborted) return
    // each goes on where the one before ended
    if (!(await attempt(title, () => situation(stack)))) return
  }
}

/** Compose's own settings, and what the file takes from the environment, are not to come from this machine. */
function quietEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:COMPOSE_|BUILDX_|BUILDKIT_)/.test(name)))
}

/** @returns why nothing was tried, if so */
async function tryOnEngine(): Promise<string | undefined> {
  const env = quietEnvironment(process.env)
  const engine = await findEngine(env, stopped.signal)
  if (typeof engine === 'string') return engine
  await using held = engine
  const compose = await findCompose(held.docker, env, stopped.signal)
  if (typeof compose === 'string') return compose
  const broker = await provideBrokerImage(held, await imageName(BROKER_IMAGE), env, stopped.signal)
  if (typeof broker === 'string') return broker
  await using image = broker
  console.log(`        on ${held.name}, Compose ${compose.version}, ${image.kind}`)
  await tryStack(held, compose, image.name)
  return undefined
}

/** What no situation is: the engine did not come up, or the stack could not be cleared. */
const fault = (error: unknown): undefined => {
  tried.push({ title: 'the group', error })
  console.log(`not ok  ${error instanceof Error ? error.stack : String(error)}`)
}

const without = await tryManifests(process.env, attempt, stopped.signal).catch(fault)
if (without !== undefined) console.log(`        no manifest was sent to an API server: ${without}`)
const beside = tried.length
const reason = await tryOnEngine().catch(fault)
const failed = tried.filter(({ error }) => error !== undefined).length
const passed = tried.length - failed
const skipped = Math.max(0, total + beside - passed - failed)
await writeResults(fileURLToPath(import.meta.url), tried, total + beside)
const sum = `${passed} passed, ${failed} failed, ${skipped} skipped`
console.log(reason === undefined ? `        ${seconds(from)}\n${sum}` : `deploy test skipped: ${reason}: ${sum}`)
if (failed > 0 || stopped.signal.aborted) process.exitCode = 1
