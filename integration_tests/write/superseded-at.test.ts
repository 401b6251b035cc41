// `write` as a process: versions of a row that waited with one the service refuses, and what the reject says of them.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { LocalService } from '../../src/local-service/start.ts'
import type { AnswerMaker } from '../../src/local-service/types.ts'
import { workFolder } from '../connector.ts'
import { record, state, write } from './driver.ts'

const refusing: AnswerMaker = ({ body }) =>
  Buffer.from(body).includes('poison') ? { status: 400, body: { message: 'no' } } : undefined
const prepare = (service: LocalService): void => service.fault({ table: 'orders', every: 1, answer: refusing })
const version = (data: string): string => record(`{"id":"hot","v":${data}}`)

/** Lines 1, 3 and 4 are versions of the row that line 5 spoils. */
const INPUT = [version('1'), record('{"id":2}'), version('2'), version('3'), version('"poison"'), state('1')].join('\n')
// the last line has an end, so that all are read at once
const MANY = `${[...Array.from({ length: 40 }, (_, index) => version(`${index}`)), version('"poison"')].join('\n')}\n`

describe('a reject for versions that were superseded', () => {
  it('names their lines in a column of the table, newest first', async () => {
    const done = await write({ input: INPUT, config: { on_rejected: 'divert' }, prepare })
    expect([done.code, done.rows('orders')]).toEqual([0, ['{"keys":["id"],"id":2}']])
    const [row, ...more] = done.rows('rejected_records').map((text) => JSON.parse(text) as object)
    expect(row).toMatchObject({ line: 5, superseded: 3, superseded_at: [4, 3, 1] })
    expect(more).toEqual([])
  })

  it('names ten of many', async () => {
    const done = await write({ input: MANY, config: { on_rejected: 'divert' }, prepare })
    const [row] = done.rows('rejected_records').map((text) => JSON.parse(text) as object)
    expect(row).toMatchObject({ superseded: 40, superseded_at: [40, 39, 38, 37, 36, 35, 34, 33, 32, 31] })
  })

  it('names their lines in the file, also where a report is written', async () => {
    await using work = await workFolder()
    const file = `${work.path}/rejects.jsonl`
    const reported = ['--report', `${work.path}/report.html`]
    const done = await write({
      input: INPUT,
      args: reported,
      config: { on_rejected: 'divert', rejected_file: file },
      prepare,
    })
    expect(done.code).toBe(0)
    const [line, ...more] = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(JSON.parse(line!)).toMatchObject({ rejection: { line: 5, superseded: 3, superseded_at: [4, 3, 1] } })
    expect(more).toEqual([])
  })

  it('has no such column where there is none', async () => {
    const input = [record('{"id":1,"v":"poison"}'), record('{"id":null}'), record('{"id":2}')].join('\n')
    const done = await write({ input, config: { on_rejected: 'divert' }, prepare })
    const rows = done.rows('rejected_records')
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(row).not.toContain('superseded_at')
  })

  it('is not needed with keep_last: false: every version but the refused one is stored', async () => {
    const streams = [{ name: 'orders', keep_last: false }]
    const bodies: string[] = []
    const done = await write({
      input: INPUT,
      config: { on_rejected: 'divert', streams },
      prepare(service) {
        const answer: AnswerMaker = (asked) => {
          const refused = refusing(asked)
          if (refused === undefined) bodies.push(Buffer.from(asked.body).toString())
          return refused
        }
        service.fault({ table: 'orders', every: 1, answer })
      },
    })
    expect(done.code).toBe(0)
    expect(done.rows('orders')).toContain('{"keys":["id"],"id":"hot","v":3}')
    expect(bodies.join('').match(/"v":\d/g)).toEqual(['"v":1', '"v":2', '"v":3'])
    const rows = done.rows('rejected_records').map((text) => JSON.parse(text) as object)
    expect(rows).toMatchObject([{ line: 5, superseded: 0 }])
    expect(rows[0]).not.toHaveProperty('superseded_at')
  })
})
