// Runs a program of ours in the Python of the test part, away from proxies, and leaves no compiled files behind.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findPythonKafka } from './find-python-kafka.ts'

const LIMIT_MS = 300_000
const WORDS = 4000

/** Resolves when it has ended well. @param input what it reads
 *  @throws with the end of what it said, when it did not, or takes longer than five minutes */
export async function runPython(program: URL, args: readonly string[], input = ''): Promise<void> {
  const found = await findPythonKafka(process.env)
  if ('reason' in found) throw new Error(found.reason)
  const own = Object.entries(process.env).filter(([name]) => !/^PYTHON|_proxy$/i.test(name))
  const child = spawn(found.python, ['-B', '-W', 'ignore', fileURLToPath(program), ...args], {
    env: Object.fromEntries(own),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  // it may end before it has read all
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, err, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ])
  if (code === 0) return
  const said = Buffer.concat([out, err]).toString().trimEnd().slice(-WORDS)
  throw new Error(`A Python program of the tests ended with ${code ?? signal}:\n${said}`)
}
