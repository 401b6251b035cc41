import { expect, it } from 'vitest'
import { accepted, refusal } from './answers.ts'

it('answers an upsert as the service document does, its time in UTC and without rounding up', () => {
  expect(JSON.parse(accepted(201, 'new', 1_700_000_000_999).body as string)).toEqual({
    code: 201,
    message: 'new',
    status: 'complete',
    created_at: '2023-11-14 22:13:20',
  })
})

it('has words for codes that the service document does not list', () => {
  expect(JSON.parse(refusal(418, ['no']).body as string)).toMatchObject({ message: 'bad request' })
  expect(JSON.parse(refusal(599, ['no']).body as string)).toMatchObject({ message: 'server error' })
})
