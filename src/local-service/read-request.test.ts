import { expect, it } from 'vitest'
import { percentDecoded, queryValue } from './read-request.ts'

it('tells absent, empty and given apart', () => {
  expect(queryValue('', 'apikey')).toBeUndefined()
  expect(queryValue('other=1&apikeys=2', 'apikey')).toBeUndefined()
  expect(queryValue('apikey', 'apikey')).toEqual({ readings: [''] })
  expect(queryValue('apikey=', 'apikey')).toEqual({ readings: [''] })
  expect(queryValue('a=1&apikey=x&b=2', 'apikey')).toEqual({ readings: ['x'] })
})

it('keeps what follows the first equals sign, and takes the first of several', () => {
  expect(queryValue('apikey=a=b==&apikey=c', 'apikey')).toEqual({ readings: ['a=b=='] })
})

it('gives both readings of a plus, and one of an encoded plus', () => {
  expect(queryValue('apikey=a+b', 'apikey')).toEqual({ readings: ['a+b', 'a b'] })
  expect(queryValue('apikey=a%2Bb', 'apikey')).toEqual({ readings: ['a+b'] })
})

it('has no reading for what is no percent-encoding of UTF-8', () => {
  for (const raw of ['%', '%z1', '%FF', '%C3', 'a+%']) {
    expect(queryValue(`apikey=${raw}`, 'apikey')).toEqual({ readings: [] })
  }
  expect(percentDecoded('%ED%A0%80')).toBeUndefined()
})

it('undoes what encodeURIComponent does', () => {
  const key = 'a&b=c#d%2F+é"\\ 😀'
  expect(queryValue(`x=1&apikey=${encodeURIComponent(key)}`, 'apikey')).toEqual({ readings: [key] })
})
