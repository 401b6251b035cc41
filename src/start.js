#!/usr/bin/env node
// Where the program begins, in a checkout and in the bundle. JavaScript, for the reason that check-node.js gives.
// A Node that is too old for the program hands over to the one that `npm ci` brought into a checkout, which runs as its child.

import { isNewEnough, refuse } from './check-node.js'

// HANDED_OVER_BY tells such a child the id of its parent. When that is killed, the channel between them closes, and the child must not
// go on beside the next run. Listening for that must not keep it running.
if (process.env.HANDED_OVER_BY === String(process.ppid)) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()
}
delete process.env.HANDED_OVER_BY
if (isNewEnough) await import('./main.ts')
else await handOver()

/** Runs the program in the Node of this checkout. Where there is none, or it is the one that runs already, says that Node is too old. */
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
    process.exitCode = code ?? 1
    if (signal === null) return
    // end by the same signal; process 1 of a container survives it, and then ends with the code above
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
