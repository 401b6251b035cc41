// `plan` at terminals of any width, with names that mean something to a terminal.

import { describe, expect, it } from 'vitest'
import { textTable } from '../../src/text/text-table.ts'
import { workFolder } from '../connector.ts'
import { planned } from '../in-process.ts'
import { stream } from '../write/driver.ts'

/** In this process, at a terminal of so many columns. */
async function atTerminal(
  columns: number | undefined,
  streams: object[],
  config?: object,
  env?: Record<string, string>,
): Promise<string[]> {
  await using work = await workFolder()
  const configFile = config === undefined ? undefined : await work.file('config.json', config)
  const catalogFile = await work.file('catalog.json', { streams })
  const { text } = await planned(catalogFile, configFile, { columns, env })
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

const CONFIG = { import_url: 'https://nobody.invalid', client_id: 7, api_key: 'canary-key' }
const APPEND = { destination_sync_mode: 'append', primary_key: [] }
describe('at a terminal', () => {
  const streams = [
    stream('a-very-long-name-of-a-stream-that-nobody-would-type-by-hand', {
      primary_key: [['first_part'], ['second_part'], ['third', 'part']],
    }),
    stream('orders', { destination_sync_mode: 'overwrite' }),
    stream('twice as long '.repeat(9).trim(), { primary_key: [] }),
  ]

  it.each([60, 80, 100, 132, 200])(
    'of %i columns no line is wider, but for words and names that are',
    async (columns) => {
      const lines = await atTerminal(columns, streams)
      const table = lines.slice(0, 4)
      for (const line of table) expect(line.length).toBeLessThanOrEqual(columns)
      const longest = (line: string): number =>
        Math.max(
          ...line
            .trim()
            .split(' ')
            .map((word) => word.length),
        )
      const names = new Set(streams.map((each) => (each as { stream: { name: string } }).stream.name))
      for (const line of lines.slice(4)) {
        if (!names.has(line)) expect(line.length).toBeLessThanOrEqual(Math.max(columns, longest(line) + 4))
      }
    },
  )

  it('of no known width nothing is cut', async () => {
    const lines = await atTerminal(undefined, streams)
    expect(lines.join('')).not.toContain('…')
    expect(lines[2]).toContain('one row per first_part, second_part, third_part, newest arrival')
  })

  it('shows in colour what a write would say', async () => {
    const accepted = await atTerminal(80, [stream('orders')], { ...CONFIG, max_point: 7 }, {})
    expect(accepted.at(-1)).toBe('\u001B[32mwrite would accept this catalog.\u001B[39m')
    expect(accepted).toContainEqual(expect.stringContaining('\u001B[33mWarning\u001B[39m: '))
    const refused = await atTerminal(80, [stream('orders', { primary_key: [] })], CONFIG, {})
    expect(refused).toContain('\u001B[31mwrite would refuse this catalog:\u001B[39m')
    for (const columns of [80, undefined])
      expect((await atTerminal(columns, streams, CONFIG, columns ? undefined : {})).join('')).not.toContain('\u001B')
  })

  it('of one column is no reason to fail', async () => {
    expect((await atTerminal(1, streams)).length).toBeGreaterThan(10)
  })

  it('shows names with escape sequences, line feeds and halves of characters as harmless text', async () => {
    const hostile = [
      '\u001b[31mred\u001b[0m',
      'line\nfeed\r',
      '\u009b2J',
      'tab\t\u0000\u0007',
      '\u2028\u2029',
      '\ud800half',
    ]
    const odd = hostile.map((name) =>
      stream(name, {
        ...APPEND,
        stream: { name, namespace: name, json_schema: { properties: { [name]: {}, keys: {} } } },
      }),
    )
    const refused = hostile.map((name) =>
      stream(`${name}!`, {
        primary_key: [[name, name], [`${name}_${name}`]],
        destination_sync_mode: name.startsWith('t') ? name : 'append_dedup',
      }),
    )
    for (const columns of [undefined, 80]) {
      const text = (
        await atTerminal(columns, [...odd, ...refused], {
          ...CONFIG,
          streams: [{ name: hostile[0] }, { name: hostile[1], namespace: hostile[2] }],
        })
      ).join('\n')
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(text).not.toContain('\ud800')
    }
  })
})

describe('defects of the table of text (src/text/printable.ts)', () => {
  it('a cell is never cut within a character', async () => {
    const lines = await atTerminal(80, [stream(`x${'😀'.repeat(100)}`), stream('😀'.repeat(100))])
    expect(lines.join('\n')).not.toContain('\ufffd')
  })

  it('a table of 150,000 rows is printed', () => {
    const rows = Array.from({ length: 150_000 }, (_, index) => [`stream ${index}`])
    expect(textTable(['stream'], rows, 80).split('\n')).toHaveLength(150_002)
  })
})
