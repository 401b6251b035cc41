import { expect, it } from 'vitest'
import { refusal } from './answers.ts'

it('has words for codes that the service document does not list', () => {
  expect(JSON.parse(refusal(418, ['no']).body as string)).toMatchObject({ message: 'bad request' })
  expect(JSON.parse(refusal(599, ['no']).body as string)).toMatchObject({ message: 'server error' })
})
