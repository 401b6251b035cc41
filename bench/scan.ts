// How fast a line becomes a located record: split, scan, envelope, against JSON.parse per line. Generated in memory,
// variants interleaved, CPU of this process, the best of several rounds.

import { isUtf8 } from 'node:buffer'
import { Scanner } from '../src/json/scanner.ts'
import { LineSplitter } from '../src/json/split-lines.ts'
import { MessageReader } from '../src/airbyte/reader.ts'

const CHUNK = 65_536
const SIZE = 48 * 1024 * 1024
const ROUNDS = 7

const STREAMS = ['users', 'orders', 'products']

function smallData(i: number): object {
  return {
    id: i,
    name: `user number ${i}`,
    email: `user${i}@example.com`,
    score: i / 8,
    active: i % 2 === 0,
    city: 'Arnhem',
  }
}

function nestedData(i: number): object {
  const lines = Array.from({ length: 9 }, (_, n) => ({
    sku: `sku-${i}-${n}`,
    price: n * 1.25,
    title: 'Größe "M" / 東京 😀',
    tags: ['a', 'b', null, true],
  }))
  return {
    id: i,
    customer: { name: 'Zoë\n"Q"', address: { city: 'Łódź', lines: ['1', '2'] } },
    lines,
    note: 'x'.repeat(300),
    total: 99.5,
  }
}

function input(data: (i: number) => object, escape: boolean): { bytes: Buffer; count: number } {
  const lines: string[] = []
  for (let size = 0; size < SIZE;) {
    const i = lines.length
    const record = { stream: STREAMS[i % 3], namespace: 'public', data: data(i), emitted_at: 1_730_000_000_000 + i }
    const json = JSON.stringify({ type: 'RECORD', record })
    const line =
      escape && i % 2 === 0
        ? json.replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json
    lines.push(line)
    size += line.length
  }
  return { bytes: Buffer.from(`${lines.join('\n')}\n`), count: lines.length }
}

type Variant = (bytes: Buffer) => number

function* linesOf(bytes: Buffer) {
  const splitter = new LineSplitter()
  for (let at = 0; at < bytes.length; at += CHUNK) yield* splitter.push(bytes.subarray(at, at + CHUNK))
}

const variants: Readonly<Record<string, Variant>> = {
  'split + isUtf8': (bytes) => {
    let count = 0
    for (const lines of linesOf(bytes)) {
      if (!isUtf8(lines.bytes.subarray(lines.bounds[0], lines.bounds[2 * lines.count - 1]))) throw new Error('UTF-8')
      count += lines.count
    }
    return count
  },
  'split + scan': (bytes) => {
    const scanner = new Scanner()
    let count = 0
    for (const lines of linesOf(bytes)) {
      for (let i = 0; i < lines.count; i++) {
        scanner.start(lines.bytes, lines.bounds[2 * i]!, lines.bounds[2 * i + 1]!)
        scanner.skip()
        if (scanner.finish()) count++
      }
    }
    return count
  },
  'split + read messages': (bytes) => {
    const reader = new MessageReader((_, name) => name)
    let count = 0
    for (const lines of linesOf(bytes)) for (const messages of reader.read([lines])) count += messages.length
    return count
  },
  'split + JSON.parse': (bytes) => {
    let count = 0
    for (const lines of linesOf(bytes)) {
      for (let i = 0; i < lines.count; i++) {
        const line: unknown = JSON.parse(lines.bytes.toString('utf8', lines.bounds[2 * i], lines.bounds[2 * i + 1]))
        if (line !== null) count++
      }
    }
    return count
  },
}

function measure(title: string, data: (i: number) => object, escape: boolean): void {
  const { bytes, count } = input(data, escape)
  console.log(`${title}: ${count} records of ${Math.round(bytes.length / count)} bytes`)
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(variants)) {
      const start = process.cpuUsage()
      if (run(bytes) !== count) throw new Error(`${name} lost records`)
      const used = process.cpuUsage(start)
      best.set(name, Math.min(best.get(name) ?? Infinity, used.user + used.system))
    }
  }
  for (const [name, us] of best) {
    const rate = (bytes.length / us).toFixed(0).padStart(5)
    console.log(`  ${name.padEnd(22)} ${rate} MB/s of CPU  ${(us / count).toFixed(3)} µs a record`)
  }
}

measure('small', smallData, false)
measure('nested, unicode and escapes', nestedData, true)
