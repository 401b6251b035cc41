import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readArguments } from './read-arguments.ts'

const OPTIONS = {
  config: { type: 'string', value: 'FILE' },
  catalog: { type: 'string', value: 'FILE' },
  'from-dead-letters': { type: 'boolean' },
  json: { type: 'boolean' },
  client: { type: 'string', value: 'ID:KEY', multiple: true },
  latency: { type: 'string', value: 'MS' },
} as const

const problemOf = (...args: string[]): string | undefined => readArguments(args, OPTIONS).problem

it('reads values in both forms, again and again where that is meant', () => {
  const args = ['--config', 'a b', '--catalog=c=d', '--json', '--json', '--client', '1:a', '--client=2:b', '--']
  const read = readArguments(args, OPTIONS)
  expect(read).toEqual({ values: expect.objectContaining({ config: 'a b', catalog: 'c=d', json: true }) as unknown })
  expect(read.problem === undefined && read.values['client']).toEqual(['1:a', '2:b'])
  expect(problemOf('--config', '-')).toBeUndefined()
  expect(problemOf('--latency=-5')).toBeUndefined()
})

describe('says what is wrong and what is meant', () => {
  it.each([
    [['--confg', 'x'], 'Unknown option --confg; did you mean --config?'],
    [['--confg=secret'], 'Unknown option --confg; did you mean --config?'],
    [['-config', 'x'], 'Unknown option; did you mean --config?'],
    [['--from-dead'], 'Unknown option --from-dead; did you mean --from-dead-letters?'],
    [['--hlep'], 'Unknown option --hlep; did you mean --help?'],
    [['--zzzzzz'], 'Unknown option --zzzzzz.'],
    [['-x'], 'Unknown option -x.'],
    [['-c', 'config.json'], 'Unknown option -c; did you mean --config or --catalog or --client?'],
    [['-xSECRET'], 'Unknown option.'],
    [['--config'], '--config needs a value: --config FILE.'],
    [['--config', '--catalog', 'x'], '--config needs a value, and --catalog follows: --config FILE.'],
    [
      ['--latency', '-5'],
      '--latency needs a value: --latency MS. One that begins with a dash is written --latency=MS.',
    ],
    [['--config='], 'The value of --config is empty (a variable that is not set, perhaps): --config FILE.'],
    [['--config', ''], 'The value of --config is empty (a variable that is not set, perhaps): --config FILE.'],
    [['--config', 'a', '--config', 'b'], '--config is given twice: give it once.'],
    [['--json=yes'], '--json takes no value: leave out what follows the =.'],
    [['config.json'], 'There is an argument without an option: "config.json". Did you mean --config config.json?'],
    [['SECRET'], 'There is an argument without an option. A configuration is given by --config FILE.'],
    [['jsn'], 'There is an argument without an option: jsn; did you mean --json?'],
    [['\u2014config', 'x'], 'There is an argument without an option; did you mean --config?'],
    [['\u2013\u2013config', 'x'], 'There is an argument without an option; did you mean --config?'],
    [['--', 'x'], 'There is an argument without an option: x. A configuration is given by --config FILE.'],
  ])('%j', (args, problem) => {
    expect(problemOf(...args)).toBe(problem)
  })
})

it('quotes nothing that may be a secret', () => {
  for (const wrap of [
    (key: string) => [`--${key}`],
    (key: string) => [`-${key}`],
    (key: string) => [key],
    (key: string) => [`--confg=${key}`],
    (key: string) => ['--config', `-${key}`],
    (key: string) => [`--json=${key}`],
    (key: string) => [`--api-key=${key}`],
  ])
    for (const key of ['SECRET-KEY-123456', 'c8d1f7e0b2', 'Passw0rd!', 'a-very-long-word-that-may-be-a-passphrase'])
      expect(problemOf(...wrap(key)), wrap(key)[0]).not.toContain(key)
})

it('takes any arguments, and has names of objects for names', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) expect(problemOf(`--${name}`)).toMatch(/^Unknown option/)
  const argument = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('--', '-', '--config', '--=', '-=', '--json'),
  )
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 6 }), (args) => {
      const read = readArguments(args, OPTIONS)
      expect('values' in read || /^[A-Z-][^\n]*[.?]$/.test(read.problem)).toBe(true)
    }),
  )
})
