// The bytes of a config file → a config that can't be wrong, or everything that is wrong with it, at once.
// Knows the rules that join two options. Never quotes a secret; connects to nothing.

import { ConnectorError } from '../core/errors.ts'
import { Secret } from '../core/secret.ts'
import { readAddress } from './address.ts'
import { parseJsonObject } from './parse-json.ts'
import { certificateProblem, isPair, keyProblem, pemText } from './pem.ts'
import { readOptions } from './read-options.ts'
import { idleRejectOptions, rejectedTable, rejectsOf, sharedWithRejects } from './read-rejects.ts'
import { rejectOptions } from './reject-options.ts'
import type { Values } from './read-options.ts'
import { secretsIn, secretsInText } from './secrets-in.ts'
import { tableOptions } from './table-options.ts'
import type { LimitsConfig, RejectsConfig, ServiceConfig, TablesConfig, WriteConfig } from './write-config.ts'
import type { OptionName, WriteOptions } from './write-options.ts'
import { OPTION_NAMES } from './write-options.ts'

export interface Reading {
  /** Only if there are no problems. */
  readonly config: WriteConfig | undefined
  /** What is right of `config.service`, also when something else is wrong: enough to try out what can be tried.
   *  Without `baseUrl` that is nothing. */
  readonly service: Partial<ServiceConfig>
  /** Known as soon as all options of the tables, and of what may be in their way, are right, whatever else is wrong. */
  readonly tables: TablesConfig | undefined
  /** Known as soon as its options are right. */
  readonly rejects: RejectsConfig | undefined
  /** Each "`option` what is wrong with it". */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Every secret in the file, whatever else is wrong, for the scrubber. */
  readonly secrets: readonly string[]
}

/** Never throws. */
export function readWriteConfig(file: string | Uint8Array): Reading {
  const parsed = parseJsonObject(file)
  if ('problem' in parsed) {
    const problems = [`the file ${parsed.problem}`]
    return {
      config: undefined,
      service: {},
      tables: undefined,
      rejects: undefined,
      problems,
      warnings: [],
      secrets: secretsInText(typeof file === 'string' ? file : Buffer.from(file).toString()),
    }
  }
  const { values, problems: wrong, warnings } = readOptions(parsed.object)
  const problems: Problems = new Map(wrong.map(({ name, problem }) => [name, problem]))
  const service = {
    ...readWhere(values, problems),
    ...readClient(values, problems, warnings),
    ...readTls(values, problems),
  }
  // Without the right certificates a connection would only tell that they are missing.
  const unreachable = TLS_OPTIONS.some((option) => problems.has(option))
  const rejects = readRejects(values, problems, warnings)
  const tables = TABLE_OPTIONS.some((option) => problems.has(option)) ? undefined : tablesOf(values)
  const config =
    problems.size === 0 && tables && rejects
      ? {
          service: service as ServiceConfig,
          limits: limitsOf(values as Limits),
          tables,
          rejects,
        }
      : undefined
  return {
    config,
    service: unreachable ? {} : service,
    tables,
    rejects,
    problems: inOrder(problems),
    warnings,
    secrets: secretsIn(parsed.object),
  }
}

/** Throws one ConnectorError (config) that lists every problem.
 *  @param learn is told every secret first */
export function loadWriteConfig(
  file: string | Uint8Array,
  learn: (secrets: readonly string[]) => void = () => {},
): Pick<Reading, 'warnings' | 'secrets'> & { config: WriteConfig } {
  const { config, problems, warnings, secrets } = readWriteConfig(file)
  learn(secrets)
  if (config === undefined) throw new ConnectorError('config', configProblems(problems))
  return { config, warnings, secrets }
}

/** One message for all problems of a config. */
export function configProblems(problems: readonly string[]): string {
  return `The configuration cannot be used: ${problems.join('; ')}.`
}

/** Of a config that says nothing about tables. */
export function defaultTables(): TablesConfig {
  return tablesOf(readOptions({}).values)
}

const REJECT_OPTIONS = Object.keys(rejectOptions) as OptionName[]
const TABLE_OPTIONS = [
  ...(Object.keys(tableOptions) as OptionName[]),
  'on_rejected',
  'rejected_table',
  'rejected_file',
] as const
const TLS_OPTIONS = ['ca_certificate', 'client_certificate', 'client_key'] as const

function inOrder(problems: Problems): string[] {
  return OPTION_NAMES.filter((option) => problems.has(option)).map((option) => `\`${option}\` ${problems.get(option)}`)
}

