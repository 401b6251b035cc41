// What was found in many spells, as a table, and the laws about it.

import type { Spell } from './draw.ts'
import type { Judged } from './play-world.ts'
import { sharesOf } from './possible.ts'

export interface Found extends Judged {
  readonly world: string
  readonly isNamed: boolean
  readonly members: number
  readonly index: number
  readonly isLast: boolean
}

const wordOf = ({ limit }: Spell): string =>
  limit === undefined
    ? ''
    : limit.word.afterS !== undefined
      ? 'Retry-After'
      : limit.word.fault === 'timeout'
        ? 'timeout'
        : `plain ${limit.word.fault}`

/** Retry-After pauses, and what is in flight cannot be kept to exactly. */
const barOf = ({ limit }: Spell): number =>
  limit && (limit.by === 'at once' || limit.word.afterS !== undefined) ? 0.8 : 0.9

const isFaulty = (spell: Spell): boolean => sharesOf(spell) > 0

const KINDS: Readonly<Record<string, (spell: Spell) => boolean>> = {
  all: () => true,
  'no limit, no faults': (it) => !it.limit && !it.line && !isFaulty(it),
  'no limit, faults to 1.5 %': (it) => !it.limit && !it.line && isFaulty(it) && sharesOf(it) < 0.015,
  'no limit, faults to 20 %': (it) => !it.limit && !it.line && sharesOf(it) >= 0.015,
  'a line': (it) => it.line !== undefined && !isFaulty(it),
  'a line, and faults': (it) => it.line !== undefined && isFaulty(it),
  ...Object.fromEntries(
    ['plain 429', 'Retry-After', 'timeout', 'plain 503'].flatMap((word) => [
      [`limit, ${word}`, (it: Spell) => wordOf(it) === word && !isFaulty(it)],
      [`limit, ${word}, and faults`, (it: Spell) => wordOf(it) === word && isFaulty(it)],
    ]),
  ),
}

interface Row {
  readonly text: string
  readonly isBroken: boolean
}

const share = <T>(of: readonly T[], is: (one: T) => boolean): number =>
  of.length === 0 ? 0 : of.filter(is).length / of.length
const mean = (of: readonly number[]): number => (of.length === 0 ? 1 : of.reduce((sum, n) => sum + n, 0) / of.length)
const percent = (value: number): string => (value * 100).toFixed(1).padStart(6)
const figure = (value: number): string => value.toFixed(3).padStart(6)

function refusedOf(found: readonly Found[]): number {
  // each spell counts the same, or the fastest would be all
  return mean(found.filter(({ answers }) => answers > 0).map(({ refused }) => refused))
}

function rowOf(name: string, found: readonly Found[]): Row {
  const jains = found.map(({ jain }) => jain)
  const isMany = found.some(({ members }) => members > 1)
  const cells = [
    String(found.length).padStart(6),
    percent(share(found, ({ spell, from40 }) => from40 < barOf(spell))),
    percent(share(found, ({ from40 }) => from40 < 0.5)),
    figure(mean(found.map(({ from40 }) => Math.min(1, from40)))),
    percent(share(found, ({ from15 }) => from15 < 0.7)),
    figure(mean(found.map(({ from15 }) => Math.min(1, from15)))),
    percent(refusedOf(found)),
    percent(share(found, ({ queued, spell }) => queued > 2 * (spell.ms[1] + (spell.line?.ms ?? 0)) + 50)),
    ...(isMany
      ? [figure(mean(jains)), percent(share(jains, (jain) => jain < 0.8)), percent(share(jains, (jain) => jain < 0.5))]
      : []),
  ]
  return { text: `${name.padEnd(34)}${cells.join(' ')}`, isBroken: false }
}

export function rowsOf(found: readonly Found[]): Row[] {
  const rows: Row[] = []
  for (const [count, all] of Map.groupBy(
    found.filter(({ isNamed }) => !isNamed),
    ({ members }) => members,
  )) {
    const head = [
      'spells',
      '<bar %',
      '<0.5 %',
      '  mean',
      '15:<.7',
      '  mean',
      'refus%',
      'queue%',
      ...(count > 1 ? ['  Jain', ' <0.8', ' <0.5'] : []),
    ]
    rows.push({ text: `${`${count} client${count > 1 ? 's' : ''}`.padEnd(34)}${head.join(' ')}`, isBroken: false })
    for (const [name, is] of Object.entries(KINDS))
      rows.push(
        rowOf(
          name,
          all.filter(({ spell }) => is(spell)),
        ),
      )
  }
  rows.push(...lawsOf(found))
  for (const [name, all] of Map.groupBy(
    found.filter(({ isNamed, isLast }) => isNamed && isLast),
    ({ world }) => world,
  )) {
    const isBroken = all.some(({ from40 }) => from40 < 0.8)
    const shares = all.map(({ from15, from40 }) => `${from15.toFixed(2)} ${from40.toFixed(2)}`).join('  ')
    rows.push({ text: `${isBroken ? '✗' : '✓'} ${name.padEnd(60)} ${shares}`, isBroken })
  }
  return rows
}

