// The README's "Try it", command by command as it stands there, on a port of its own.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { workFolder } from './connector.ts'
import type { WorkFolder } from './connector.ts'

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

/** The commands of "Try it" and of another section, against a service that was started as it is written. */
async function trying(
  use: (adapted: (code: string) => string, readme: string, work: WorkFolder) => Promise<void>,
): Promise<void> {
  const readme = await readFile(new URL('README.md', ROOT), 'utf8')
  const port = await freePort()
  await using work = await workFolder()
  for (const name of ['config.json', 'divert.json', 'onboard.yaml']) {
    const sample = await readFile(new URL(`spec/sample/${name}`, ROOT), 'utf8')
    await work.file(name, sample.replaceAll(PORT, port).replace('rejected.jsonl', `${work.path}/rejected.jsonl`))
  }
  const adapted = (code: string): string =>
    code
      .replaceAll(PORT, port)
      .replaceAll(/spec\/sample\/(config\.json|divert\.json|onboard\.yaml)/g, `${work.path}/$1`)
      .replaceAll(/\b(rejected\.jsonl|repaired\.jsonl|onboard\.journal|onboarded\.json)/g, `${work.path}/$1`)
  const service = spawn('sh', ['-c', `exec ${adapted(blocks(readme, 'Try it', 'sh')[0]!)}`], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(service.stdout, 'data')
    await use(adapted, readme, work)
  } finally {
    service.kill()
    await once(service, 'close')
  }
}

const shell = async (code: string): Promise<string> => (await runFile('sh', ['-c', code], options)).stdout

it('works as it is written', async () => {
  await trying(async (adapted, readme) => {
    const [check, write, curl] = adapted(blocks(readme, 'Try it', 'sh')[1]!)
      .trim()
      .split('\n')
    expect(await shell(check!)).toContain('SUCCEEDED')
    expect(await shell(write!)).toContain('"destinationStats":{"recordCount":3.0')
    const address = /'(http[^']*)'/.exec(curl!)![1]!
    const rows = await (await fetch(address)).text()
    expect(rows.trim()).toBe(blocks(readme, 'Try it', 'json')[0]!.trim())
  })
})

it('diverts and repairs as it is written', async () => {
  await trying(async (adapted, readme, work) => {
    const heading = 'Records that cannot be stored'
    const [divert, repair] = blocks(readme, heading, 'sh').map(adapted)
    const timeless = (text: string): string => text.replace(/(?<="rejected_at":")[^"]*/, '')
    const diverted = await shell(divert!)
    expect(diverted).toContain('"destinationStats":{"recordCount":1.0,"rejectedRecordCount":1.0}')
    expect(timeless(diverted)).toContain(timeless(blocks(readme, heading, 'json')[0]!))
    expect(await shell(repair!)).toContain('orders: 1 records, 1 rows sent, 0 rejected')
    expect((await readFile(`${work.path}/rejected.jsonl`, 'utf8')).split('\n')).toHaveLength(2)
  })
})

it('onboards as it is written', async () => {
  await trying(async (adapted, readme, work) => {
    const code = adapted(blocks(readme, 'Onboarding', 'sh')[0]!)
    const said = await shell(code)
    expect(said).toContain('{"username":"demo@example.com","password":"******"')
    expect(said).toContain('The client is onboarded.')
    const result = JSON.parse(await readFile(`${work.path}/onboarded.json`, 'utf8')) as { client_id: number }
    expect(said).toContain(`client           ${result.client_id} (Example Shop)`)
    expect(await readFile(`${work.path}/onboard.journal`, 'utf8')).toContain(`"client_id":${result.client_id}`)
  })
})
