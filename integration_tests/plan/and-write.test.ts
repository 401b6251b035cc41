// `plan` says what `write` will do: over generated catalogs and configs it fails exactly when `write`, given a record a
// stream, is refused, and says that a run without records passes exactly when it does.

import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { workFolder, type Message, type WorkFolder } from '../connector.ts'
import { planOfFiles, written } from '../in-process.ts'
import { cases, catalogOf, configOf, recordFor, type Case, type CaseStream } from './cases.ts'

/** Side by side, for most of a run is waiting. */
const AT_ONCE = 10

let service: LocalService
let work: WorkFolder
let files = 0
beforeAll(async () => {
  service = await startLocalService()
  work = await workFolder()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await work[Symbol.asyncDispose]()
})

/** What became of a case, to see that none is left out. */
type Became = 'begins' | 'refused' | 'refused with records'

async function agree(given: Case): Promise<Became> {
  const number = files++
  const catalog = await work.file(`catalog-${number}`, catalogOf(given))
  const where = { import_url: service.url, client_id: 7, api_key: 'demo-key', retry_for_seconds: 0 }
  const config = await work.file(`config-${number}`, configOf(given, where))
  const { code, plan } = await planOfFiles(catalog, config)
  const records = (of: readonly CaseStream[]): string => of.map((each) => recordFor(each, given)).join('')
  const [full, empty] = await Promise.all([
    written(catalog, config, records(given.streams)),
    written(catalog, config, ''),
  ])
  expect({ all: code }).toEqual({ all: full.code })
  if (full.code !== 0) expect(faultOf(full.messages)).toBe('config_error')
  const clears = plan.problems.length === 0 && plan.refused.every((each) => each.only_with_records)
  expect({ none: clears }).toEqual({ none: empty.code === 0 })
  if (code === 0) return 'begins'
  expect(plan.problems.length + plan.refused.length).toBeGreaterThan(0)
  if (!clears) return 'refused'
  const named = new Set(plan.refused.map((each) => JSON.stringify([each.namespace, each.stream])))
  const others = given.streams.filter((each) => !named.has(JSON.stringify([each.namespace || null, each.name])))
  expect({ others: (await written(catalog, config, records(others))).code }).toEqual({ others: 0 })
  return 'refused with records'
}

function faultOf(messages: readonly Message[]): string {
  return (messages.at(-1)!['trace'] as { error: { failure_type: string } }).error.failure_type
}

const property = (became: Became[]): fc.IAsyncProperty<[Case[]]> =>
  fc.asyncProperty(fc.array(cases, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
    const told = async (given: Case): Promise<Became> => {
      try {
        return await agree(given)
      } catch (cause) {
        throw new Error(`plan and write differ on ${JSON.stringify(given)}`, { cause })
      }
    }
    became.push(...(await Promise.all(batch.map(told))))
  })

describe('plan and write agree', () => {
  it('over 500 catalogs, of every kind', async () => {
    const became: Became[] = []
    await fc.assert(property(became), { numRuns: 500 / AT_ONCE, seed: 20_261_121, endOnFailure: false })
    const count = (kind: Became): number => became.filter((each) => each === kind).length
    expect(became).toHaveLength(500)
    for (const kind of ['begins', 'refused', 'refused with records'] as const) expect(count(kind)).toBeGreaterThan(50)
  })

  it('over others each time', async () => {
    await fc.assert(property([]), { numRuns: 5 })
  })
})
