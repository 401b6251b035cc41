// Runs `stream --check` in this process, against the local service, and sorts what it says.

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { streamCheck } from '../../src/commands/stream/stream-check.ts'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { workFolder, type WorkFolder } from '../connector.ts'
import { NO_INPUT, Said, ioOf } from '../../src/process/testing/said.ts'
import { uniqueName } from '../kafka/available.ts'
import { quietKafkajs } from '../kafka/quiet-kafkajs.ts'

export const KEY = 'canary-key-5021'

export interface Given {
  readonly brokers: readonly string[]
  readonly group?: string
  readonly topics: readonly object[]
  readonly kafka?: object
  readonly more?: object
}

export interface Told {
  readonly code: number | 'stopped'
  readonly text: string
  /** By level. */
  readonly FAIL: readonly string[]
  readonly warn: readonly string[]
  readonly ok: readonly string[]
}

export class StreamCheckDriver implements AsyncDisposable {
  readonly #folder: WorkFolder
  readonly #service: LocalService
  #files = 0

  private constructor(folder: WorkFolder, service: LocalService) {
    this.#folder = folder
    this.#service = service
  }

  static async start(): Promise<StreamCheckDriver> {
    quietKafkajs()
    return new StreamCheckDriver(await workFolder(), await startLocalService({ clients: [{ id: 7, key: KEY }] }))
  }

  /** Of the local service, whose client 7 has `KEY`. */
  get origin(): string {
    return this.#service.url
  }

  /** @returns its path */
  configFile({ brokers, group = uniqueName('check'), topics, kafka, more }: Given): Promise<string> {
    const config = {
      import_url: this.origin,
      client_id: 7,
      api_key: '${KEY}',
      kafka: { brokers, group, ...kafka },
      topics,
      ...more,
    }
    return this.#folder.file(`config-${this.#files++}.json`, config)
  }

  async check(given: Given, env: Readonly<Record<string, string>> = { KEY }): Promise<Told> {
    const said = new Said()
    const code = await streamCheck(await this.configFile(given), { ...ioOf(NO_INPUT, said, said), env })
    const text = await said.text()
    expect(text).not.toContain(env['KEY'])
    const of = (level: string): string[] =>
      text.split('\n').flatMap((line) => (line.startsWith(level.padEnd(6)) ? [line.slice(6)] : []))
    return { code, text, FAIL: of('FAIL'), warn: of('warn'), ok: of('ok') }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }
}

/** Listens, hangs up on nobody, and says nothing. */
export async function mutePort(): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
