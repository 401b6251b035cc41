// What `write` and `check` work with: values that cannot be wrong. Knows no file and no schema.

import type { Limits } from '../core/deliver.ts'
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

/** Those of the engine that a user may set, and how it speaks to the service. Times in milliseconds. */
export interface LimitsConfig extends Omit<Limits, 'lingerMs' | 'graceMs'> {
  readonly requestTimeoutMs: number
  /** undefined: found out as it goes. */
  readonly concurrency: number | undefined
  /** undefined: no such limit. */
  readonly maxRequestsPerSecond: number | undefined
}

/** How streams become tables. */
export interface TablesConfig {
  /** In front of every table's name but an overridden one. */
  readonly prefix: string
  /** `hashed`: every altered name ends in six digits of its own. */
  readonly names: 'refuse' | 'hashed'
  readonly appendWithPrimaryKey: 'history' | 'upsert'
  /** A stream that wants its older rows gone: refuse its records, or load beside the older rows. */
  readonly olderRows: 'refuse' | 'keep'
  /** Distinct. */
  readonly columns: readonly ('_airbyte_extracted_at' | '_airbyte_generation_id' | '_airbyte_meta')[]
  readonly streams: readonly StreamOverride[]
  /** The table that rejected records go to, which no stream may have; undefined: they go to none. */
  readonly rejectedTable: string | undefined
}

/** Choices for one stream; undefined: as for all. */
export interface StreamOverride {
  readonly name: string
  /** undefined: every stream of that name that has no entry of its own. */
  readonly namespace: string | undefined
  /** The whole name, no prefix added. */
  readonly table: string | undefined
  /** In place of the catalog's primary key; at least one. */
  readonly keys: readonly KeyChoice[] | undefined
  /** false: every version of a row is sent, one after another. */
  readonly keepLast: boolean | undefined
  readonly identicalRecords: 'keep' | 'collapse' | undefined
  readonly appendWithPrimaryKey: 'history' | 'upsert' | undefined
  readonly olderRows: 'refuse' | 'keep' | undefined
}

export interface KeyChoice {
  /** Names from the record's data down to the value; at least one. */
  readonly path: readonly string[]
  /** What a nested value is sent as; undefined: its path joined by `_`. */
  readonly field: string | undefined
}

/** What becomes of records that cannot be stored. */
export interface RejectsConfig {
  readonly onRejected: 'fail' | 'divert'
  /** Where diverted records go if there is no file. */
  readonly table: string
  readonly file: string | undefined
  /** Whether messages may show a rejected record's key. */
  readonly logKeys: boolean
}

export interface WriteConfig {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly tables: TablesConfig
  readonly rejects: RejectsConfig
}
