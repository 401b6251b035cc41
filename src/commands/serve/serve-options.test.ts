import { expect, it } from 'vitest'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { serveValues } from './serve-options.ts'

function values(options: ArgumentValues): Record<string, unknown> {
  return { ...serveValues(options) }
}

it('gives what is absent its default, and nothing more', () => {
  const defaults = { port: 8585, host: '127.0.0.1', clients: [{ id: 7, key: 'demo-key' }], compat: false }
  expect(values({})).toEqual(defaults)
  expect(values({ client: [] })).toEqual(defaults)
})

it('reads milliseconds, or the least and the most', () => {
  expect(values({ latency: '50' })['latency']).toEqual({ from: 50, to: 50 })
  expect(values({ latency: '0' })['latency']).toEqual({ from: 0, to: 0 })
  expect(values({ latency: '0.5-20' })['latency']).toEqual({ from: 0.5, to: 20 })
  expect(values({ latency: '20-20' })['latency']).toEqual({ from: 20, to: 20 })
  for (const latency of ['', '-', '5-', '-5', '20-5', '1e3', '5ms', ' 5', '1-2-3', '3000000000', 'NaN', '5\n']) {
    expect(() => values({ latency }), latency).toThrow('Wrong --latency')
  }
})

it('reads a share and a seed', () => {
  expect(values({ 'error-rate': '0', seed: '0' })).toMatchObject({ errorRate: 0, seed: 0 })
  expect(values({ 'error-rate': '1', seed: '4294967295' })).toMatchObject({ errorRate: 1, seed: 4294967295 })
  for (const errorRate of ['', '1.01', '5%', '-0.1', '.5', '0x1']) {
    expect(() => values({ 'error-rate': errorRate }), errorRate).toThrow('Wrong --error-rate')
  }
  for (const seed of ['', '1.5', '4294967296', 'x']) expect(() => values({ seed }), seed).toThrow('Wrong --seed')
})

it('reads origins', () => {
  const allowOrigin = ['http://localhost:3000', 'https://APP.example/', 'http://[::1]:80', 'chrome-extension://abc']
  expect(values({ 'allow-origin': allowOrigin })['allowOrigins']).toEqual(allowOrigin)
  for (const wrong of [
    '',
    '*',
    'null',
    'localhost:3000',
    'http://',
    'http://a/b',
    'http://a?b',
    'file:///',
    'http://a:99999',
  ]) {
    expect(() => values({ 'allow-origin': [wrong] }), wrong).toThrow('Wrong --allow-origin')
  }
})

it('takes a table from a file’s name, or from what stands before it', () => {
  const load = (...load: string[]): unknown => values({ load })['load']
  expect(load('orders.jsonl', 'a/b.c/Items_2', 'items=a=b.jsonl', 'x=y', './x=y/orders.jsonl')).toEqual([
    { table: 'orders', file: 'orders.jsonl' },
    { table: 'Items_2', file: 'a/b.c/Items_2' },
    { table: 'items', file: 'a=b.jsonl' },
    { table: 'x', file: 'y' },
    { table: 'orders', file: './x=y/orders.jsonl' },
  ])
  for (const wrong of [
    '',
    'orders=',
    '=x.jsonl',
    'orders.2024.jsonl',
    'bestell ungen.jsonl',
    './a=b.jsonl',
    '.jsonl',
    '-',
    '/',
  ]) {
    expect(() => load(wrong), wrong).toThrow('Wrong --load')
  }
})
