// What cases of `stream` stand on: a Kafka client, `serve` as a process behind a way that can be cut, topics and configs of
// their own. Knows no case.

import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { workFolder, type WorkFolder } from '../connector.ts'
import { describeKafka, uniqueName } from '../kafka/available.ts'
import { KafkaClient, type Records } from '../kafka/client.ts'
import { Children } from '../soak/children.ts'
import { ServiceProcess } from '../soak/service-process.ts'
import { StreamProcess, type StreamEnded } from './stream-process.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { until } from '../kafka/until.ts'

/** Hard on whoever writes addresses, JSON or logs. */
export const KEY = 'k/é+&=%"\\'

export interface StreamCase {
  readonly topics: readonly object[]
  /** Options beside those that all have, or in their place. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly kafka?: Readonly<Record<string, unknown>>
  /** A new one when absent. */
  readonly group?: string
}

/** Disposed nothing of it is left but its topics. */
export class StreamDriver implements AsyncDisposable {
  client!: KafkaClient
  service!: ServiceProcess
  /** Before the service; configs name it. */
  proxy!: TcpProxy
  work!: WorkFolder
  readonly #bootstrap: string
  #children!: Children
  #stack!: AsyncDisposableStack
  #configs = 0

  /** Nothing of it may be used before `opened`. */
  constructor(bootstrap: string) {
    this.#bootstrap = bootstrap
  }

  static async open(bootstrap: string, signal?: AbortSignal): Promise<StreamDriver> {
    return new StreamDriver(bootstrap).opened(signal)
  }

  async opened(signal?: AbortSignal): Promise<this> {
    await using stack = new AsyncDisposableStack()
    this.client = stack.use(await KafkaClient.connect(this.#bootstrap))
    this.work = stack.use(await workFolder())
    await this.work.file('api-key', KEY)
    this.#children = stack.use(new Children(signal))
    this.service = stack.use(await ServiceProcess.open(this.#children, ['--client', `7:${KEY}`]))
    this.proxy = stack.use(await TcpProxy.open(() => Number(new URL(this.service.url).port)))
    this.#stack = stack.move()
    return this
  }

  /** A new topic. @returns its name */
  async topic(partitions = 1, word = 'topic'): Promise<string> {
    const name = uniqueName(word)
    await this.client.createTopic(name, partitions)
    return name
  }

  /** A new topic that holds these. @returns its name */
  async filled(records: Records): Promise<string> {
    const topic = await this.topic()
    await this.client.produce(topic, records)
    return topic
  }

  /** @returns its file */
  async config({ topics, config, kafka, group = uniqueName('group') }: StreamCase): Promise<string> {
    return this.work.file(`config-${this.#configs++}.json`, {
      import_url: this.proxy.url,
      client_id: 7,
      api_key: { file: join(this.work.path, 'api-key') },
      kafka: {
        brokers: this.#bootstrap.split(','),
        group,
        session_timeout_seconds: 6,
        rebalance_timeout_seconds: 12,
        heartbeat_seconds: 1,
        ...kafka,
      },
      topics,
      commit_every_seconds: 1,
      ...config,
    })
  }

  async start(given: StreamCase, ...args: readonly string[]): Promise<StreamProcess> {
    return this.command(['--config', await this.config(given), ...args])
  }

  /** @param args behind `stream` */
  command(args: readonly string[]): StreamProcess {
    return new StreamProcess(this.#children.start(['stream', ...args]))
  }

  /** The end of one that ends by itself. Nothing it said holds the key. */
  async endOf(process: StreamProcess): Promise<StreamEnded> {
    const ended = await process.ended
    keepsSecrets(ended)
    return ended
  }

  /** SIGTERM, its last commits, 143. */
  async stop(process: StreamProcess): Promise<StreamEnded> {
    process.send('SIGTERM')
    const ended = await this.endOf(process)
    expect(ended.code, process.toString()).toBe(143)
    return ended
  }

  /** Waits for rows. @param expected texts as they were sent, in any order */
  async rowsAre(table: string, expected: readonly string[], process?: StreamProcess): Promise<void> {
    const wanted = JSON.stringify(expected.toSorted())
    await this.#comesTrue(async () => JSON.stringify(await this.rows(table)) === wanted, process)
    expect(await this.rows(table), process?.toString()).toEqual(expected.toSorted())
  }

  /** Waits until the group has committed so far. @param offsets by partition */
  async committedAre(
    group: string,
    topic: string,
    offsets: readonly (bigint | undefined)[],
    process?: StreamProcess,
  ): Promise<void> {
    const read = (): Promise<(bigint | undefined)[]> => this.client.committed(group, topic)
    await this.#comesTrue(async () => String(await read()) === String(offsets), process)
    expect(await read()).toEqual(offsets)
  }

  /** Texts as they were sent, sorted. */
  async rows(table: string): Promise<string[]> {
    return (await this.service.rows(table)).map((row) => Buffer.from(row, 'latin1').toString()).toSorted()
  }

  async fault(fault: object): Promise<void> {
    await this.service.ask('POST', '/_local/faults', fault)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  /** Or the process ends, or it takes for ever: whoever called finds out what there is. */
  async #comesTrue(isTrue: () => Promise<boolean>, process: StreamProcess | undefined): Promise<void> {
    await until(
      async () => process?.isAlive === false || (await isTrue()),
      () => '',
    ).catch(() => {})
  }
}

/** Cases that share one driver, which is there before their hooks. @param define gets the broker's `host:port` too */
export function describeStream(title: string, define: (driver: StreamDriver, bootstrap: string) => void): void {
  describeKafka(title, (bootstrap) => {
    const driver = new StreamDriver(bootstrap)
    beforeAll(() => driver.opened())
    afterAll(() => driver[Symbol.asyncDispose]())
    define(driver, bootstrap)
  })
}

export function tableOf(topic: string): string {
  return topic.replaceAll(/[^A-Za-z0-9_]/g, '_')
}

/** A value as the row that it becomes. */
export function rowOf(value: string, keys: readonly string[] = ['id']): string {
  return value.replace('{', `{"keys":${JSON.stringify(keys)},`)
}

export function rowsOf(values: readonly string[]): string[] {
  return values.map((value) => rowOf(value))
}

export function keepsSecrets({ stdout, stderr }: Pick<StreamEnded, 'stdout' | 'stderr'>): void {
  for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)])
    expect(stdout + stderr).not.toContain(form)
  expect(stderr).toBe('')
}
