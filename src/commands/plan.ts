// `plan`: what a catalog would become, before any data moves. Connects to nothing. A file that cannot be used is one problem of the plan
// and does not hide what the other one has.

import { parseCatalog } from '../airbyte/catalog.ts'
import { configProblems, defaultConfig, readWriteConfig, type WriteReading } from '../config/write/write-load.ts'
import { readFileText } from '../config/read-file.ts'
import type { Coded } from '../core/codes.ts'
import { asConnectorError } from '../core/errors.ts'
import { singleLine } from '../json/strings.ts'
import type { Ended, Io } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import type { Scrubber } from '../secrets/scrubber.ts'
import { scrubbed } from '../telemetry/summary/summary-scrub.ts'
import { asSentence } from '../text/printable.ts'
import { planOf, type Plan } from './plan-outcome.ts'
import { planText } from './plan-text.ts'

export interface PlanOptions {
  readonly catalogFile: string
  /** `undefined` when every option has its default. */
  readonly configFile: string | undefined
  readonly json: boolean
}

/** Prints a plan. @returns 1 exactly when `write` would refuse, given at least one record a stream; else 0 */
export async function plan(
  options: PlanOptions,
  io: Pick<Io, 'stdout' | 'columns' | 'scrubber' | 'env' | 'isDumb'>,
): Promise<Ended> {
  // scrubbed before it is laid out, because that breaks lines and cuts words
  const result = scrubbed(await makePlan(options, io.scrubber), io.scrubber.scrub)
  const paint = paintFor(io, io.columns !== undefined)
  const text = options.json ? `${singleLine(result)}\n` : planText(result, io.columns ?? Infinity, paint)
  // a reader that takes only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  return result.problems.length + result.refused.length > 0 ? 1 : 0
}

async function makePlan({ catalogFile, configFile }: PlanOptions, scrubber: Scrubber): Promise<Plan> {
  const problems: Coded[] = []
  // `undefined` when the reading failed, which is then a problem
  const attempt = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      const { code = 'program.fault', message } = asConnectorError(error)
      problems.push({ code, text: message })
      return undefined
    }
  }
  const config = configFile === undefined ? defaults() : await attempt(() => readSettings(configFile, scrubber))
  const catalog = await attempt(async () => parseCatalog(await readFileText(catalogFile, '--catalog')))
  if (config && config.problems.length > 0) problems.push({ code: config.code, text: configProblems(config.problems) })
  const warnings = (config?.warnings ?? []).map((warning) => `in the configuration: ${asSentence(warning)}`)
  return catalog && config?.tables
    ? planOf(catalog, config.tables, problems, warnings)
    : planOf([], defaultConfig().tables, problems, warnings)
}

type Settings = Pick<WriteReading, 'tables' | 'problems' | 'code' | 'warnings'>

function defaults(): Settings {
  // with no problem, the code stands for nothing
  return { tables: defaultConfig().tables, problems: [], code: 'config.option', warnings: [] }
}

async function readSettings(file: string, scrubber: Scrubber): Promise<Settings> {
  const config = readWriteConfig(await readFileText(file, '--config'))
  scrubber.learn(config.secrets)
  return config
}
