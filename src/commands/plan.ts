// `plan`: what a catalog would become, before any data moves. Connects to nothing.

import { configProblems, defaultTables, readWriteConfig } from '../config/load.ts'
import { readFileText } from '../config/read-file.ts'
import type { TablesConfig } from '../config/write-config.ts'
import { asConnectorError } from '../core/as-connector-error.ts'
import { parseCatalog } from '../protocol/catalog.ts'
import type { Catalog } from '../protocol/catalog.ts'
import { createScrubber } from '../telemetry/scrubber.ts'
import type { Ended, Io } from './io.ts'
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
export async function plan(options: PlanOptions, io: Pick<Io, 'stdout' | 'columns'>): Promise<Ended> {
  const { made, scrub } = await makePlan(options)
  // JSON by its texts, or a key that is a word of its grammar would break it
  const scrubbed = (_name: string, value: unknown): unknown => (typeof value === 'string' ? scrub(value) : value)
  const text = options.json ? `${JSON.stringify(made, scrubbed)}\n` : scrub(planText(made, io.columns ?? Infinity))
  // who reads only the first lines does not change the verdict
  await io.stdout.write(text).catch(() => {})
  return made.problems.length + made.refused.length > 0 ? 1 : 0
}

async function makePlan({ catalogFile, configFile }: PlanOptions): Promise<{ made: Plan; scrub: Scrub }> {
  const problems: string[] = []
  const attempt = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      problems.push(asConnectorError(error).message)
      return undefined
    }
  }
  const chosen = await attempt(() => choicesOf(configFile))
  const catalog = await attempt(async (): Promise<Catalog> =>
    parseCatalog(await readFileText(catalogFile, '--catalog')),
  )
  if (chosen?.problem !== undefined) problems.push(chosen.problem)
  const warnings = chosen?.warnings ?? []
  const made =
    catalog && chosen?.tables
      ? planOf(catalog, chosen.tables, warnings)
      : { streams: [], refused: [], problems: [], warnings }
  return { made: { ...made, problems }, scrub: createScrubber(chosen?.secrets ?? []) }
}

type Scrub = (text: string) => string

interface Choices {
  /** Known also when something else of the file is wrong. */
  readonly tables: TablesConfig | undefined
  readonly problem: string | undefined
  readonly warnings: readonly string[]
  readonly secrets: readonly string[]
}

async function choicesOf(file: string | undefined): Promise<Choices> {
  if (file === undefined) return { tables: defaultTables(), problem: undefined, warnings: [], secrets: [] }
  const { tables, problems, warnings, secrets } = readWriteConfig(await readFileText(file, '--config'))
  const problem = problems.length === 0 ? undefined : configProblems(problems)
  return {
    tables,
    problem,
    warnings: warnings.map((warning) => `in the configuration: ${warning}${warning.endsWith('?') ? '' : '.'}`),
    secrets,
  }
}
