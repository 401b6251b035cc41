// The README's "Try it" and the commands of docs, command by command as they stand there, on a port of their own. What needs Kafka:
// integration_tests/stream/readme.test.ts.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { blocks, readPage, shell, trying } from './readme-commands.ts'

it('plans as it is written', async () => {
  const page = await readPage('docs/tables-and-rows.md')
  expect(await shell(blocks(page, 'Planning', 'sh')[0]!)).toBe(blocks(page, 'Planning', 'text')[0])
})

it('shows PyAirbyte users what test:pyairbyte runs', async () => {
  const [page, example] = await Promise.all(
    ['docs/pyairbyte.md', 'spec/sample/pyairbyte.py'].map((path) => readPage(path)),
  )
  expect(page).toContain(example)
})

it('writes own data as it is written', async () => {
  await trying(async (adapted) => {
    const page = await readPage('docs/tables-and-rows.md')
    const heading = 'Your own data'
    const said = await shell(adapted(blocks(page, heading, 'sh')[0]!))
    expect(said).toContain('one row per id, newest arrival')
    expect(said.trimEnd().endsWith(blocks(page, heading, 'json')[0]!.trim())).toBe(true)
    const wrapRows = /: *`?\n? *`(sed [^`]*)`/.exec(page)![1]!.replace('rows.jsonl > my-records.jsonl', '')
    expect((await shell(`echo '{"id":1,"page":"/home"}' | ${wrapRows}`)).trim()).toBe(
      '{"type":"RECORD","record":{"stream":"visits","data":{"id":1,"page":"/home"},"emitted_at":0}}',
    )
  })
})

it('works as it is written', async () => {
  await trying(async (adapted) => {
    const readme = await readPage('README.md')
    const [plan, check, write, curl] = adapted(blocks(readme, 'Try it', 'sh')[1]!)
      .trim()
      .split('\n')
    expect(await shell(plan!)).toContain('write would accept this catalog.')
    expect(await shell(check!)).toContain('SUCCEEDED')
    expect(await shell(write!)).toMatch(/^\{"type":"STATE",.*"destinationStats":\{"recordCount":3\.0,/m)
    const address = /'(http[^']*)'/.exec(curl!)![1]!
    const rows = await (await fetch(address)).text()
    expect(rows.trim()).toBe(blocks(readme, 'Try it', 'json')[0]!.trim())
  })
})

it('diverts and repairs as it is written', async () => {
  await trying(async (adapted, work) => {
    const page = await readPage('docs/tables-and-rows.md')
    const heading = 'Records that cannot be stored'
    const [divert, repair] = blocks(page, heading, 'sh').map(adapted)
    const timeless = (text: string): string => text.replace(/(?<="rejected_at":")[^"]*/, '')
    const diverted = await shell(divert!)
    expect(diverted).toContain('"destinationStats":{"recordCount":1.0,"rejectedRecordCount":1.0}')
    expect(timeless(diverted)).toContain(timeless(blocks(page, heading, 'json')[0]!))
    expect(await shell(repair!)).toContain('orders: 1 record, 1 row sent, 0 rejected')
    expect((await readFile(`${work.path}/to-repair.jsonl`, 'utf8')).split('\n')).toHaveLength(2)
    expect(await readFile(`${work.path}/rejected.jsonl`, 'utf8')).toBe('')
  })
})

it('onboards, and makes an import key, as it is written', async () => {
  await trying(async (adapted, work) => {
    const page = await readPage('docs/onboarding.md')
    const code = adapted(/```sh\n([^]*?)```/.exec(page)![1]!)
    const said = await shell(code)
    expect(said).toContain('{"username":"demo@example.com","password":"******"')
    expect(said).toContain('The client is onboarded.')
    const result = JSON.parse(await readFile(`${work.path}/onboarded.json`, 'utf8')) as { client_id: number }
    expect(said).toContain(`client           ${result.client_id} (Example Shop)`)
    expect(await readFile(`${work.path}/onboard.journal`, 'utf8')).toContain(`"client_id":${result.client_id}`)
    expect(await shell(adapted(blocks(page, 'The import key', 'sh')[0]!))).toContain('{"client_id":7,"api_key":"')
  })
})
