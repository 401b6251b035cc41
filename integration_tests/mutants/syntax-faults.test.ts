import { expect, it } from 'vitest'
import { Random } from '../engine/random.ts'
import { describeFault, drawFaults, faultsOf, withFault } from './syntax-faults.ts'

const planted = (source: string): string[] => faultsOf(source).map((fault) => withFault(source, fault))

it.each([
  ['a < b', ['a <= b']],
  ['a >= b', ['a > b']],
  ['a && b', ['a || b']],
  ['(a) || b', ['(a) && b']],
  ['a ?? b', ['(a)', '(b)']],
  ['let c = a + b', ['let c = a - b']],
  ['let c = !a', ['let c = (a)']],
  ['let c = true', ['let c = false']],
  ['let c = 2n', ['let c = (2n + 1n)', 'let c = (2n - 1n)']],
  ["let c = 'a'", ["let c = ''"]],
  ['let c = [a]', ['let c = []']],
  ['let c = Math.min(a)', ['let c = Math.max(a)']],
  ['let c = a ? b : c', ['let c = !(a) ? b : c']],
  ['let c = a === b ? b : c', ['let c = a !== b ? b : c']],
  ['a()', [';']],
  ['const f = () => { if (a) return; a() }', 3],
  ['const f = () => { return a }', []],
  ['const f = async () => await a', ['const f = async () => (a)']],
])('a slip of %s', (source, slips) => {
  const found = planted(source).filter((text) => text !== ';' || source === 'a()')
  if (typeof slips === 'number') expect(found).toHaveLength(slips)
  else expect(found).toEqual(slips)
})

it('leaves types, imports and names alone', () => {
  expect(
    faultsOf(`import type { A } from './a.ts'
      import { b } from './b.ts'
      export type C = 'one' | 2 | true
      export interface D { readonly 'e': [1] }
      export const f = { 'g-h': b as 'b' }
      export * from './i.ts'`),
  ).toEqual([])
})

it('draws each fault once, the same ones by the same seed, and only what parses', () => {
  // `||` beside `??` would need parentheses
  const sources = new Map([
    ['a.ts', 'let c = a && b'],
    ['b.ts', 'let d = a ?? (b || c)\nlet é = "😀" < f'],
  ])
  const all = drawFaults(sources, 100, new Random(1))
  expect(all).toHaveLength(new Set(all.map((fault) => JSON.stringify(fault))).size)
  expect(all).toHaveLength(6)
  expect(drawFaults(sources, 3, new Random(1))).toEqual(all.slice(0, 3))
  expect(drawFaults(sources, 3, new Random(4))).not.toEqual(all.slice(0, 3))
})

it('describes a fault by its line, before and after', () => {
  const source = "let 😀é = 1\n  if (a < b) c('😀')\nlet d"
  const fault = faultsOf(`let xéé = 1\n  if (a < b) c('😀')\nlet d`).find(({ to }) => to === '<=')!
  expect(describeFault(source.replace('😀é', 'xéé'), fault)).toBe("2\n- if (a < b) c('😀')\n+ if (a <= b) c('😀')")
})
