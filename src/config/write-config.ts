// What `write` and `check` work with: values that can't be wrong. Knows no file and no schema.

import type { Secret } from '../core/secret.ts'

/** Where to write, and as whom. */
export interface ServiceConfig {
  /** Of production or sandbox, as configured; without a slash at the end. */
  readonly baseUrl: string
  /** The option `baseUrl` is from. */
  readonly addressOption: 'import_url' | 'sandbox_import_url'
  readonly sandbox: boolean
  readonly clientId: number
  readonly apiKey: Secret
  /** PEM. */
  readonly caCertificate?: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate?: string | undefined
  readonly clientKey?: Secret | undefined
}

/** Times in milliseconds. */
export interface LimitsConfig {
  readonly maxPoints: number
  readonly maxRequestBytes: number
  readonly maxWaitMs: number
  readonly bufferBytes: number
  readonly requestTimeoutMs: number
  readonly retryForMs: number
  /** undefined: 64. */
  readonly concurrency: number | undefined
  /** undefined: no such limit. */
  readonly maxRequestsPerSecond: number | undefined
  readonly lateWriteGuardMs: number
}

/** How streams become tables. */
export interface TablesConfig {
  /** A stream that wants its older rows gone: refuse its records, or load beside the older rows. */
  readonly olderRows: 'refuse' | 'keep'
}

export interface WriteConfig {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly tables: TablesConfig
}
