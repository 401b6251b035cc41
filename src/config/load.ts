// The bytes of a config file → a config that cannot be wrong, or everything that is wrong with it, at once.
// Knows the rules that join two options. Never quotes a secret; connects to nothing.

import { ConnectorError } from '../core/errors.ts'
import { limitsOf } from './limits-of.ts'
import { parseJsonObject } from './parse-json.ts'
import type { OptionValues } from './read-options.ts'
import { readOptions } from './read-options.ts'
import { idleRejectOptions, rejectedTable, rejectsOf, sharedWithRejects } from './read-rejects.ts'
import type { Problems } from './read-service.ts'
import { readService } from './read-service.ts'
import { rejectOptions } from './reject-options.ts'
import { secretsIn, secretsInText } from './secrets-in.ts'
import { tableOptions } from './table-options.ts'
import type { LimitsConfig, RejectsConfig, ServiceConfig, TablesConfig, WriteConfig } from './write-config.ts'
import type { OptionName, WriteOptions } from './write-options.ts'
import { OPTION_NAMES, writeOptions } from './write-options.ts'

export interface WriteReading {
  /** Only if there are no problems. */
  readonly config: WriteConfig | undefined
  /** What is right of `config.service`, also when something else is wrong: enough to try out what can be tried.
   *  Without `baseUrl` that is nothing. */
  readonly service: Partial<ServiceConfig>
  /** The default where it is wrong. */
  readonly requestTimeoutMs: number
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
export function readWriteConfig(file: string | Uint8Array): WriteReading {
  const parsed = parseJsonObject(file)
  if ('problem' in parsed) return unread(parsed.problem, file)
  if (isCatalog(parsed.object))
    return unread('looks like a catalog, which is for --catalog: it must hold the options, import_url among them', file)
  const { values, problems: wrong, warnings } = readOptions(parsed.object)
  const problems: Problems = new Map(wrong.map(({ name, problem }) => [name, problem]))
  const service = readService(values, problems, warnings)
  // Without the right certificates a connection would only tell that they are missing.
  const unreachable = TLS_OPTIONS.some((option) => problems.has(option))
  const rejects = readRejects(values, problems, warnings)
  const tables = TABLE_OPTIONS.some((option) => problems.has(option)) ? undefined : tablesOf(values)
  const config =
    problems.size === 0 && tables && rejects
      ? {
          service: service as ServiceConfig,
          limits: limitsOf(values as Omit<WriteOptions, 'streams'>),
          tables,
          rejects,
        }
      : undefined
  return {
    config,
    service: unreachable ? {} : service,
    requestTimeoutMs: requestTimeoutOf(values),
    tables,
    rejects,
    problems: inOrder(problems),
    warnings,
    secrets: secretsIn(parsed.object),
  }
}

function requestTimeoutOf({ request_timeout_seconds: given }: OptionValues): number {
  return (given ?? writeOptions.shape.request_timeout_seconds.parse(undefined)) * 1_000
}

/** @param problem what follows "the file" */
function unread(problem: string, file: string | Uint8Array): WriteReading {
  return {
    config: undefined,
    service: {},
    requestTimeoutMs: requestTimeoutOf({}),
    tables: undefined,
    rejects: undefined,
    problems: [`the file of --config ${problem}`],
    warnings: [],
    secrets: secretsInText(typeof file === 'string' ? file : Buffer.from(file).toString()),
  }
}

/** The other file of a write in its place. */
function isCatalog({ import_url: url, streams }: Readonly<Record<string, unknown>>): boolean {
  if (url !== undefined || !Array.isArray(streams)) return false
  return streams.some((entry: unknown) => typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'stream'))
}

/** Throws one ConnectorError (config) that lists every problem.
 *  @param learn is told every secret first */
export function loadWriteConfig(
  file: string | Uint8Array,
  learn: (secrets: readonly string[]) => void = () => {},
): Pick<WriteReading, 'warnings' | 'secrets'> & { config: WriteConfig } {
  const { config, problems, warnings, secrets } = readWriteConfig(file)
  learn(secrets)
  if (config === undefined) throw new ConnectorError('config', configProblems(problems))
  return { config, warnings, secrets }
}

/** One message for all problems of a config. */
export function configProblems(problems: readonly string[]): string {
  return `The configuration cannot be used: ${problems.join('; ')}.`
}

/** Of a config that says nothing about limits. */
export function defaultLimits(): LimitsConfig {
  return limitsOf(readOptions({}).values as Omit<WriteOptions, 'streams'>)
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

function note(problems: Problems, option: OptionName, problem: string | undefined): void {
  if (problem !== undefined) problems.set(option, problem)
}

function readRejects(values: OptionValues, problems: Problems, warnings: string[]): RejectsConfig | undefined {
  if (REJECT_OPTIONS.some((option) => problems.has(option))) return undefined
  const rejects = rejectsOf(values)
  warnings.push(...idleRejectOptions(rejects))
  if (!problems.has('streams')) note(problems, 'streams', sharedWithRejects(values.streams, rejects))
  return rejects
}

function tablesOf(values: OptionValues): TablesConfig {
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
