import { expect, it } from 'vitest'
import { authenticatePath, STATUS_PATH, upsertPath } from '../service/contract.ts'
import { routeOf } from './route.ts'

it("finds the paths that the client's contract builds", () => {
  expect(routeOf('GET', STATUS_PATH)).toEqual({ kind: 'status', sandbox: false })
  expect(routeOf('GET', `${authenticatePath(7)}?apikey=k`)).toEqual({
    kind: 'authenticate',
    sandbox: false,
    client: '7',
    query: 'apikey=k',
  })
  expect(routeOf('POST', `/sandbox${upsertPath('7', 'a b')}?apikey=k`)).toEqual({
    kind: 'upsert',
    sandbox: true,
    client: '7',
    table: 'a b',
    query: 'apikey=k',
  })
})

it('reads a target in absolute form like one in origin form', () => {
  expect(routeOf('GET', 'http://127.0.0.1:8585')).toEqual({ kind: 'status', sandbox: false })
  expect(routeOf('GET', 'HTTP://localhost/sandbox/?x')).toEqual({ kind: 'status', sandbox: true })
  expect(routeOf('GET', 'http://localhost?x=/v2')).toEqual({ kind: 'status', sandbox: false })
})

it('looks for the path in front of the question mark only', () => {
  expect(routeOf('GET', '/?/v2/client/7/authenticate')).toEqual({ kind: 'status', sandbox: false })
  expect(routeOf('GET', '/v2/client/7/authenticate?a?b=/c')).toMatchObject({ kind: 'authenticate', query: 'a?b=/c' })
})

it('says what is undecodable instead of guessing', () => {
  expect(routeOf('POST', '/v2/client/%zz/table/%zz/data')).toMatchObject({ client: undefined, table: undefined })
})

it('has a reason for everything else', () => {
  for (const target of ['*', '/nowhere', '/v2/client/7/table/t/data/x', '/_local/faults/x', '/_local/tables/a/b', '']) {
    expect(routeOf('DELETE', target)).toEqual({ kind: 'none', reason: expect.stringMatching(/./) })
  }
  expect(routeOf('toString', '/')).toMatchObject({ kind: 'none' })
})
