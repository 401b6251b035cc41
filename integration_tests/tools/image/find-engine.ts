// Decides which Docker engine the image is tried on: one that answers and has the base image or can get it, else a private
// one, where that can be made.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Docker } from './docker.ts'
import { BASE_IMAGE, imageName, withoutDigest } from './image-names.ts'

const SCRIPT = new URL('./local-engine.sh', import.meta.url).pathname

/** An engine to use; disposing of it stops it if this process started it. */
export interface Engine extends AsyncDisposable {
  readonly docker: Docker
  /** For a person: which one. */
  readonly name: string
  /** The base image by a name under which it has it. */
  readonly base: string
}

/** @returns an engine, or why there is none. Throws when one should have come up and did not. */
export async function findEngine(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Engine | string> {
  const docker = new Docker('docker', env, signal)
  const version = await docker.run(['version', '--format', '{{.Server.Version}}'], { limitSeconds: 20 })
  const answers = version.code === 0
  const base = await imageName(BASE_IMAGE)
  if (answers && (await hasImage(docker, base))) {
    return { docker, base, name: `Docker ${version.stdout.trim()}`, [Symbol.asyncDispose]: async () => {} }
  }
  const reason = answers ? `the Docker engine has no ${base} and cannot pull it` : 'no Docker engine answers'
  if (!(await isRootOnDebian())) return `${reason}, and one can be made here only by root on Debian`
  return holdLocalEngine(env, withoutDigest(base), signal)
}

async function hasImage(docker: Docker, name: string): Promise<boolean> {
  if ((await docker.run(['image', 'inspect', name])).code === 0) return true
  return (await docker.run(['pull', '--quiet', name], { limitSeconds: 300 })).code === 0
}

async function isRootOnDebian(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false
  return /^ID=debian$/m.test(await readFile('/etc/os-release', 'utf8').catch(() => ''))
}

/** The script holds the engine as long as its standard input is open: also when this process is killed, it ends. */
async function holdLocalEngine(env: NodeJS.ProcessEnv, base: string, signal: AbortSignal): Promise<Engine> {
  const script = spawn(SCRIPT, ['hold'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(script, 'close')
  signal.addEventListener('abort', () => script.kill()) // heeded as long as it is not up
  const host = await firstLine(script.stdout)
  const stop = async (): Promise<void> => {
    script.stdin.end()
    await closed
  }
  if (host === '' || signal.aborted) {
    await stop()
    throw new Error(signal.aborted ? 'stopped' : 'the local engine did not come up')
  }
  const docker = new Docker('/usr/bin/docker', { ...env, DOCKER_HOST: host }, signal)
  return { docker, base, name: `a local engine (${host})`, [Symbol.asyncDispose]: stop }
}

async function firstLine(stream: Readable): Promise<string> {
  let line = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    line += String(chunk)
    if (line.includes('\n')) break
  }
  return line.split('\n')[0]!
}
