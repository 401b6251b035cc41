// Reads a config file of `write`, to a valid config or all its problems. Quotes no secret. `write` calls loadWriteConfig, which throws;
// `check` and `plan` call readWriteConfig, for the valid parts. read-tree.ts checks each option alone; here they are checked together.

import type { z } from 'zod'
import { ConnectorError } from '../../core/errors.ts'
import { asSentence } from '../../text/printable.ts'
import { configOf, picked, type ConfigOf } from '../config-of.ts'
import { Findings, findingText, pathText } from '../findings.ts'
import { isObject } from '../../json/is-object.ts'
import { parseJsonObject } from '../json-text.ts'
import type { Reading } from '../load.ts'
import { OLDER, placeInOlder, readRejected, writeFileOptions } from '../older-names.ts'
import { readTree, type Partly } from '../read-tree.ts'
import { secretsIn, secretsInText, textsOf } from '../secrets.ts'
import { DEFAULT_SHARE, rejectLimits as rejectLimitShape, warnOfIdleLimits } from '../reject-limits.ts'
import { readService, type ServiceConfig, type ServiceReading } from '../service-rules.ts'
import { checkPrefix, tables as tableShape } from './table-options.ts'
import { limits as limitShape, writeOptions, type LimitOptions, type WriteOptions } from './write-options.ts'

/** Times in milliseconds. */
export type LimitsConfig = ConfigOf<LimitOptions>

export interface TablesConfig extends ConfigOf<Pick<WriteOptions, keyof typeof tableShape | 'streams'>> {
  /** The table that rejected records go to, which no stream may have. `undefined` when they go to none. */
  readonly rejectedTable: string | undefined
}

/** Options of one stream; where one is `undefined`, that of all streams counts. */
export type StreamOverride = TablesConfig['streams'][number]

export type RejectsConfig = WriteOptions['rejected_records'] & { readonly logKeys: boolean }

/** How many records of each stream or topic may be rejected, where rejected records are kept. */
export type RejectLimitsConfig = ConfigOf<Pick<WriteOptions, keyof typeof rejectLimitShape>>

export interface WriteConfig {
  readonly service: ServiceConfig
  readonly limits: LimitsConfig
  readonly tables: TablesConfig
  readonly rejects: RejectsConfig
  readonly rejectLimits: RejectLimitsConfig
}

/** The result of reading a file: the config if all of it is valid, else the usable parts. `problems` are in the order of the options. */
export interface WriteReading extends Reading<WriteConfig> {
  /** The valid parts of `config.service`, for a first try of the service. Without `baseUrl` nothing can be tried. */
  readonly service: ServiceReading
  /** How long a request to `service` may take; the default where the option is not valid. */
  readonly requestTimeoutMs: number
  /** `undefined` when an option of the tables or of rejected records is not valid. */
  readonly tables: TablesConfig | undefined
  /** `undefined` when one of its options is not valid. */
  readonly rejects: RejectsConfig | undefined
}

type Options = Partly<z.output<typeof writeFileOptions>>

const SECRETS: ReadonlySet<string> = new Set(['api_key', 'client_key'])
const TABLES = [...Object.keys(tableShape), 'streams']
/** Options that decide what rows are, where they go and what becomes of rejected ones: an unknown name that is nearly one is a problem. */
const DECISIVE: ReadonlySet<string> = new Set([
  ...TABLES,
  ...Object.keys(rejectLimitShape),
  ...Object.keys(OLDER),
  ...Object.values(OLDER).flatMap(Object.keys),
])
const TLS = ['ca_certificate', 'client_certificate', 'client_key']
const OPTION_ORDER = Object.keys(writeFileOptions.shape)

/** Reads a config of `write`, or finds all that is wrong with it. Never throws. */
export function readWriteConfig(text: string): WriteReading {
  const parsed = parseJsonObject(text)
  if ('problem' in parsed) return noConfig(parsed.problem, text)
  if (isCatalog(parsed.object))
    return noConfig(
      'looks like a catalog, which is for --catalog: it must hold the options, import_url among them',
      text,
    )
  const given = parsed.object
  if (isObject(given['kafka']) && Object.hasOwn(given, 'topics'))
    return noConfig('looks like a config of stream, which takes it by stream --config: write reads no topics', text)
  const findings = new Findings()
  const options = readTree(given, writeFileOptions, findings, { form: { decisive: DECISIVE } })
  const isWrong = (names: readonly string[]): boolean => names.some((name) => findings.has([name]))
  const service = readService(options, given, findings)
  // without the right certificates, a try of the service would only show that they are missing
  const serviceToTry = isWrong(TLS) ? {} : service
  checkStreams(options, findings)
  checkPrefix(options, findings)
  const rejected = readRejected(options, given, findings)
  const logKeys = options.log_keys
  const rejects = rejected === undefined || logKeys === undefined ? undefined : { ...rejected, logKeys }
  if (rejected?.policy === 'stop') checkIdleLimits(options, findings)
  if (rejected?.policy === 'table') checkRejectedTable(options, rejected.table, given, findings)
  const tables = isWrong(TABLES) || rejected === undefined ? undefined : tablesOf(options as WriteOptions, rejected)
  // called only where there is no problem, and so no part is missing
  const wholeConfig = (): WriteConfig => ({
    service: service as ServiceConfig,
    tables: tables!,
    rejects: rejects!,
    ...limitsOf(options as WriteOptions),
  })
  return {
    config: findings.problems.length === 0 ? wholeConfig() : undefined,
    service: serviceToTry,
    requestTimeoutMs: requestTimeoutOf(options),
    tables,
    rejects,
    code: 'config.option',
    // sorted by the first names of their paths
    problems: findings.problems
      .toSorted(([[a]], [[b]]) => OPTION_ORDER.indexOf(a as string) - OPTION_ORDER.indexOf(b as string))
      .map(findingText),
    warnings: findings.warnings,
    // the API key may stand in `client_id` by mistake
    secrets: [...secretsIn(given, SECRETS), ...textsOf(given['client_id']).filter((text) => /\D/.test(text))],
  }
}

