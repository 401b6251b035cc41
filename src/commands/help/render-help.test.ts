import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../text/display-width.ts'
import { HELP } from './help-texts.ts'
import { commandLine, overview, renderHelp } from './render-help.ts'

const each = Object.entries(HELP)
const named = (text: string): string[] => [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name!)
/** As a shell joins lines. */
const joined = (text: string): string => text.replaceAll(/\s*\\\n\s*/g, ' ')

it('there is help for every command of the overview', () => {
  const listed = [...overview(120).matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.keys(HELP))
})

describe.each(each)('the help of %s', (name, help) => {
  it('shows every option, what it takes, what is required and what its default is', () => {
    const text = renderHelp(help, 100)
    for (const [option, { value, required, otherwise, type }] of Object.entries(help.options)) {
      expect(text).toContain(`\n  --${option}${value === undefined ? ' ' : ` ${value}`}`)
      expect(value === undefined, option).toBe(type === 'boolean')
      if (required === true) expect(help.usage[0]).toContain(`--${option} ${value}`)
      if (otherwise !== undefined) expect(text.replaceAll(/\s+/g, ' ')).toContain(`Default: ${otherwise}.`)
    }
    expect(text).toContain('-h, --help')
  })

  it('ends every text as a sentence ends, or with a line to be copied, and opens nothing that it does not close', () => {
    for (const [option, { says }] of Object.entries(help.options)) {
      expect([option, says]).toEqual([option, expect.stringMatching(/\.$|\$schema=schema\.json$/)])
      for (const [open, close] of ['{}', '()', '[]', '""'].map((pair) => Array.from(pair))) {
        const count = (sign: string): number => says.split(sign).length - 1
        expect([option, count(open!) % (open === close ? 2 : Infinity)]).toEqual([
          option,
          open === close ? 0 : count(close!),
        ])
      }
    }
  })

  it('has a usage and examples of options that there are', () => {
    for (const option of [...help.usage, ...help.examples.map(([, run]) => run)].flatMap(named))
      expect(Object.keys(help.options)).toContain(option)
    expect(help.usage.every((line) => line.split(' ')[0] === name)).toBe(true)
    expect(help.examples.length).toBeGreaterThan(0)
    if (help.usage[0] !== `${name} [OPTIONS]`)
      for (const option of Object.keys(help.options)) expect(help.usage.flatMap(named)).toContain(option)
  })

  it('explains itself in two to four sentences, and its exit codes', () => {
    const sentences = help.about.match(/[.](?= |$)/g)!.length
    expect(sentences).toBeGreaterThanOrEqual(2)
    expect(sentences).toBeLessThanOrEqual(4)
    expect(help.exits).toMatchObject({ 0: expect.any(String) as unknown, 2: 'wrong usage' })
  })

  it.each([40, 60, 80, 100, 120])('is no wider than %i columns, and its examples stay what they are', (width) => {
    const text = renderHelp(help, width)
    const longest = (line: string): number => Math.max(...line.split(' ').map(displayWidth))
    for (const line of text.split('\n')) {
      const bound = width < 72 ? Math.max(width, longest(line) + 8) : width
      expect(displayWidth(line), line).toBeLessThanOrEqual(bound)
    }
    // oxlint-disable-next-line no-control-regex
    expect(text).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u00a0]*\n$/)
    for (const [, run] of help.examples) expect(joined(text)).toContain(commandLine(run))
  })
})

it('the overview is a page of every width', () => {
  expect(overview(80).split('\n').length).toBeLessThanOrEqual(24)
  for (const width of [40, 60, 80, 120])
    for (const line of overview(width).split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width)
  for (const [name, { brief: words }] of each) {
    expect(overview(80)).toContain(`\n  ${name} `)
    expect(overview(120)).toContain(words)
  }
})

it('begins every usage as the program was started, and names a page only where there are pages', () => {
  for (const [name, help] of each) {
    const text = renderHelp(help, 120, 'node here.js')
    expect(text).toMatch(new RegExp(`^Usage: node here\\.js ${name}\\b`))
    expect(text).not.toContain('destination-analytics-service')
    expect(text).toContain(`\nMore: `)
    expect(renderHelp(help, 120, 'node here.js', false)).not.toContain('More:')
  }
  expect(overview(80)).toContain('README.md')
  expect(overview(80, 'x', false)).not.toMatch(/README|docs\//)
})

it('saves a sample config under the name by which it is read', () => {
  for (const command of ['stream', 'onboard'] as const) {
    const runs = HELP[command].examples.map(([, run]) => run)
    for (const run of runs) expect(run).toContain(`${command}.yaml`)
  }
})
