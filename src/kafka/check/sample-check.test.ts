import { expect, it } from 'vitest'
import { readFindings } from './sample-check.ts'

const CUT = 'The time limit came before the whole sample was read.'

it('says that a sample was cut by time, and whether nothing was read of it', () => {
  expect(readFindings({ isCut: false }, '3 records.', false)).toEqual([{ level: 'ok', text: '3 records.' }])
  expect(readFindings({ isCut: true }, '3 records.', false)).toEqual([{ level: 'ok', text: `3 records. ${CUT}` }])
  expect(readFindings({ isCut: true }, '0 records.', true)).toEqual([
    { level: 'warn', code: 'kafka.not-examined', text: `0 records. ${CUT}` },
  ])
})

it('names the registry alone where that ended the sample', () => {
  const registry = { code: 'registry.refused', text: 'The schema registry answered 401.' } as const
  expect(readFindings({ isCut: true, registry }, '0 records.', true)).toEqual([
    { level: 'FAIL', ...registry },
    { level: 'warn', code: 'kafka.not-examined', text: '0 records.' },
  ])
})
