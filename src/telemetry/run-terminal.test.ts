import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyFacts, facts, partition, table, topic } from '../run/testing/facts.ts'
import { displayWidth } from '../text/display-width.ts'
import { renderRun, runTerminal } from './run-terminal.ts'

/** A terminal's lines after what was written to it; folds like one. */
class Screen {
  columns: number
  lines: string[] = ['']
  #row = 0
  /** Rows that go on with the one before. */
  readonly #joined = new Set<number>()

  /** As tmux does: what is cleared from the first row on is kept. */
  readonly history: string[] = []

  constructor(columns: number) {
    this.columns = columns
  }

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex
    for (const [part] of text.matchAll(/\u001b\[(\d*)([AJK])|\r|\n|[^\u001b\r\n]+/g)) this.#take(part)
  }

  /** What is too long is folded. Folded rows are joined until they are cleared, whatever is written over them. */
  resize(columns: number): void {
    const whole: string[] = []
    for (const [row, line] of this.lines.entries())
      if (this.#joined.has(row)) whole[whole.length - 1] += line
      else whole.push(line)
    this.columns = columns
    this.lines = []
    this.#joined.clear()
    for (const line of whole)
      for (const [part, text] of (line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']).entries())
        if (this.lines.push(text) && part > 0) this.#joined.add(this.lines.length - 1)
    this.#row = this.lines.length - 1
  }

  #take(part: string): void {
    if (part === '\n') {
      this.#row++
      this.lines[this.#row] ??= ''
    } else if (part === '\u001b[J' && this.#row === 0) this.history.push(...this.lines.splice(0))
    else if (part.endsWith('A')) this.#row = Math.max(0, this.#row - Number(part.slice(2, -1)))
    else if (part === '\u001b[J') {
      this.lines = [...this.lines.slice(0, this.#row), '']
      for (const row of this.#joined) if (row >= this.#row) this.#joined.delete(row)
    } else if (part !== '\r' && part !== '\u001b[K') this.lines[this.#row] = part
  }
}

function opened(columns = 80, least: 'info' | 'warn' = 'info') {
  const screen = new Screen(columns)
  const written: string[] = []
  const pending: (() => void)[] = []
  let isStuck = false
  const progress = runTerminal({
    write(text) {
      written.push(text)
      screen.write(text)
      return isStuck ? new Promise((resolve) => pending.push(resolve)) : Promise.resolve()
    },
    size: () => ({ columns: screen.columns, rows: 24 }),
    least,
    wallClock: () => 3_723_000,
  })
  return {
    screen,
    written,
    progress,
    stick: () => (isStuck = true),
    unstick: () => pending.splice(0).map((it) => it()),
  }
}

const running = (at: number) => facts({ at, topics: [topic({ records: at })] })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('the picture is redrawn in its place, the log stays above, the last state stays', async () => {
  const { screen, progress } = opened()
  progress.show(running(1000))
  await turn()
  await progress.log('warn', 'the broker moved')
  progress.show(running(2000))
  await turn()
  await progress.log('error', 'first\nsecond')
  progress.show(running(3000))
  await turn()
  progress[Symbol.dispose]()
  await progress.log('info', 'after it')
  const last = renderRun(running(3000), running(1000), { columns: 80, rows: 24 })
  expect(screen.lines).toEqual([
    '01:02:03Z warn  the broker moved',
    '01:02:03Z error first',
    '    second',
    ...last,
    '01:02:03Z info  after it',
    '',
  ])
})

test.each([[[30]], [[60, 30]], [[60, 30, 100, 50]]])(
  'a terminal of 100 columns, then %j, has one picture, below what was there or at its top',
  async (widths) => {
    for (const above of [['01:02:03Z info  stays'], []]) {
      const { screen, progress } = opened(100)
      if (above.length > 0) await progress.log('info', 'stays')
      progress.show(running(1000))
      await turn()
      for (const columns of widths) {
        screen.resize(columns)
        progress.show(running(2000))
        await turn()
      }
      const last = renderRun(running(2000), running(1000), { columns: widths.at(-1)!, rows: 24 })
      expect(screen.lines).toEqual([...above, ...last, ''])
      expect(screen.history).toEqual([])
    }
  },
)

test('a picture is one write that clears nothing before it is drawn again', async () => {
  const { written, progress } = opened()
  progress.show(running(1000))
  await turn()
  progress.show(running(2000))
  await turn()
  expect(written).toHaveLength(2)
  expect(written[1]!.indexOf('\u001b[J')).toBe(written[1]!.length - 3)
})

test('a terminal that takes nothing gets no more pictures, but the whole log', async () => {
  const { screen, written, progress, stick, unstick } = opened()
  stick()
  for (const at of [1000, 2000, 3000]) progress.show(running(at))
  void progress.log('info', 'told')
  expect(written).toHaveLength(2)
  unstick()
  await turn()
  progress.show(running(4000))
  expect(written).toHaveLength(3)
  expect(screen.lines[0]).toContain('told')
})

test('what is not wanted, or would be obeyed, is not written', async () => {
  const { screen, progress } = opened(80, 'warn')
  await progress.log('info', 'not this')
  await progress.log('warn', 'a\u001b[2Jb')
  expect(screen.lines).toEqual(['01:02:03Z warn  a?[2Jb', ''])
})

test('the level of what is wrong has a colour, and no line is longer for it', async () => {
  const written: string[] = []
  const write = (text: string): Promise<void> => Promise.resolve(void written.push(text))
  const size = () => ({ columns: 40, rows: 24 })
  const paint = (tone: string, text: string): string => `<${tone}:${text}>`
  using progress = runTerminal({ write, size, least: 'info', wallClock: () => 0, paint })
  await progress.log('info', 'all is well, and no error')
  await progress.log('warn', 'a warn that needs more than the one line of it')
  await progress.log('error', 'gone')
  const lines = written.join('').split('\u001b[K\n')
  expect(lines.slice(0, -1).map((line) => line.replace('\u001b[J', ''))).toEqual([
    '00:00:00Z info  all is well, and no',
    '    error',
    '00:00:00Z <odd:warn>  a warn that needs more',
    '    than the one line of it',
    '00:00:00Z <bad:error> gone',
  ])
})

test('a terminal that is gone disturbs nobody', async () => {
  const write = (): Promise<void> => Promise.reject(new Error('gone'))
  const size = () => ({ columns: 80, rows: 24 })
  using progress = runTerminal({ write, size, least: 'info', wallClock: () => 0 })
  progress.show(running(1000))
  await expect(progress.log('info', 'nobody reads it')).resolves.toBeUndefined()
})

test('a rate looks back over the whole of 5 s, and no further than it must', async () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat(1e6))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const { screen, progress } = opened()
      let [at, records] = [0, 0]
      const all = steps.map(([ms, more]) => facts({ at: (at += ms), topics: [topic({ records: (records += more) })] }))
      for (const one of all) {
        progress.show(one)
        await turn()
      }
      const earlier = all.findLast((one) => one.at <= at - 5000) ?? (all.length > 1 ? all[0] : undefined)
      expect(screen.lines).toEqual([...renderRun(all.at(-1)!, earlier, { columns: 80, rows: 24 }), ''])
    }),
  )
})

test('what stays has the rates of the whole run', async () => {
  const { screen, progress } = opened()
  progress.show(facts({ at: 10_000, topics: [topic({ records: 4000 })] }))
  await turn()
  progress.show(facts({ at: 20_000, topics: [topic({ records: 4000 })] }))
  await turn()
  expect(screen.lines[1]).toMatch(/ 0$/)
  progress[Symbol.dispose]()
  expect(screen.lines[1]).toMatch(/ 200$/)
})

const since = facts({ at: 1000 })
const busy = facts({
  at: 11_000,
  group: {
    partitions: [partition({ lag: 12n }), partition({ topic: 'shop.returns', lag: undefined })],
    oldestAt: 9000,
  },
  delivery: { inFlight: 4, permits: 16, outstanding: 1234 },
  topics: [
    topic({ records: 12_345, ignored: 3 }),
    topic({ topic: 'shop.returns', table: 'shop_returns', records: 20, rejected: 1 }),
  ],
  tables: [table({ rows: 12_000 }), table({ table: 'shop_returns', rows: 7 })],
})

test('a row a topic, a total, and what is under way', () => {
  expect(renderRun(busy, since, { columns: 80, rows: 24 })).toEqual([
    'Topic         Records  Rows sent  Rejected  Ignored  Lag  Records/s',
    'orders         12,345     12,000         0        3   12      1,235',
    'shop.returns       20          7         1        0    -          2',
    'Total          12,365     12,007         1        3  12+      1,237',
    'Generation 1 with 2 partitions; 4 of 16 requests in flight; 1,234 records',
    '  unsettled, the oldest for 2 s',
  ])
})

test('what is wrong comes first, what is only held last', () => {
  const down = facts({
    at: 11_000,
    group: { partitions: [partition({ held: 'fetched_ahead' })] },
    delivery: { outstanding: 5, failingSince: 4000, failingCause: 'connection refused' },
  })
  const [state] = renderRun(down, since, { columns: 400, rows: 24 }).slice(-1)
  expect(state).toMatch(
    /^The service has been down for 7 s \(connection refused\); generation 1 .*; 1 partition held, enough is fetched ahead$/,
  )
})

test('on a narrow terminal the columns that matter least go, then the name is cut', () => {
  expect(renderRun(busy, since, { columns: 40, rows: 24 }).slice(0, 3)).toEqual([
    'Topic         Records  Rejected  Lag',
    'orders         12,345         0   12',
    'shop.returns       20         1    -',
  ])
  expect(renderRun(busy, since, { columns: 10, rows: 24 }).slice(0, 3)).toEqual(['Topic', 'orders', 'shop.ret…'])
})

test('of replayed dead letters there is no lag, and a file has no generation', () => {
  const [head, , state] = renderRun({ ...busy, rows: busy.rows.slice(0, 1), replays: true, group: undefined }, since, {
    columns: 80,
    rows: 24,
  })
  expect(head).toBe('Topic   Records  Rows sent  Rejected  Ignored  Records/s')
  expect(state).toMatch(/^11 s; 4 of 16 requests in flight; /)
})

test('where there is no room for all topics, those furthest behind are shown, in their order', () => {
  const topics = 'abcdefghij'.split('').map((name) => topic({ topic: name, table: name }))
  const partitions = topics.map(({ name }, index) => partition({ topic: name, lag: BigInt((index * 7) % 10) }))
  const lines = renderRun(facts({ topics, group: { partitions } }), undefined, { columns: 200, rows: 8 })
  expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
    'Topic',
    'b',
    'e',
    'h',
    '… and 7 more topics',
    'Total',
    expect.stringContaining('Generation'),
  ])
})

test('any facts fit any terminal', () => {
  const size = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
  fc.assert(
    fc.property(anyFacts, fc.option(anyFacts, { nil: undefined }), size, (known, since, size) => {
      const lines = renderRun(known, since, size)
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, size.rows - 1))
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(1, size.columns - 1))
        // oxlint-disable-next-line no-control-regex
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      }
    }),
  )
})