interface Law {
  readonly name: string
  readonly members: (count: number) => boolean
  readonly of: (spell: Spell) => boolean
  readonly value: (found: readonly Found[]) => number
  readonly most: number
}

const alone = (count: number): boolean => count === 1
const many = (count: number): boolean => count > 1
const saysSo = (it: Spell): boolean => wordOf(it) === 'plain 429' || wordOf(it) === 'Retry-After'
const isFree = (it: Spell): boolean => !it.limit && !it.line && isFaulty(it)
const below =
  (bar: (spell: Spell) => number) =>
  (found: readonly Found[]): number =>
    share(found, ({ spell, from40 }) => from40 < bar(spell))

/** Shares of the spells, at most. What is below half for good is explained in docs/benchmarks.md. */
const LAWS: readonly Law[] = [
  { name: 'below half of what is possible', members: alone, of: () => true, value: below(() => 0.5), most: 0.005 },
  {
    name: 'below 0.9 of it (0.8: in flight, Retry-After)',
    members: alone,
    of: () => true,
    value: below(barOf),
    most: 0.12,
  },
  { name: 'no limit, faults: below 0.95', members: alone, of: isFree, value: below(() => 0.95), most: 0.07 },
  {
    name: 'no limit, faults: below 0.7 from 15 s',
    members: alone,
    of: isFree,
    value: (found) => share(found, ({ from15 }) => from15 < 0.7),
    most: 0.1,
  },
  { name: '429, Retry-After: refused', members: alone, of: saysSo, value: refusedOf, most: 0.02 },
  { name: 'plain 503: refused', members: alone, of: (it) => wordOf(it) === 'plain 503', value: refusedOf, most: 0.1 },
  { name: 'plain 503: refused', members: many, of: (it) => wordOf(it) === 'plain 503', value: refusedOf, most: 0.2 },
  {
    name: "429, Retry-After: Jain's index below 0.8",
    members: many,
    of: saysSo,
    value: (found) => share(found, ({ jain }) => jain < 0.8),
    most: 0.1,
  },
  {
    name: "plain 503: Jain's index below 0.5",
    members: many,
    of: (it) => wordOf(it) === 'plain 503',
    value: (found) => share(found, ({ jain }) => jain < 0.5),
    most: 0.1,
  },
]

export function lawsOf(found: readonly Found[]): Row[] {
  return LAWS.flatMap(({ name, members, of, value, most }) => {
    const drawn = found.filter((one) => !one.isNamed && members(one.members) && of(one.spell))
    if (drawn.length === 0) return []
    const is = value(drawn)
    // of few spells, one is much
    const isBroken = is > most + 2 / drawn.length
    return [
      {
        text: `${isBroken ? '✗' : '✓'} ${name.padEnd(48)} ${percent(is)} %, at most ${percent(most)} % (${drawn.length} spells)`,
        isBroken,
      },
    ]
  })
}

export function describeSpell(spell: Spell): string {
  const { from, to, ms, demand, faults, limit, line, outage, dry, sleep } = spell
  const span = ([a, b]: readonly [number, number, ...unknown[]]): string =>
    `${(a / 1000).toFixed(1)}-${(b / 1000).toFixed(1)} s`
  return [
    `${from / 1000}-${to / 1000} s: ${ms[0]}${ms[1] === ms[0] ? '' : ` to ${ms[1]}`} ms, demand ${demand}`,
    ...faults.map(([fault, part]) => `${(part * 100).toFixed(2)} % ${fault}`),
    ...(limit
      ? [
          `limit ${limit.most} ${limit.by} (${limit.saved.toFixed(1)} s) ${limit.word.fault} ${limit.word.afterS === undefined ? '' : `${limit.word.afterS} s${limit.word.isDate ? ' date' : ''}`}`,
        ]
      : []),
    ...(line ? [`line ${line.workers} x ${line.ms} ms`] : []),
    ...(outage ? [`outage ${span(outage)} ${outage[2]}`] : []),
    ...(dry ? [`dry ${span(dry)}`] : []),
    ...(sleep ? [`sleep ${span(sleep)}`] : []),
  ].join(', ')
}

export function worstOf(found: readonly Found[]): string[] {
  return found
    .toSorted((a, b) => a.from40 - b.from40)
    .slice(0, 10)
    .map(
      ({ world, members, index, from40, from15, refused, spell }) =>
        `${from40.toFixed(2)} (${from15.toFixed(2)} from 15 s, refused ${(refused * 100).toFixed(1)} %) ${world}, ${members} clients, spell ${index + 1}: ${describeSpell(spell)}`,
    )
}
