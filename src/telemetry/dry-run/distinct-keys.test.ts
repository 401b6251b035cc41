import { describe, expect, it } from 'vitest'
import { DistinctKeys } from './distinct-keys.ts'

const SHAPES: readonly ((nth: number) => string | number)[] = [
  (nth) => nth,
  (nth) => -nth * 1000,
  (nth) => nth * 2 ** 32,
  (nth) => `"${nth}`,
  (nth) => `1,${nth},3:"ab`,
  (nth) => `"${String(nth * 7919).padStart(36, '0')}`,
  (nth) => `"${String.fromCharCode(0x4e00 + (nth % 5000), 0x4e00 + Math.floor(nth / 5000))}`,
]

describe('distinct keys', () => {
  it('are exact, table by table, whatever comes again', () => {
    const keys = new DistinctKeys<string>(7)
    for (const [at, shape] of SHAPES.entries())
      for (let nth = 0; nth < 30_000; nth++) {
        keys.add(`t${at}`, shape(nth))
        keys.add(`t${at}`, shape(nth % 1000))
        keys.add('all', shape(nth))
      }
    for (const at of SHAPES.keys()) expect(keys.of(`t${at}`)).toEqual({ count: 30_000, off: 0 })
    // 0 and -0 are one number, and the second and third shape begin with it
    expect(keys.of('all')).toEqual({
      count: new Set(SHAPES.flatMap((shape) => Array.from({ length: 30_000 }, (_, nth) => shape(nth)))).size,
      off: 0,
    })
    expect(keys.of('none')).toEqual({ count: 0, off: 0 })
  })

  it('of numbers and texts are not mistaken for each other', () => {
    const keys = new DistinctKeys<string>(7)
    for (const key of [1, '"1', '"1.0', 2 ** 32, 2 ** 33, 0, '', '"', -1, 2 ** 53 - 1, -(2 ** 53 - 1)])
      keys.add('t', key)
    expect(keys.of('t').count).toBe(11)
  })

  it('are exact up to the limit, and then an estimate of the largest table only', () => {
    const keys = new DistinctKeys<string>(1, 1000)
    for (let nth = 0; nth < 600; nth++) keys.add('large', nth)
    for (let nth = 0; nth < 400; nth++) keys.add('small', nth)
    expect([keys.of('large'), keys.of('small')]).toEqual([
      { count: 600, off: 0 },
      { count: 400, off: 0 },
    ])
    keys.add('small', 400)
    expect(keys.of('small')).toEqual({ count: 401, off: 0 })
    const { count, off } = keys.of('large')
    expect(off).toBe(0.02)
    expect(Math.abs(count / 600 - 1)).toBeLessThan(0.02)
    for (let nth = 401; nth < 1001; nth++) keys.add('small', nth)
    expect(keys.of('small').off).toBe(0.02)
  })

  it('are estimated within 2 % in each of 200 seeded runs', () => {
    const off = Array.from({ length: 200 }, (_, seed) => {
      const shape = SHAPES[seed % (SHAPES.length - 1)]!
      const all = Math.round(1000 * 1.0235 ** seed)
      const keys = new DistinctKeys<string>(seed * 7919, 500)
      for (let nth = 0; nth < all; nth++) keys.add('t', shape(nth))
      expect(keys.of('t').off).toBe(0.02)
      return keys.of('t').count / all - 1
    })
    expect(Math.max(...off.map(Math.abs))).toBeLessThan(0.02)
    const deviation = Math.sqrt(off.reduce((sum, one) => sum + one ** 2, 0) / off.length)
    expect(deviation).toBeLessThan(0.006)
    expect(Math.abs(off.reduce((sum, one) => sum + one, 0) / off.length)).toBeLessThan(0.002)
  }, 60_000)

  it('of many tables share the memory of the estimates, and are then coarser by as much as they say', () => {
    const tables = 200
    const keys = new DistinctKeys<number>(3, 1000, 16 * 2 ** 16)
    const size = (table: number): number => 500 + 10 * table
    for (let nth = 0; nth < size(tables); nth++)
      for (let table = 0; table < tables; table++) if (nth < size(table)) keys.add(table, `"${nth}`)
    const found = Array.from({ length: tables }, (_, table) => keys.of(table))
    const coarse = found.filter(({ off }) => off > 0)
    expect(coarse.length).toBeGreaterThan(128)
    for (const { off } of coarse) expect(off).toBeCloseTo(0.08)
    for (const [table, { count, off }] of found.entries())
      expect(Math.abs(count / size(table) - 1)).toBeLessThanOrEqual(off)
    expect(coarse.length * 2 ** 12).toBeLessThanOrEqual(16 * 2 ** 16)
    const deviation = Math.sqrt(found.reduce((sum, { count }, at) => sum + (count / size(at) - 1) ** 2, 0) / tables)
    expect(deviation).toBeGreaterThan(0.004)
  })
})
