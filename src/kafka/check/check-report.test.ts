import { expect, it } from 'vitest'
import { fail, note, ok, warn, CheckReport, type CheckFinding } from './check-report.ts'
import type { Paint } from '../../process/paint.ts'

async function reported(findings: readonly CheckFinding[], width = Infinity, paint?: Paint): Promise<[string, number]> {
  let said = ''
  const scrub = (text: string): string => text.replaceAll('hush', '******')
  const write = (text: string): Promise<void> => {
    said += text
    return Promise.resolve()
  }
  const report = new CheckReport({ scrub, width, write, paint })
  await report.add(findings)
  const code = await report.end()
  return [said, code]
}

it('counts what is in the way', async () => {
  expect(await reported([ok('Fine.'), note('By the way.')])).toEqual([
    'ok    Fine.\n      By the way.\n\nstream can start.\n',
    0,
  ])
  expect(await reported([warn('topic.warning', 'Odd.'), warn('topic.warning', 'Odder.')])).toEqual([
    'warn  Odd. [topic.warning]\nwarn  Odder. [topic.warning]\n\nstream can start, with 2 warnings.\n',
    0,
  ])
  expect(await reported([fail('topic.missing', 'Bad.'), warn('topic.warning', 'Odd.')])).toEqual([
    'FAIL  Bad. [topic.missing]\nwarn  Odd. [topic.warning]\n\n1 problem to fix before stream can start, with 1 warning.\n',
    1,
  ])
  expect((await reported([fail('topic.missing', 'Bad.'), fail('topic.refused', 'Worse.')]))[0]).toMatch(
    /\n2 problems to fix before stream can start\.\n$/,
  )
})

it('paints the level of each finding and its code, and nothing else', async () => {
  const findings = [
    ok('Fine.'),
    warn('topic.warning', 'Odd thing.'),
    fail('topic.missing', 'Bad.'),
    note('By the way.'),
  ]
  const [said] = await reported(findings, 22, (tone, text) => `<${tone}:${text}>`)
  expect(said).toMatch(
    /^<good:ok> {4}Fine\.\n<odd:warn> {2}Odd thing\.\n {6}<dim:\[topic\.warning\]>\n<bad:FAIL> {2}Bad\.\n {6}<dim:\[topic\.missing\]>\n {6}By the way\.\n/,
  )
})

it('fits a terminal, and shows neither secrets nor what would move its cursor', async () => {
  const [said] = await reported(
    [fail('topic.missing', 'The key is hush, said the broker \u001b[2J in very many words.')],
    30,
  )
  expect(said).toContain(
    'FAIL  The key is ******, said\n      the broker ?[2J in very\n      many words.\n      [topic.missing]\n',
  )
})
