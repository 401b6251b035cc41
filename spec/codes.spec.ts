// docs/codes.md, its links, and the promise that no code or event goes away. That each is provoked: codes-provoked.spec.ts.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CODES, EVENTS } from '../src/core/codes.ts'
import { renewedCodes } from './codes-reference.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const names = [...Object.keys(CODES), ...Object.keys(EVENTS)]

test('docs/codes.md is up to date: else run `npm run generate`', () => {
  const page = read('../docs/codes.md')
  expect(renewedCodes(page)).toBe(page)
})

test('all that were ever given are there, and new ones are noted: else run `npm run generate`', () => {
  expect(read('./golden/codes.txt').trimEnd().split('\n').toSorted()).toEqual(names.toSorted())
})

test('are an area and a few words, each once', () => {
  expect(names.filter((name) => !/^[a-z]+(?:-[a-z]+)?\.[a-z]+(?:-[a-z]+){0,3}$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('each code has its paragraph in docs/troubleshooting.md, once', () => {
  const given = [...read('../docs/troubleshooting.md').matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!)
  expect(given.toSorted()).toEqual(Object.keys(CODES).toSorted())
})