function requestTimeoutOf({ request_timeout_seconds: given }: Options): number {
  return (given ?? limitShape.request_timeout_seconds.parse(undefined)) * 1_000
}

/** The reading of a file that holds no options of `write`. @param problem what follows "the file of --config" */
function noConfig(problem: string, text: string): WriteReading {
  return {
    config: undefined,
    service: {},
    requestTimeoutMs: requestTimeoutOf({}),
    tables: undefined,
    rejects: undefined,
    code: 'config.malformed',
    problems: [`the file of --config ${problem}`],
    warnings: [],
    secrets: secretsInText(text, SECRETS),
  }
}

/** Whether a file is a catalog, given as the config by mistake. */
function isCatalog({ import_url: url, streams }: Readonly<Record<string, unknown>>): boolean {
  if (url !== undefined || !Array.isArray(streams)) return false
  return streams.some((entry: unknown) => typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'stream'))
}

/** Reads a config of `write`. Throws one ConnectorError (config) that lists every problem.
 *  @param learn called with every secret before that, to mask it in all output */
export function loadWriteConfig(
  text: string,
  learn: (secrets: readonly string[]) => void,
): Pick<WriteReading, 'warnings' | 'secrets'> & { config: WriteConfig } {
  const { config, problems, code, warnings, secrets } = readWriteConfig(text)
  learn(secrets)
  if (config === undefined) {
    // a missing option may be there under a wrong name
    const notes = warnings.map((warning) => ` Note: ${asSentence(warning)}`).join('')
    throw new ConnectorError('config', code, configProblems(problems) + notes)
  }
  return { config, warnings, secrets }
}

/** Words all problems of a config in one message. */
export function configProblems(problems: readonly string[]): string {
  return asSentence(`The configuration cannot be used: ${problems.join('; ')}`)
}

/** Makes the config of a run without a file, with the default of every option. */
export function defaultConfig(): Omit<WriteConfig, 'service'> {
  const options = readTree({}, writeOptions, new Findings()) as WriteOptions
  const rejects = { policy: 'stop', logKeys: false } as const
  return { ...limitsOf(options), tables: tablesOf(options, rejects), rejects }
}

function limitsOf(options: WriteOptions): Pick<WriteConfig, 'limits' | 'rejectLimits'> {
  return { limits: configOf(picked(options, limitShape)), rejectLimits: configOf(picked(options, rejectLimitShape)) }
}

function tablesOf(options: WriteOptions, rejected: WriteOptions['rejected_records']): TablesConfig {
  return {
    ...configOf(picked(options, tableShape)),
    // a form that was opened and left sends an empty list
    streams: options.streams.map((entry) => configOf(entry.keys?.length === 0 ? { ...entry, keys: undefined } : entry)),
    metadataColumns: [...new Set(options.metadata_columns)],
    rejectedTable: rejected.policy === 'table' ? rejected.table : undefined,
  }
}

/** Refuses a second entry for one stream, and warns of two entries with the same table. */
function checkStreams({ streams = [] }: Options, findings: Findings): void {
  const seen = new Set<string>()
  for (const [index, entry] of streams.entries()) {
    if (entry?.name === undefined) continue
    const { name, namespace } = entry
    const ofNamespace = namespace === undefined ? '' : ` of namespace ${JSON.stringify(namespace)}`
    const key = JSON.stringify([name, namespace])
    if (seen.has(key))
      findings.add(['streams', index], `is a second entry for the stream ${JSON.stringify(name)}${ofNamespace}`)
    seen.add(key)
  }
  const withTable = streams.filter((entry) => entry?.table !== undefined && entry.name !== undefined)
  for (const same of Map.groupBy(withTable, (entry) => entry!.table!.toLowerCase()).values()) {
    const names = same.map((entry) => JSON.stringify(entry!.name)).join(' and ')
    if (same.length > 1)
      findings.warnings.push(
        `the entries of \`streams\` for ${names} name the same table (compared without case), which two streams of one catalog cannot share`,
      )
  }
}

/** Warns of limits that have no effect, but not of the default share, which a form always sends. */
function checkIdleLimits(options: Options, findings: Findings): void {
  const { max_rejected_share: share, streams = [] } = options
  warnOfIdleLimits({ ...options, max_rejected_share: share === DEFAULT_SHARE ? undefined : share }, [], findings)
  for (const [at, entry] of streams.entries()) warnOfIdleLimits(entry, ['streams', at], findings)
}

/** Refuses a stream whose table is that of rejected records. */
function checkRejectedTable({ streams = [] }: Options, table: string, given: unknown, findings: Findings): void {
  const index = streams.findIndex((stream) => stream?.table?.toLowerCase() === table.toLowerCase())
  if (index < 0) return
  const option = pathText(placeInOlder(['rejected_records', 'table'], given))
  findings.add(
    ['streams', index, 'table'],
    `is that of rejected records (compared without case): choose another, or another \`${option}\``,
  )
}
