#!/usr/bin/env node
// Where the program begins, in a checkout and in the bundle. JavaScript, for the reason that check-node.js gives.
// In a checkout whose `npm ci` brought a Node of its own, that one takes over from an older one.

import { isNewEnough, refuse } from './check-node.js'

if (isNewEnough) await import('./main.ts')
else await handOver()

async function handOver() {
  const { spawn } = await import('node:child_process')
  const { existsSync, realpathSync } = await import('node:fs')
  const { fileURLToPath } = await import('node:url')
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(node) || realpathSync(node) === realpathSync(process.execPath)) return refuse()
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', refuse)
  child.on('exit', (code, signal) => {
    process.exitCode = code
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
