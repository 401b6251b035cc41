import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { openOutside } from './outside.ts'

it('refuses and notes what is asked of a proxy', async () => {
  await using outside = await openOutside()
  const { hostname, port } = new URL(outside.url)
  const plain = request({ hostname, port, path: 'http://a.example.com/x' }).end()
  const [answer] = await once(plain, 'response')
  expect(answer.statusCode).toBe(403)
  answer.resume()
  const tunnel = request({ hostname, port, method: 'CONNECT', path: 'b.example.com:443' }).end()
  const [refusal] = await once(tunnel, 'connect')
  expect(refusal.statusCode).toBe(403)
  expect(outside.asked).toEqual(['http://a.example.com/x', 'b.example.com:443'])
})
