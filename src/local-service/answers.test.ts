import { expect, it } from 'vitest'
import { accepted, done, refusal, timestamp } from './answers.ts'

it('writes a time as the service document does, in UTC and without rounding up', () => {
  expect(timestamp(1_700_000_000_999)).toBe('2023-11-14 22:13:20')
  expect(timestamp(0)).toBe('1970-01-01 00:00:00')
})

it('has a code and a message in every body', () => {
  expect(JSON.parse(done('here').body as string)).toEqual({ code: 200, message: 'here' })
  expect(JSON.parse(accepted(201, 'new', 0).body as string)).toEqual({
    code: 201,
    message: 'new',
    status: 'complete',
    created_at: '1970-01-01 00:00:00',
  })
  expect(JSON.parse(refusal(400, ['no', 'never']).body as string)).toEqual({
    code: 400,
    message: 'bad request',
    reasons: ['no', 'never'],
  })
})

it('has words for codes that the service document does not list', () => {
  expect(JSON.parse(refusal(418, ['no']).body as string)).toMatchObject({ message: 'bad request' })
  expect(JSON.parse(refusal(599, ['no']).body as string)).toMatchObject({ message: 'server error' })
})
