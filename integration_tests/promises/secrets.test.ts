import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inAllForms } from '../canary/forms.ts'
import { findKeys } from '../canary/search.ts'
import { readSummary } from '../summaries.ts'
import { KEY } from './door.ts'
import { promise } from './promise.ts'
import { versions, WatchedService } from './service.ts'

const RECORDS = 300

promise('secrets', (door) => {
  it.each([
    [400, 'cannot be stored'],
    [401, 'key'],
  ])('at a service that answers %i and repeats it in all its forms', async (status, words) => {
    const records = versions([...Array(RECORDS).keys()], (at) => (at === 77 ? ',"bad":true' : ''))
    await using service = await WatchedService.open()
    const body = { message: inAllForms(KEY), reasons: [KEY] }
    service.service.fault({
      every: 1,
      answer: (upsert) => (Buffer.from(upsert.body).includes('"bad":true') ? { status, body } : undefined),
    })
    const plan = { url: service.url, records, config: { log_keys: true }, keepsRejects: true }
    await using entrance = await door.open(plan)
    const [summary, report] = ['summary.json', 'report.html'].map((name) => join(entrance.folder, name))
    await using running = await entrance.start('--summary', summary!, '--report', report!)
    if (status === 400) await entrance.finish(running)
    else expect(await running.ended, running.toString()).toBe(1)
    expect(running.toString()).toContain(words)
    if (status === 401) expect(await readSummary(summary!, [KEY])).toMatchObject({ result: 'failed', exit_code: 1 })
    const seen = [Buffer.from(running.toString())]
    // but where its user put it
    for (const name of (await readdir(entrance.folder)).filter((name) => !['config.json', 'api-key'].includes(name)))
      seen.push(await readFile(join(entrance.folder, name)))
    expect(seen.length).toBeGreaterThanOrEqual(3)
    for (const bytes of seen) expect([...findKeys(bytes, [KEY])].flatMap(([, ways]) => ways)).toEqual([])
  })
})
