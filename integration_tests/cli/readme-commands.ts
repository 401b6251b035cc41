// The commands of the README and of docs as they stand there, for tests that run them: found by heading, with ports and files
// of their own.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { workFolder, type WorkFolder } from '../connector.ts'

export const ROOT = new URL('../../', import.meta.url)
const PORT = '8585'
const runFile = promisify(execFile)
/** As a user at the root of the checkout, whose Node is this one. */
export const AS_USER = {
  cwd: fileURLToPath(ROOT),
  /** As it is now: a test may have been given leave to start a broker since. */
  get env() {
    return { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
  },
}

/** @param path from the root: README.md */
export function readPage(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}

/** The code blocks of a language under a heading, in order. */
export function blocks(page: string, heading: string, language: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code!)
}

/** @returns what it writes to standard output */
export async function shell(code: string): Promise<string> {
  return (await runFile('sh', ['-c', code], AS_USER)).stdout
}

/** Commands of a page, against a service that was started as the README's "Try it" says. */
export async function trying(
  use: (adapted: (code: string) => string, work: WorkFolder) => Promise<void>,
): Promise<void> {
  const readme = await readPage('README.md')
  const port = await freePort()
  await using work = await workFolder()
  for (const name of ['config.json', 'divert.json', 'onboard.yaml', 'stream.yaml']) {
    const sample = await readFile(new URL(`spec/sample/${name}`, ROOT), 'utf8')
    await work.file(name, sample.replaceAll(PORT, port).replace('rejected.jsonl', `${work.path}/rejected.jsonl`))
  }
  const adapted = (code: string): string =>
    code
      .replaceAll(PORT, port)
      .replaceAll(/spec\/sample\/(config\.json|divert\.json|onboard\.yaml|stream\.yaml)/g, `${work.path}/$1`)
      .replaceAll(
        /\b(rejected\.jsonl|repaired\.jsonl|to-repair\.jsonl|onboard\.journal|onboarded\.json|my-catalog\.json|my-records\.jsonl|my-stream\.yaml)/g,
        `${work.path}/$1`,
      )
  const service = spawn('sh', ['-c', `exec ${adapted(blocks(readme, 'Try it', 'sh')[0]!)}`], {
    ...AS_USER,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(service.stdout, 'data')
    await use(adapted, work)
  } finally {
    service.kill()
    await once(service, 'close')
  }
}
