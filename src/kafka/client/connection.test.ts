import { expect, it } from 'vitest'
import { connectOnce } from './connection.ts'

it('connects once, and anew after a failure', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve()]
  let asked = 0
  const connect = connectOnce({ connect: () => answers[asked++]! })
  await expect(Promise.all([connect(), connect()])).rejects.toThrow('away')
  await Promise.all([connect(), connect()])
  await connect()
  expect(asked).toBe(2)
})
