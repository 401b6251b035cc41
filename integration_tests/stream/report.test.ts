// `stream --report` as a process on a real broker: its page while it runs, when it is stopped, and of a replay of dead letters.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { KEY, describeStream, tableOf } from './driver.ts'

/** In every record of these tests. */
const DATA = 'canary-4711'

describeStream('stream --report', (driver) => {
  async function page(file: string): Promise<string> {
    const text = await readFile(file, 'utf8')
    for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1), DATA])
      expect(text).not.toContain(form)
    expect(text.endsWith('</html>\n')).toBe(true)
    return text
  }

  const words = (line: string): string[] => line.split(/<[^>]*>/).filter((word) => word !== '')

  /** A topic's row, by the headings of its table. */
  const row = (text: string, topic: string): Record<string, string> => {
    const lines = text.split('<tr>')
    const from = lines.findIndex((line) => line.startsWith('<th scope="col" class="t">Topic<'))
    const at = lines.findIndex((line, place) => place > from && line.startsWith(`<th scope="row" class="t">${topic}<`))
    const head = lines.slice(0, at).findLast((line) => line.startsWith('<th scope="col"'))!
    const cells = words(lines[at]!)
    return Object.fromEntries(words(head).map((heading, column) => [heading, cells[column]!]))
  }

  it('tells topics, rejects and how it was stopped, and what became of dead letters', async () => {
    const topic = await driver.topic()
    const group = uniqueName('group')
    const file = join(driver.work.path, 'letters.jsonl')
    const report = join(driver.work.path, 'report.html')
    const values = [1, 2, 1].map((id) => `{"id":${id},"text":"${DATA}"}`)
    await driver.client.produce(
      topic,
      [...values, `{"text":"${DATA}"}`].map((value) => ({ value })),
    )
    const given = {
      group,
      topics: [{ topic, keys: ['id'] }],
      config: { dead_letters: { file }, stall_deadline_seconds: 800 },
    }
    const config = await driver.config(given)
    {
      await using process = driver.command(['--config', config, '--report', report])
      await driver.committedAre(group, topic, [4n], process)
      expect(await page(report)).toContain('>Under way<')
      await driver.stop(process)
    }
    const text = await page(report)
    expect(text).toContain('>Stopped, 1 rejected<')
    const told = row(text, topic)
    expect(told).toMatchObject({ Topic: topic, Table: tableOf(topic), Records: '4', Rejected: '1' })
    expect(Number(told['Rows sent']) + Number(told['Superseded'] ?? 0)).toBe(3)
    expect(text).toContain('its key field &quot;id&quot; is missing')
    expect(text).toContain('stall_<wbr>deadline_<wbr>seconds')
    const replay = driver.command(['--config', config, '--from-dead-letters', '--report', report])
    expect((await driver.endOf(replay)).code).toBe(0)
    const replayed = await page(report)
    expect(replayed).toMatch(/stream --from-dead-letters.*>Done, 1 rejected</)
    expect(row(replayed, 'Total')).toMatchObject({ Records: '1', 'Rows sent': '0', Rejected: '1' })
  })

  it('refuses what it cannot write, or must not replace, before it reads', async () => {
    const topic = await driver.topic()
    const config = await driver.config({ topics: [{ topic, keys: ['id'] }] })
    for (const [report, words] of [
      [driver.work.path, /it is a folder/],
      [config, /is that of --config/],
    ] as const) {
      const ended = await driver.endOf(driver.command(['--config', config, '--report', report]))
      expect(ended.code).toBe(1)
      expect(ended.lines.at(-1)).toMatchObject({ level: 'error', kind: 'config' })
      expect(ended.lines.at(-1)!.message).toMatch(words)
    }
    const checked = driver.command(['--config', config, '--check', '--report', 'r.html'])
    expect((await checked.ended).code).toBe(2)
  })
})
