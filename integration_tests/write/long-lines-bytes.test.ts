// `write` as a process, given lines of random lengths up to the limit in random order, rejected ones among them: every byte that
// arrives anywhere is compared with what was sent.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { start, workFolder } from '../connector.ts'
import { Random } from '../engine/random.ts'
import { argsOf, state } from './driver.ts'

const MIB = 1024 * 1024
const PATIENCE = 240_000

type Kind = 'good' | 'keyless' | 'refused' | 'too large' | 'state' | 'short'

interface Sent {
  readonly kind: Kind
  /** Without LF. */
  readonly line: Buffer
  /** What arrives of a record that is stored. */
  readonly point: Buffer
}

/** A part that no other line has, again and again: bytes of another line, or of another place, would show. */
function filler(chance: () => number, bytes: number): Buffer {
  const pieces = ['abc', String.raw`\"`, String.raw`\\`, 'é']
  let part = ''
  while (part.length < 211) part += `${pieces[Math.floor(chance() * pieces.length)]}${Math.floor(chance() * 1e9)}`
  const unit = Buffer.from(part)
  return Buffer.alloc(Math.max(1, Math.floor(bytes / unit.length)) * unit.length, unit)
}

function lineOf(kind: Kind, number: number, chance: () => number, most: number): Sent {
  const text = filler(chance, kind === 'short' ? 300 : MIB + chance() * (most - 2 * MIB))
  const around = (head: string, tail: string): Buffer => Buffer.concat([Buffer.from(head), text, Buffer.from(tail)])
  if (kind === 'state') {
    const [head, tail] = state('{"x":"|"}').split('|')
    return { kind, line: around(head!, tail!), point: Buffer.alloc(0) }
  }
  const members = `"id":${kind === 'keyless' ? 'null' : number},"kind":"${kind}","x":"`
  return {
    kind,
    line: around(`{"type":"RECORD","record":{"stream":"orders","data":{${members}`, '"},"emitted_at":1}}'),
    point: around(`{"keys":["id"],${members}`, '"}'),
  }
}

async function bodyOf(request: IncomingMessage, chance: () => number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
    if (chance() < 0.01) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return Buffer.concat(chunks)
}

interface Part {
  readonly _airbyte_raw_id: string
  readonly line: number
  readonly part: number
  readonly parts: number
  readonly message: string
}

/** Takes what is stored apart, and says what of it is not as it was sent. */
class Arrivals {
  readonly stored = new Set<number>()
  readonly rejected = new Map<number, string[]>()
  readonly wrong: string[] = []
  readonly #sent: readonly Sent[]

  constructor(sent: readonly Sent[]) {
    this.#sent = sent
  }

  points(body: Buffer): void {
    for (let at = 1; at < body.length;) {
      const number = Number(/^\{"keys":\["id"\],"id":(\d+),/.exec(body.toString('latin1', at, at + 60))?.[1] ?? 0)
      const { point } = this.#sent[number - 1] ?? { point: Buffer.from('none') }
      if (!body.subarray(at, at + point.length).equals(point)) this.wrong.push(`the point at ${at}, of line ${number}`)
      this.stored.add(number)
      at += point.length + 1
    }
  }

  parts(body: Buffer): void {
    for (const { line, part, message } of JSON.parse(body.toString()) as Part[]) {
      const parts = this.rejected.get(line) ?? []
      parts[part - 1] = message
      this.rejected.set(line, parts)
    }
  }
}

/** What is wrong with a body, if anything is. */
function troubleOf(body: Buffer): 400 | 413 | undefined {
  if (body.includes('"kind":"too large"')) return 413
  return body.includes('"kind":"refused"') ? 400 : undefined
}

it.each([2])('what arrives of random long lines is what was sent, seed %i', { timeout: PATIENCE }, async (seed) => {
  const random = new Random(seed)
  const chance = (): number => random.next()
  const kinds: Kind[] = ['good', 'keyless', 'refused', 'too large', 'state', 'short', 'good', 'state']
  const order = ['short' as Kind, ...[...kinds, ...kinds.slice(0, 5)].sort(() => chance() - 0.5)]
  const sent = order.map((kind, index) => lineOf(kind, index + 1, chance, (index % 4 === 0 ? 70 : 24) * MIB))
  const arrivals = new Arrivals(sent)
  const server = createServer((request, response) => {
    const isReject = request.url!.includes('rejected_records')
    void bodyOf(request, chance).then((body) => {
      const trouble = isReject ? undefined : troubleOf(body)
      const isLost = chance() < (isReject ? 0.01 : 0.2)
      if (trouble !== undefined && !isLost) return response.writeHead(trouble).end('{"detail":"no"}')
      if (isReject) arrivals.parts(body)
      else if (trouble === undefined) arrivals.points(body)
      // now and then it took the request, and says that it did not
      if (isLost) return response.writeHead(503).end('{}')
      return response.writeHead(201).end('{"code":201}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using work = await workFolder()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = { on_rejected: 'divert', max_request_bytes: 20 * MIB }
  const child = start(await argsOf({ url }, work, undefined, config))
  const closed = once(child, 'close')
  child.stderr!.resume()
  child.stdin!.on('error', () => {})
  for (const { line } of sent) child.stdin!.write(Buffer.concat([line, Buffer.from('\n')]))
  child.stdin!.end()
  // a reader that takes its time
  const out: Buffer[] = []
  for await (const chunk of child.stdout!) {
    out.push(chunk as Buffer)
    if (out.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const [code] = (await closed) as [number | null]
  server.close()
  expect([code, arrivals.wrong]).toEqual([0, []])

  const numbersOf = (...kinds: Kind[]): number[] =>
    sent.flatMap(({ kind }, index) => (kinds.includes(kind) ? [index + 1] : []))
  expect([...arrivals.stored].sort((a, b) => a - b)).toEqual(numbersOf('good', 'short'))
  expect([...arrivals.rejected.keys()].sort((a, b) => a - b)).toEqual(numbersOf('keyless', 'refused', 'too large'))
  for (const [number, parts] of arrivals.rejected)
    expect([number, Buffer.from(parts.join('')).equals(sent[number - 1]!.line)]).toEqual([number, true])

  const stdout = Buffer.concat(out)
  const states = linesOf(stdout).filter((line) => line.toString('latin1', 0, 15) === '{"type":"STATE"')
  const expected = sent.filter(({ kind }) => kind === 'state')
  expect(states.length).toBe(expected.length)
  for (const [index, line] of states.entries()) {
    const stats = line.lastIndexOf(',"destinationStats":')
    const whole = Buffer.concat([line.subarray(0, stats), line.subarray(line.indexOf('}', stats) + 1)])
    expect([index, whole.equals(expected[index]!.line)]).toEqual([index, true])
  }
})

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0, to = bytes.indexOf(10); to !== -1; from = to + 1, to = bytes.indexOf(10, from))
    lines.push(bytes.subarray(from, to))
  return lines
}
