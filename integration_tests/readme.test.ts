// The README's "Try it", command by command as it stands there, on a port of its own.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { workFolder } from './connector.ts'

const ROOT = new URL('../', import.meta.url)
const PORT = '8585'
const runFile = promisify(execFile)
/** As a user at the root of the checkout, whose Node is this one. */
const options = {
  cwd: fileURLToPath(ROOT),
  env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}

/** The code blocks of a language under a heading, in order. */
function blocks(readme: string, heading: string, language: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code!)
}

it('plans as it is written', async () => {
  const readme = await readFile(new URL('README.md', ROOT), 'utf8')
  const heading = 'Streams, tables, rows'
  const { stdout } = await runFile('sh', ['-c', blocks(readme, heading, 'sh')[0]!], options)
  expect(stdout).toBe(blocks(readme, heading, 'text')[0])
})

it('shows PyAirbyte users what test:pyairbyte runs', async () => {
  const [readme, example] = await Promise.all(
    ['README.md', 'integration_tests/pyairbyte/example.py'].map((file) => readFile(new URL(file, ROOT), 'utf8')),
  )
  expect(readme).toContain(example)
})

it('works as it is written', async () => {
  const readme = await readFile(new URL('README.md', ROOT), 'utf8')
  const port = await freePort()
  await using work = await workFolder()
  const sample = await readFile(new URL('spec/sample/config.json', ROOT), 'utf8')
  await writeFile(`${work.path}/config.json`, sample.replace(PORT, port))
  const adapted = (code: string): string =>
    code.replaceAll(PORT, port).replaceAll('spec/sample/config.json', `${work.path}/config.json`)

  const [serve, commands] = blocks(readme, 'Try it', 'sh').map(adapted)
  const service = spawn('sh', ['-c', `exec ${serve!}`], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(service.stdout, 'data')
    const [check, write, curl] = commands!.trim().split('\n')
    expect((await runFile('sh', ['-c', check!], options)).stdout).toContain('SUCCEEDED')
    expect((await runFile('sh', ['-c', write!], options)).stdout).toContain('"destinationStats":{"recordCount":3.0')
    const address = /'(http[^']*)'/.exec(curl!)![1]!
    const rows = await (await fetch(address)).text()
    expect(rows.trim()).toBe(blocks(readme, 'Try it', 'json')[0]!.trim())
  } finally {
    service.kill()
    await once(service, 'close')
  }
})
