// `npm run test:deploy`: gets an engine, Compose and the images, brings up the stack of deploy/compose.yaml and tries it in
// every situation, leaves nothing running. Before it, sends the manifests of deploy/kubernetes to an API server, where the part
// `cluster` has been fetched.
// The last line is `N passed, M failed, K skipped`; without an engine it says why.
// --outputFile.json=FILE writes the counts as Vitest's JSON reporter does; other options are not looked at.

import { buildImage, TAG } from '../image/build-image.ts'
import { findEngine, type Engine } from '../image/find-engine.ts'
import { BROKER_IMAGE, imageName } from '../image/image-names.ts'
import { Attempts } from '../results/attempts.ts'
import { tryManifests } from '../cluster/run.ts'
import { provideBrokerImage } from './broker-image.ts'
import { findCompose, type Compose } from './compose.ts'
import { SITUATIONS } from './situations.ts'
import { Stack } from './stack.ts'

const attempts = new Attempts()
const { signal } = attempts

/** @returns whether it succeeded */
const attempt = async (title: string, work: () => Promise<unknown>): Promise<boolean> =>
  (await attempts.try(title, work)) !== undefined

async function tryStack({ docker, base }: Engine, compose: Compose, broker: string): Promise<void> {
  if (!(await attempt('the image builds from the checkout', () => buildImage(docker, base)))) return
  await using stack = await Stack.of(docker, compose, { connector: TAG, broker })
  const isValid = await attempt('Compose finds nothing wrong with the file', async () => {
    const { code, stdout, stderr } = await stack.run(['config', '--quiet'])
    if (code !== 0 || stdout + stderr !== '') throw new Error(`${code}: ${stdout}${stderr}`)
  })
  if (!isValid || !(await attempt('the stack comes up, and the connector is ready', () => stack.up()))) return
  for (const [title, situation] of Object.entries(SITUATIONS)) {
    if (signal.aborted) return
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
  const engine = await findEngine(env, signal)
  if (typeof engine === 'string') return engine
  await using held = engine
  const compose = await findCompose(held.docker, env, signal)
  if (typeof compose === 'string') return compose
  const broker = await provideBrokerImage(held, await imageName(BROKER_IMAGE), env, signal)
  if (typeof broker === 'string') return broker
  await using image = broker
  console.log(`        on ${held.name}, Compose ${compose.version}, ${image.kind}`)
  await tryStack(held, compose, image.name)
  return undefined
}

// what no situation is: the engine did not come up, or the stack could not be cleared
const fault = (error: unknown): void => attempts.failed('the group', error)
const without = await tryManifests(process.env, attempt, signal).catch(fault)
if (without) console.log(`        no manifest was sent to an API server: ${without}`)
const total = Object.keys(SITUATIONS).length + 3 + attempts.count // with those before them, and the manifests
const reason = await tryOnEngine().catch(fault)
await attempts.end(import.meta.filename, total, reason ?? undefined)
