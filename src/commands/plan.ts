// `plan`: what a catalog would become, before any data moves. Connects to nothing.

import { configProblems, defaultTables, readWriteConfig } from '../config/load.ts'
import { readFileText } from '../config/read-file.ts'
import type { TablesConfig } from '../config/write-config.ts'
import { asConnectorError } from '../core/as-connector-error.ts'
import { parseCatalog } from '../airbyte/catalog.ts'
import type { Catalog } from '../airbyte/catalog.ts'
import type { Scrubber } from '../secrets/scrubber.ts'
import { asSentence } from '../text/as-sentence.ts'
import type { Ended, Io } from '../process/io.ts'
import { planOf } from './plan-of.ts'
import type { Plan } from './plan-of.ts'
import { planText } from './plan-text.ts'

export interface PlanOptions {
  readonly catalogFile: string
  /** Without: the options nobody needs to touch. */
  readonly configFile: string | undefined
  readonly json: boolean
}

/** @returns 1 exactly when `write` would refuse, given at least one record a stream; else 0 */
export async function plan(options: PlanOptions, io: Pick<Io, 'stdout' | 'columns' | 'scrubber'>): Promise<Ended> {
  // before it is laid out, which breaks lines and cuts words
  const made = scrubbed(await makePlan(options, io.scrubber), io.scrubber)
  const text = options.json ? `${JSON.stringify(made)}\n` : planText(made, io.columns ?? Infinity)
  // who reads only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  return made.problems.length + made.refused.length > 0 ? 1 : 0
}

/** Every text in it. */
function scrubbed(plan: Plan, { scrub }: Scrubber): Plan {
  return JSON.parse(JSON.stringify(plan), (_name, value: unknown) =>
    typeof value === 'string' ? scrub(value) : value,
  ) as Plan
}

async function makePlan({ catalogFile, configFile }: PlanOptions, scrubber: Scrubber): Promise<Plan> {
  const problems: string[] = []
  const attempt = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      problems.push(asConnectorError(error).message)
      return undefined
    }
  }
  const chosen = await attempt(() => choicesOf(configFile, scrubber))
  const catalog = await attempt(async (): Promise<Catalog> =>
    parseCatalog(await readFileText(catalogFile, '--catalog')),
  )
  if (chosen?.problem !== undefined) problems.push(chosen.problem)
  const warnings = chosen?.warnings ?? []
  const made =
    catalog && chosen?.tables
      ? planOf(catalog, chosen.tables, warnings)
      : { streams: [], refused: [], problems: [], warnings }
  return { ...made, problems }
}

interface Choices {
  /** Known also when something else of the file is wrong. */
  readonly tables: TablesConfig | undefined
  readonly problem: string | undefined
  readonly warnings: readonly string[]
}

async function choicesOf(file: string | undefined, scrubber: Scrubber): Promise<Choices> {
  if (file === undefined) return { tables: defaultTables(), problem: undefined, warnings: [] }
  const { tables, problems, warnings, secrets } = readWriteConfig(await readFileText(file, '--config'))
  scrubber.learn(secrets)
  const problem = problems.length === 0 ? undefined : configProblems(problems)
  return {
    tables,
    problem,
    warnings: warnings.map((warning) => `in the configuration: ${asSentence(warning)}`),
  }
}
