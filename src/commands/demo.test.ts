import { expect, it } from 'vitest'
import { ioOf, NO_INPUT, Said } from '../process/testing/said.ts'
import { demo } from './demo.ts'

it('fits a terminal, but for lines of JSON, and for what is to be copied', async () => {
  const said = new Said()
  expect(await demo(ioOf(NO_INPUT, said, said, { argv: ['demo'], columns: 80 }))).toBe(0)
  const text = await said.text()
  const lines = text.split('\n')
  expect(lines.filter((line) => line.length > 80 && !/\{"type"|ssh-ed25519/.test(line))).toEqual([])
  expect(text).toMatch(/gave back 3 STATE lines, the\s+last one:\n/)
  expect(text).toMatch(/^purchases +500 {2}\{"keys":\["id"\],.*…$/m)
})
