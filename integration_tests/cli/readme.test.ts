// The README's "Try it", command by command as it stands there, on a port of its own. What needs Kafka: stream-readme.test.ts.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { blocks, readReadme, ROOT, shell, trying } from './readme-commands.ts'

it('plans as it is written', async () => {
  const readme = await readReadme()
  const heading = 'Streams, tables, rows'
  expect(await shell(blocks(readme, heading, 'sh')[0]!)).toBe(blocks(readme, heading, 'text')[0])
})

it('shows PyAirbyte users what test:pyairbyte runs', async () => {
  const [readme, example] = await Promise.all(
    ['README.md', 'integration_tests/pyairbyte/example.py'].map((file) => readFile(new URL(file, ROOT), 'utf8')),
  )
  expect(readme).toContain(example)
})

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
  await trying(async (adapted, _readme, work) => {
    const docs = await readFile(new URL('docs/tables-and-rows.md', ROOT), 'utf8')
    const heading = 'Records that cannot be stored'
    const [divert, repair] = blocks(docs, heading, 'sh').map(adapted)
    const timeless = (text: string): string => text.replace(/(?<="rejected_at":")[^"]*/, '')
    const diverted = await shell(divert!)
    expect(diverted).toContain('"destinationStats":{"recordCount":1.0,"rejectedRecordCount":1.0}')
    expect(timeless(diverted)).toContain(timeless(blocks(docs, heading, 'json')[0]!))
    expect(await shell(repair!)).toContain('orders: 1 record, 1 row sent, 0 rejected')
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
