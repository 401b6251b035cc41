import { expect, it } from 'vitest'
import { headerFaults } from './header-faults.ts'

it.each([
  ['application/json', []],
  ['application/json, text/plain, */*', []],
  ['text/html, Application/JSON;q=0.5', []],
  ['*/*', []],
  ['application/*', []],
  ['application/json;q=0, */*; Q=0.10', []],
  ['application/json; q=0', ['the header Accept must admit application/json']],
  ['*/*;q=0.000', ['the header Accept must admit application/json']],
  ['text/html', ['the header Accept must admit application/json']],
  ['', ['the header Accept must admit application/json']],
  [undefined, ['the header Accept is missing']],
])('Accept: %s', (accept, faults) => {
  expect(headerFaults(accept === undefined ? {} : { accept }, ['accept'])).toEqual(faults)
})

it.each([
  ['https://dashboard.example.com/v2/client/7/settings/connections/5', []],
  ['HTTP://127.0.0.1:8585/', []],
  ['/v2/client/7', ['the header Referer must be the address of a page']],
  ['about:blank', ['the header Referer must be the address of a page']],
  ['http://', ['the header Referer must be the address of a page']],
  [undefined, ['the header Referer is missing']],
])('Referer: %s', (referer, faults) => {
  expect(headerFaults(referer === undefined ? {} : { referer }, ['referer'])).toEqual(faults)
})

it.each([
  ['application/json', []],
  ['Application/JSON ; charset=utf-8', []],
  ['text/plain', ['the header Content-Type must be application/json: it is not']],
  ['application/jsonx', ['the header Content-Type must be application/json: it is not']],
  [undefined, ['the header Content-Type must be application/json: it is missing']],
])('Content-Type: %s', (type, faults) => {
  expect(headerFaults(type === undefined ? {} : { 'content-type': type }, ['content-type'])).toEqual(faults)
})

it('names all of them, and none that is not wanted', () => {
  expect(headerFaults({}, ['accept', 'content-type', 'referer'])).toHaveLength(3)
  expect(headerFaults({}, [])).toEqual([])
})
