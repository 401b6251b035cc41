import { expect, it } from 'vitest'
import { AllowedOrigins } from './allowed-origins.ts'
import { accessFault } from './local-access.ts'

const HOST = '127.0.0.1:8585'

function allowed(headers: Record<string, string>, method = 'POST', host = '127.0.0.1'): boolean {
  return accessFault(method, headers, { host, allowedOrigins: new AllowedOrigins([]) }) === undefined
}

it('lets programs in by every name of this machine', () => {
  const names = ['127.0.0.1', '10.0.0.7:80', '[::1]:8585', 'localhost', 'LOCALHOST:1', 'analytics:8585', 'a_b-c', '']
  for (const host of [...names, 'host.docker.internal', 'x.localhost:9', 'db.default.svc', 'localhost.']) {
    expect(allowed({ host }), host).toBe(true)
  }
  expect(allowed({})).toBe(true)
  expect(allowed({ host: 'ci.example.com:8585' }, 'GET', 'CI.example.com')).toBe(true)
})

it('is not reached under a name that somebody else may point here', () => {
  const names = [
    'evil.example',
    'evil.example:8585',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example.',
  ]
  for (const host of [...names, 'a@b', 'evil example', '1.2.3', 'evil.example:8585:1', '[::1', 'x/y', '%31']) {
    expect(allowed({ host }), host).toBe(false)
    expect(allowed({ host }, 'GET'), host).toBe(false)
  }
})

it('serves its own pages and no others', () => {
  expect(allowed({ host: HOST, origin: `http://${HOST}` })).toBe(true)
  expect(allowed({ host: 'localhost', origin: 'http://localhost:80' })).toBe(true)
  expect(allowed({ host: 'LOCALHOST:85', origin: 'http://localhost:85' })).toBe(true)
  // what speaks HTTPS there is not this service
  expect(allowed({ host: 'localhost:85', origin: 'https://localhost:85' })).toBe(false)
  const foreign = [
    'null',
    '',
    'http://evil.example',
    'http://127.0.0.1',
    'http://127.0.0.1:8586',
    'http://localhost:8585',
  ]
  for (const origin of [...foreign, 'file://', `chrome-extension://${HOST}`, `http://${HOST}.evil.example`, HOST]) {
    for (const method of ['GET', 'POST', 'DELETE']) expect(allowed({ host: HOST, origin }, method), origin).toBe(false)
  }
  expect(allowed({ origin: 'http://localhost' })).toBe(false)
})

it('knows what a browser says of a request, and lets a link be followed', () => {
  const from = (site: string, mode: string, dest: string): Record<string, string> => ({
    host: HOST,
    'sec-fetch-site': site,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  })
  expect(allowed(from('same-origin', 'cors', 'empty'))).toBe(true)
  expect(allowed(from('none', 'navigate', 'document'), 'GET')).toBe(true)
  expect(allowed(from('cross-site', 'navigate', 'document'), 'GET')).toBe(true)
  for (const site of ['cross-site', 'same-site', 'odd']) {
    expect(allowed(from(site, 'no-cors', 'image'), 'GET')).toBe(false)
    expect(allowed(from(site, 'navigate', 'iframe'), 'GET')).toBe(false)
    expect(allowed(from(site, 'navigate', 'document'), 'POST')).toBe(false)
  }
})
