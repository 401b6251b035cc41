import { expect, it, test } from 'vitest'
import { Scrubber } from '../../secrets/scrubber.ts'
import { isExempt, serviceRoute, throughProxy, routeTo, type Environment } from './proxy.ts'

const TARGET = 'https://import.example.com/prefix'

function originFor(environment: Environment, baseUrl = TARGET): string | undefined {
  const route = routeTo(baseUrl, environment)
  if ('problem' in route) throw new Error(route.problem)
  return route.proxy?.origin
}

test.each<[string, Environment, string | undefined]>([
  ['nothing', {}, undefined],
  ['small letters', { https_proxy: 'http://p.example.com:3128' }, 'http://p.example.com:3128'],
  ['capitals', { HTTPS_PROXY: 'http://p.example.com:3128/' }, 'http://p.example.com:3128'],
  ['small before capital', { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2' }, 'http://a:1'],
  ['small and empty before capital', { https_proxy: '', HTTPS_PROXY: 'http://b:2' }, undefined],
  ['blanks', { https_proxy: '  ' }, undefined],
  ['not the one for http', { http_proxy: 'http://a:1', HTTP_PROXY: 'http://a:1' }, undefined],
  ['no scheme', { https_proxy: 'p.example.com:3128' }, 'http://p.example.com:3128'],
  ['no scheme, with a user', { https_proxy: 'ada:pw@p.example.com:3128' }, 'http://p.example.com:3128'],
  ['no port', { https_proxy: 'http://p.example.com' }, 'http://p.example.com:80'],
  ['over TLS', { https_proxy: 'https://p.example.com' }, 'https://p.example.com:443'],
  ['IPv6', { https_proxy: 'http://[2001:db8::1]:3128' }, 'http://[2001:db8::1]:3128'],
  ['exempt', { https_proxy: 'http://a:1', no_proxy: '.example.com' }, undefined],
  ['exempt in capitals', { https_proxy: 'http://a:1', NO_PROXY: 'example.com' }, undefined],
  ['no_proxy before NO_PROXY', { https_proxy: 'http://a:1', no_proxy: 'x', NO_PROXY: '*' }, 'http://a:1'],
  ['exempt, so that nonsense does no harm', { https_proxy: 'http://', no_proxy: '*' }, undefined],
])('%s', (_, environment, origin) => {
  expect(originFor(environment)).toBe(origin)
})

test('an http address takes http_proxy only', () => {
  const environment = { http_proxy: 'http://a:1', https_proxy: 'http://b:2' }
  expect(originFor(environment, 'http://import.example.com')).toBe('http://a:1')
  expect(originFor({ https_proxy: 'http://b:2' }, 'http://import.example.com')).toBeUndefined()
})

test.each([
  'http://localhost:8080',
  'http://127.0.0.1',
  'https://127.8.9.1:8443',
  'http://[::1]:1',
  'http://a.localhost',
])('%s is this machine: never through a proxy', (baseUrl) => {
  expect(originFor({ http_proxy: 'http://a:1', https_proxy: 'http://a:1' }, baseUrl)).toBeUndefined()
})

test('user and password become a header and secrets', () => {
  const route = routeTo(TARGET, { HTTPS_PROXY: 'http://ada:p%40ss%25@p.example.com:3128' })
  const basic = Buffer.from('ada:p@ss%').toString('base64')
  expect(route).toEqual({
    proxy: {
      origin: 'http://p.example.com:3128',
      variable: 'HTTPS_PROXY',
      authorization: expect.objectContaining({}),
    },
    secrets: ['p@ss%', basic],
  })
  if ('proxy' in route) expect(route.proxy?.authorization?.reveal()).toBe(`Basic ${basic}`)
  expect(JSON.stringify({ ...route, secrets: [] })).not.toContain(basic)
})

test('a user alone is a token, and so a secret; a stray % stands for itself', () => {
  const route = routeTo(TARGET, { https_proxy: 'http://to%ken@p.example.com' })
  if ('problem' in route) throw new Error(route.problem)
  expect(route.secrets).toEqual(['to%ken', Buffer.from('to%ken:').toString('base64')])
  expect(route.proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('to%ken:').toString('base64')}`)
})

test.each([
  'http://',
  'http://ada:p#ss@p.example.com:3128',
  'http://ada:12#ss@p.example.com:3128',
  'http://ada:12/ss@p.example.com:3128',
  'http://ada:12?ss@p.example.com:3128',
  'http://p.example.com:99999',
  'http://p.example.com/proxy.pac',
  'socks5://ada:hunter2@p.example.com:1080',
  'ftp://p.example.com',
])('%s is a problem that names the variable and quotes nothing', (value) => {
  const route = routeTo(TARGET, { HTTPS_PROXY: value })
  expect(route).toEqual({
    problem: expect.stringMatching(/^HTTPS_PROXY (is not an address like|names a proxy of the kind)/),
  })
  expect(JSON.stringify(route)).not.toMatch(/ada|ss@|hunter2|99999|pac/)
})

const ADDRESS = 'https://import.example.com'

it('is the proxy of the environment, whose secrets the scrubber knows', () => {
  const scrubber = new Scrubber()
  const proxy = serviceRoute(ADDRESS, {
    env: { https_proxy: 'http://user:s3cretword@proxy.example.com:3128' },
    scrubber,
  })
  expect(throughProxy(proxy!)).toBe(
    'The service is reached through the proxy http://proxy.example.com:3128 (https_proxy).',
  )
  expect(scrubber.scrub('s3cretword')).not.toContain('s3cretword')
  expect(serviceRoute(ADDRESS, { env: {}, scrubber })).toBeUndefined()
})

it('is a wrong configuration where the environment names what is no proxy', () => {
  const given = { env: { https_proxy: 'socks5://proxy.example.com' }, scrubber: new Scrubber() }
  expect(() => serviceRoute(ADDRESS, given)).toThrow(/^The environment cannot be used: https_proxy .*\.$/)
})

const exempt = (address: string, list: string): boolean => isExempt(new URL(address), list)

test.each([
  ['https://import.example.com', 'import.example.com'],
  ['https://import.example.com', 'IMPORT.Example.COM'],
  ['https://Import.Example.com.', 'import.example.com'],
  ['https://import.example.com', 'import.example.com.'],
  ['https://import.example.com', 'example.com'],
  ['https://import.example.com', '.example.com'],
  ['https://example.com', '.example.com'],
  ['https://import.example.com', '*.example.com'],
  ['https://import.example.com', 'com'],
  ['https://import.example.com', '*'],
  ['https://import.example.com', 'none.invalid, *'],
  ['https://import.example.com', '*:443'],
  ['https://import.example.com', 'none.invalid,import.example.com'],
  ['https://import.example.com', ' none.invalid \t import.example.com '],
  ['https://import.example.com', 'import.example.com:443'],
  ['http://import.example.com', 'import.example.com:80'],
  ['https://import.example.com:8443', '.example.com:8443'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3:8443', '10.1.2.3:8443'],
  ['https://192.0.2.7', '10.0.0.0/8,192.0.2.0/24'],
  ['https://10.1.2.3', '0.0.0.0/0'],
  ['https://[2001:db8::1]', '2001:db8::1'],
  ['https://[2001:db8::1]', '[2001:db8::1]'],
  ['https://[2001:db8::1]', '2001:0DB8:0:0::1'],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443'],
  ['https://[2001:db8::1]', '2001:db8::/32'],
])('%s is exempt by %j', (address, list) => {
  expect(exempt(address, list)).toBe(true)
})

test.each([
  ['https://import.example.com', ''],
  ['https://import.example.com', ' , ,'],
  ['https://import.example.com', 'xample.com'],
  ['https://import.example.com', 'port.example.com'],
  ['https://import.example.com', 'www.import.example.com'],
  ['https://example.com', '*.example.com'],
  ['https://import.example.com', 'import.example.com:80'],
  ['https://import.example.com:8443', 'import.example.com:443'],
  ['https://import.example.com', '*:80'],
  ['https://import.example.com', '.'],
  ['https://import.example.com', '10.0.0.0/8'],
  ['https://10.1.2.3', '1.2.3'],
  ['https://10.1.2.3', '.2.3'],
  ['https://11.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3', '10.0.0.0/33'],
  ['https://10.1.2.3', '10.0.0.0/'],
  ['https://10.1.2.3', '10.0.0.0/8/8'],
  ['https://10.1.2.3', '10.0.0.0/0x8'],
  ['https://[2001:db8::1]', '2001:db9::/32'],
  ['https://[2001:db8::1]', '2001:db8::/129'],
  ['https://[2001:db8::1]', '10.0.0.0/8'],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:443'],
  ['https://import.example.com', 'https://import.example.com'],
])('%s is not exempt by %j', (address, list) => {
  expect(exempt(address, list)).toBe(false)
})
