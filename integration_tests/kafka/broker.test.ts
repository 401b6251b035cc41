// The Kafka broker that tests and people get: it keeps its data over every kind of end, and ends with whoever started it.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { access, readdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeOwnKafka } from './available.ts'
import { isFree } from './free-port.ts'
import { KafkaClient } from './client.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'
import { KEY, StreamCheckDriver } from '../stream/check-driver.ts'

const BROKER = new URL('broker.ts', import.meta.url).href
const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

describeOwnKafka('a broker of one', (startBroker) => {
  it('keeps topics and commits over a stop and over a kill, on the same ports', async () => {
    await using broker = await startBroker()
    const { bootstrap, pid } = broker
    await using client = await KafkaClient.connect(bootstrap)
    await client.createTopic('kept', 2)
    await client.produce('kept', [{ partition: 1, value: 'first' }])
    const kept = (): Promise<(bigint | undefined)[]> => client.committed('g', 'kept')
    const soon = { timeout: 30_000, interval: 100 }
    // a group's first coordinator is made when it is asked for
    await expect.poll(kept, soon).toEqual([undefined, undefined])
    const producer = client.kafka.producer({ transactionalId: 't', maxInFlightRequests: 1, idempotent: true })
    await producer.connect()
    const transaction = await producer.transaction()
    const topics = [{ topic: 'kept', partitions: [{ partition: 1, offset: '1' }] }]
    await transaction.sendOffsets({ consumerGroupId: 'g', topics })
    await transaction.commit()
    await producer.disconnect()
    // a transaction has ended when its end is written; its offsets are shown once the markers are
    await expect.poll(kept, soon).toEqual([undefined, 1n])

    await broker.restart()
    expect(broker.bootstrap).toBe(bootstrap)
    expect(broker.pid).not.toBe(pid)
    await client.produce('kept', [{ partition: 1, value: 'second' }])

    await broker.kill()
    expect(broker.pid).toBeUndefined()
    await broker.start()
    await client.produce('kept', [{ partition: 1, value: 'third' }])
    expect((await client.read('kept')).map(({ value }) => String(value))).toEqual(['first', 'second', 'third'])
    await expect.poll(kept, soon).toEqual([undefined, 1n])
  })

  it('stands beside another, and each goes with its folder', async () => {
    const [one, other] = await Promise.all([startBroker(), startBroker({ listeners: { SECOND: 'PLAINTEXT' } })])
    {
      await using _one = one
      await using _other = other
      const ports = [...Object.values(one.ports), ...Object.values(other.ports)]
      expect(new Set(ports).size).toBe(5)
      await using first = await KafkaClient.connect(one.bootstrap)
      await using second = await KafkaClient.connect(other.address('SECOND'))
      await first.createTopic('of-one')
      expect(await second.admin.listTopics()).toEqual([])
    }
    expect([one.pid, other.pid]).toEqual([undefined, undefined])
    for (const { folder } of [one, other]) await expect(access(folder)).rejects.toThrow('ENOENT')
  })

  it('says in its own words why it cannot start, and leaves nothing', async () => {
    const starting = startBroker({ properties: { 'log.retention.ms': 'soon' } })
    await expect(starting).rejects.toThrow(/could not be formatted[^]*log\.retention\.ms/)
    const running = startBroker({ heap: '1k' })
    await expect(running).rejects.toThrow(/ended while it started[^]*heap/)
    const stopped = startBroker({ signal: AbortSignal.timeout(300) })
    await expect(stopped).rejects.toThrow('timeout')
  })

  it('does not outlive a process that is killed, nor does its folder', async () => {
    const program = `
      const { startBroker } = await import(${JSON.stringify(BROKER)})
      const { pid, folder } = await startBroker()
      console.log(JSON.stringify({ pid, folder }))`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 2] })
    const { pid, folder } = JSON.parse(await heard(parent, '\n')) as { pid: number; folder: string }
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'close')
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false)
    await expect
      .poll(
        () =>
          access(folder).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(false)
  })
})

describeOwnKafka('npm run kafka', () => {
  const folder = ownFolder('test')

  it('prints an example that works, keeps its data and stops at Ctrl-C', async () => {
    const data = join(folder, 'data of mine')
    for (const count of [3, 6]) {
      const running = run('--data', data)
      const told = await heard(running, 'Ctrl-C')
      expect(told).toMatch(/^Kafka is at 127\.0\.0\.1:\d+\. /)
      const command = told.split('\n').find((line) => line.startsWith('  '))!
      const example = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
      expect(await heard(example, '.')).toBe(`${count} records are in the topic orders.\n`)
      running.kill('SIGINT')
      expect(await once(running, 'close')).toEqual([0, null])
    }
  })

  it('has a port beside that wants tokens, and a server that gives them', async () => {
    const running = run('--identity')
    const told = await heard(running, 'Ctrl-C')
    const [, address, issuer] = /taken at (\S+), with tokens of the issuer (\S+):\n/.exec(told)!
    const secret = /export CLIENT_SECRET='(.+)'/.exec(told)![1]!
    await using driver = await StreamCheckDriver.start()
    const oauth = { issuer, client_id: 'stream', client_secret: '${CLIENT_SECRET}', scope: 'kafka' }
    const sasl = { mechanism: 'oauthbearer', oauth }
    const topics = [{ topic: 'orders', keys: ['id'] }]
    const checked = await driver.check({ brokers: [address!], topics, kafka: { sasl } }, { KEY, CLIENT_SECRET: secret })
    expect(checked.ok, checked.text).toContain(`Broker ${address} can be used.`)
    running.kill('SIGINT')
    expect(await once(running, 'close')).toEqual([0, null])
  })

  it('ends with the shell that npm started it by', async () => {
    // as npm does: a signal reaches the shell alone
    const npm = spawn('sh', ['-c', `"$0" "$1"; exit`, process.execPath, RUN], { stdio: ['ignore', 'pipe', 'inherit'] })
    const told = await heard(npm, 'Ctrl-C')
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(told)![1])
    expect(await isFree(port)).toBe(false)
    npm.kill('SIGTERM')
    await expect.poll(() => isFree(port), { timeout: 40_000 }).toBe(true)
  })

  it.each([
    [['--port', 'x'], '--port must be a number'],
    [['--data', ''], '--data must be'],
    [['--nothing'], "Unknown option '--nothing'"],
    [['--data', RUN], 'is no folder'],
  ])('refuses %j', async (args, message) => {
    expect(await failure(...args)).toContain(message)
  })

  it("takes no folder of other people's, and no port in use", async () => {
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await failure('--port', `${port}`)).toContain(`Port ${port} of 127.0.0.1 is not free`)
    await writeFile(join(folder, 'letter.txt'), 'Dear')
    expect(await failure('--data', folder)).toContain('holds other things')
    expect(await readdir(folder)).toEqual(['letter.txt'])
  })
})

function run(...args: string[]): ChildProcess {
  return spawn(process.execPath, [RUN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function failure(...args: string[]): Promise<string> {
  const running = run(...args)
  let said = ''
  running.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  expect(await once(running, 'close')).toEqual([1, null])
  return said
}

/** What a process says on its output until a word of it. */
async function heard(running: ChildProcess, word: string): Promise<string> {
  let said = ''
  for await (const chunk of running.stdout as AsyncIterable<Buffer>) {
    said += chunk.toString()
    if (said.includes(word)) break
  }
  return said
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
