import { expect, it } from 'vitest'
import { Scrubber } from '../../secrets/scrubber.ts'
import { serviceRoute, throughProxy } from './service-route.ts'

const URL = 'https://import.example.com'

it('is the proxy of the environment, whose secrets the scrubber knows', () => {
  const scrubber = new Scrubber()
  const proxy = serviceRoute(URL, { env: { https_proxy: 'http://user:s3cretword@proxy.example.com:3128' }, scrubber })
  expect(throughProxy(proxy!)).toBe(
    'The service is reached through the proxy http://proxy.example.com:3128 (https_proxy).',
  )
  expect(scrubber.scrub('s3cretword')).not.toContain('s3cretword')
  expect(serviceRoute(URL, { env: {}, scrubber })).toBeUndefined()
})

it('is a wrong configuration where the environment names what is no proxy', () => {
  const given = { env: { https_proxy: 'socks5://proxy.example.com' }, scrubber: new Scrubber() }
  expect(() => serviceRoute(URL, given)).toThrow(/^The environment cannot be used: https_proxy .*\.$/)
})
