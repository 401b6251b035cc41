import { array, assert, oneof, property, string, constantFrom, tuple, integer } from 'fast-check'
import { expect, it } from 'vitest'
import { readForm } from './read-form.ts'

const FORM = 'application/x-www-form-urlencoded'
const WANTED = { a: 'whole', 'b[c]': 5 } as const

function read(text: string): ReturnType<typeof readForm<keyof typeof WANTED>> {
  const body = { kind: 'body', bytes: Buffer.from(text) } as const
  return readForm<keyof typeof WANTED>({ headers: { 'content-type': FORM }, body }, WANTED)
}

it('reads names and values as URLSearchParams writes them', () => {
  const names = oneof(constantFrom('a', 'b[c]', 'b', 'a[]', 'constructor', '__proto__', ''), string({ unit: 'binary' }))
  const values = oneof(constantFrom('5', '05', '5.0', '1e3', ' 5', '-5', '-0', '+5'), integer().map(String), string())
  assert(
    property(array(tuple(names, values)), (pairs) => {
      const form = new URLSearchParams(pairs)
      const [a, b] = [form.getAll('a'), form.getAll('b[c]')]
      const isRight = a.length === 1 && /^(0|-?[1-9]\d*)$/.test(a[0]!) && b.length === 1 && b[0] === '5'
      const result = read(form.toString())
      if (isRight) expect(result).toEqual({ value: { a: Number(a[0]), 'b[c]': 5 } })
      else expect(result).toHaveProperty('refused.status', 400)
    }),
    { numRuns: 1000 },
  )
})

it('takes any text without failing', () => {
  assert(
    property(
      oneof(
        string({ unit: 'binary' }),
        array(constantFrom('a', '=', '&', '%', '5', '%6', '1', '+', '[')).map((it) => it.join('')),
      ),
      (text) => {
        const result = read(text)
        if ('value' in result) expect(Number.isSafeInteger(result.value.a)).toBe(true)
        else expect(result.refused.status).toBe(400)
      },
    ),
    { numRuns: 1000 },
  )
})

it('reads a large form in little time', () => {
  expect(read('x&'.repeat(500_000))).toHaveProperty('refused.status', 400)
  expect(read(`a=5&${'x&'.repeat(500_000)}b[c]=5`)).toEqual({ value: { a: 5, 'b[c]': 5 } })
})
