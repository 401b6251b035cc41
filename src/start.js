#!/usr/bin/env node
// Where the program begins, in a checkout and in the bundle. JavaScript, for the reason that check-node.js gives.
// In a checkout whose `npm ci` brought a Node of its own, that one takes over from an older one.

import { isNewEnough, refuse } from './check-node.js'

// whoever kills the older Node means the program: nothing of it may go on, beside the next run of it
if (process.env.HANDED_OVER_BY === String(process.ppid)) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()
}
delete process.env.HANDED_OVER_BY
if (isNewEnough) await import('./main.ts')
else await handOver()

async function handOver() {
  const { spawn } = await import('node:child_process')
  const { existsSync, realpathSync } = await import('node:fs')
  const { fileURLToPath } = await import('node:url')
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(node) || realpathSync(node) === realpathSync(process.execPath)) return refuse()
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, HANDED_OVER_BY: String(process.pid) },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ code }) => {
    process.stderr.write(`The Node of this checkout cannot be started (${code}): ${node}. Run \`npm ci\` again.\n`)
    process.exitCode = 2
  })
  child.on('exit', (code, signal) => {
    // process 1 of a container survives its own signal: then this says that the program failed
    process.exitCode = code ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