type Problems = Map<OptionName, string>

function readWhere(values: Values, problems: Problems): Partial<ServiceConfig> {
  const sandbox = values.use_sandbox === true
  const production = address('import_url', values, problems)
  const trial = address('sandbox_import_url', values, problems)
  // Nothing goes there while the sandbox is used.
  if (sandbox && problems.get('import_url') === 'is required') problems.delete('import_url')
  if (sandbox && trial === undefined && !problems.has('sandbox_import_url')) {
    problems.set('sandbox_import_url', 'is required when `use_sandbox` is true')
  }
  const baseUrl = sandbox ? trial : production
  if (baseUrl === undefined || problems.has('use_sandbox')) return {}
  return { baseUrl, sandbox, addressOption: sandbox ? 'sandbox_import_url' : 'import_url' }
}

function address(option: 'import_url' | 'sandbox_import_url', values: Values, problems: Problems): string | undefined {
  const text = values[option]
  if (text === undefined) return undefined
  const read = readAddress(text, values.allow_insecure_http === true)
  if ('url' in read) return read.url
  problems.set(option, read.problem)
  return undefined
}

function readClient(values: Values, problems: Problems, warnings: string[]): Partial<ServiceConfig> {
  const { client_id: clientId, api_key: key } = values
  const client = clientId === undefined ? {} : { clientId }
  if (key === undefined) return client
  if (!key.isWellFormed()) {
    problems.set('api_key', 'holds half a character (a lone surrogate), which no address can carry')
    return client
  }
  if (key.trim() !== key) warnings.push('`api_key` begins or ends with white space, which is sent as part of it')
  return { ...client, apiKey: new Secret(key) }
}

function readTls(values: Values, problems: Problems): Partial<ServiceConfig> {
  const ca = pem(values.ca_certificate)
  const certificate = pem(values.client_certificate)
  const key = pem(values.client_key)
  note(problems, 'ca_certificate', ca === undefined ? undefined : certificateProblem(ca))
  note(problems, 'client_certificate', certificate === undefined ? undefined : certificateProblem(certificate))
  note(problems, 'client_key', key === undefined ? undefined : keyProblem(key))
  const broken = problems.has('client_certificate') || problems.has('client_key')
  if (certificate === undefined && key !== undefined && !broken) {
    problems.set('client_certificate', 'is required with `client_key`')
  } else if (certificate !== undefined && key === undefined && !broken) {
    problems.set('client_key', 'is required with `client_certificate`')
  } else if (certificate !== undefined && key !== undefined && !broken && !isPair(certificate, key)) {
    problems.set('client_key', 'does not belong to `client_certificate`')
  }
  return {
    ...(ca === undefined ? {} : { caCertificate: ca }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertificate: certificate, clientKey: new Secret(key) }),
  }
}

function pem(text: string | undefined): string | undefined {
  return text === undefined ? undefined : pemText(text)
}

function note(problems: Problems, option: OptionName, problem: string | undefined): void {
  if (problem !== undefined) problems.set(option, problem)
}

function readRejects(values: Values, problems: Problems, warnings: string[]): RejectsConfig | undefined {
  if (REJECT_OPTIONS.some((option) => problems.has(option))) return undefined
  const rejects = rejectsOf(values)
  warnings.push(...idleRejectOptions(rejects))
  if (!problems.has('streams')) note(problems, 'streams', sharedWithRejects(values.streams, rejects))
  return rejects
}

type Limits = Omit<WriteOptions, 'streams'>

function limitsOf(values: Limits): LimitsConfig {
  return {
    maxPoints: values.max_points,
    maxRequestBytes: values.max_request_bytes,
    maxWaitMs: values.max_wait_ms,
    bufferBytes: values.buffer_bytes,
    requestTimeoutMs: values.request_timeout_seconds * 1_000,
    retryForMs: values.retry_for_seconds * 1_000,
    concurrency: values.concurrency,
    maxRequestsPerSecond: values.max_requests_per_second,
    lateWriteGuardMs: values.late_write_guard_seconds * 1_000,
  }
}

function tablesOf(values: Values): TablesConfig {
  return {
    prefix: values.table_prefix ?? '',
    names: values.table_names ?? 'refuse',
    appendWithPrimaryKey: values.append_with_primary_key ?? 'history',
    olderRows: values.older_rows ?? 'refuse',
    columns: [...new Set(values.metadata_columns)],
    streams: values.streams ?? [],
    rejectedTable: rejectedTable(rejectsOf(values)),
  }
}
