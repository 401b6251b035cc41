// Configs of `stream` for tests: a small right one, with members put in its place or beside it.

import type { Reading } from '../../load.ts'
import type { StreamConfig } from '../stream-config.ts'
import { readStreamConfig } from '../stream-load.ts'

export const ENV = { API_KEY: 'canary-key-1', PASSWORD: 'canary-password-2', TOKEN: 'canary-token-3' }

type Members = Readonly<Record<string, unknown>>

export interface Changes {
  readonly top?: Members
  readonly kafka?: Members
  /** Of the one entry of `topics`. */
  readonly topic?: Members
}

export function configText({ top, kafka, topic }: Changes = {}): string {
  return JSON.stringify({
    import_url: 'https://import.example.com',
    client_id: 7,
    api_key: '${API_KEY}',
    kafka: { brokers: ['kafka.example.com:9092'], group: 'g', ...kafka },
    topics: [{ topic: 'orders', keys: ['id'], ...topic }],
    ...top,
  })
}

export function readConfig(
  changes: Changes,
  env: Readonly<Record<string, string>> = ENV,
): Promise<Reading<StreamConfig>> {
  return readStreamConfig(configText(changes), { env, folder: '/etc/stream' })
}
