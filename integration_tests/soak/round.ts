// One round: a workload is written in as many runs as it takes, each but the last ended early, each next one going on from
// the last states that were printed. Then tables and rejects are compared with the model.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { WorkFolder } from '../connector.ts'
import type { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import { checkRun } from './check-run.ts'
import type { Children } from './children.ts'
import type { Figures } from './figures.ts'
import { Model } from './model.ts'
import { Pass } from './pass.ts'
import { forked } from './seeded.ts'
import type { ServiceProcess } from './service-process.ts'
import { LATEST_MS } from './weather.ts'
import type { SoakStream, Workload } from './workload.ts'
import { runWrite, type Ending } from './write-run.ts'

export interface RoundParts {
  readonly name: string
  readonly workload: Workload
  readonly random: Random
  readonly children: Children
  readonly service: ServiceProcess
  readonly work: WorkFolder
  readonly figures: Figures
  /** Runs that are ended early, at most. */
  readonly endings: number
}

/** Tables that were compared, with their rows. */
export type Compared = ReadonlyMap<string, readonly string[]>

/** @returns what differs, or the tables */
export async function playRound(parts: RoundParts): Promise<string | Compared> {
  const { name, workload, figures } = parts
  const round = new Round(parts)
  figures.rounds++
  for (let number = 0; !round.complete; number++) {
    const fault = await round.run(number)
    if (fault !== undefined) return `${name}, run ${number + 1}: ${fault}`
  }
  const wrong = await round.rejectsFault()
  if (wrong !== undefined) return `${name}: ${wrong}`
  const compared = new Map<string, readonly string[]>()
  for (const stream of workload.streams) {
    const rows = await parts.service.rows(stream.table)
    const fault = round.model.tableFault(stream, rows)
    if (fault !== undefined) return `${name}: ${fault}`
    figures.rows += rows.length
    compared.set(stream.table, rows)
  }
  return compared
}

class Round {
  readonly model: Model
  complete = false
  readonly #parts: RoundParts
  readonly #files: Promise<string[]>
  readonly #rejectedFile: string
  readonly #positions: Map<SoakStream, number>

  constructor(parts: RoundParts) {
    const { workload, work, name, service } = parts
    this.#parts = parts
    this.model = new Model(workload)
    this.#positions = new Map(workload.streams.map((stream) => [stream, 0]))
    this.#rejectedFile = join(work.path, `${name}-rejected.jsonl`)
    const rejects = workload.diverts === 'file' ? { on_rejected: 'divert', rejected_file: this.#rejectedFile } : {}
    const where = { import_url: service.url, client_id: 7, api_key: 'demo-key' }
    this.#files = Promise.all([
      work.file(`${name}-config.json`, { ...where, ...workload.config, ...rejects }),
      work.file(`${name}-catalog.json`, workload.catalog),
    ])
  }

  /** @returns what is wrong */
  async run(number: number): Promise<string | undefined> {
    const { workload, random, children, service, figures, endings } = this.#parts
    const [config, catalog] = await this.#files
    const [inPass, inFeed, inRefusals] = [forked(random), forked(random), forked(random)]
    const onRecord = (stream: SoakStream, index: number, line: string): void => this.model.sent(stream, index, line)
    const pass = new Pass(workload, this.#positions, number, inPass, this.model.poison, onRecord)
    const args = ['write', '--config', config!, '--catalog', catalog!]
    const ending = number < endings ? endingOf(random) : undefined
    const over = new AbortController()
    const [end] = await Promise.all([
      runWrite(children, args, pass, workload.pace, inFeed, ending).finally(() => over.abort()),
      this.#refuse(inRefusals, over.signal),
    ])
    const checked = checkRun(end, pass, ending !== undefined, workload.refused)
    if (typeof checked === 'string') return checked
    for (const { positions } of checked.states)
      for (const [stream, at] of positions) this.#positions.set(stream, Math.max(at, this.#positions.get(stream)!))
    this.complete = checked.complete
    figures.runs++
    figures.records += pass.records
    figures.states += checked.states.length
    if (checked.gaveUp) figures.givenUp++
    else if (end.code === null) figures.kills++
    else if (end.code === 143) figures.terms++
    if (number > 0 && [...this.#positions.values()].some((at) => at > 0)) figures.resumes++
    // what a dead process had sent must not land on top of what the next one sends
    await service.quiet(LATEST_MS)
    return undefined
  }

  /** Until the signal: requests of some tables are refused, whatever is in them. */
  async #refuse(random: Random, signal: AbortSignal): Promise<void> {
    const { workload, service, figures } = this.#parts
    const tables = [...workload.refused].map(({ table }) => table)
    while (tables.length > 0 && !signal.aborted) {
      const answer = { status: 400, body: { code: 400, message: 'refused', reasons: ['for no reason'] } }
      await service.ask('POST', '/_local/faults', { table: oneOf(random, tables), next: 1, answer })
      figures.scheduled++
      await wait(300 + random.below(1_000), undefined, { signal }).catch(() => {})
    }
  }

  async rejectsFault(): Promise<string | undefined> {
    const { workload, service, figures } = this.#parts
    if (workload.diverts === 'no') return undefined
    const lines =
      workload.diverts === 'table' ? messagesOf(await service.rows(workload.rejectedTable)) : await this.#kept()
    figures.rejected += lines.length
    return this.model.rejectsFault(lines)
  }

  /** Lines of the file without what was added to them; those a killed process left half-written are none. */
  async #kept(): Promise<string[]> {
    const text = await readFile(this.#rejectedFile, 'latin1').catch(() => '')
    return text
      .split('\n')
      .flatMap((line) => /^(.*),"rejection":\{"stream":.*\}\}$/.exec(line)?.[1] ?? [])
      .map((line) => `${line}}`)
  }
}

/** The messages in a table of rejected records, put together from their parts. Of a message that its source never sends
 *  again so, a process may have been killed between two of them. */
function messagesOf(rows: readonly string[]): string[] {
  const parts = new Map<string, (string | undefined)[]>()
  for (const row of rows) {
    const { _airbyte_raw_id: id, part, parts: count, message } = JSON.parse(row) as Rejected
    const known = parts.get(id) ?? Array.from({ length: count }, () => undefined)
    known[part - 1] = message
    parts.set(id, known)
  }
  return [...parts.values()].filter((known) => !known.includes(undefined)).map((known) => known.join(''))
}

interface Rejected {
  readonly _airbyte_raw_id: string
  readonly part: number
  readonly parts: number
  readonly message: string
}

function endingOf(random: Random): Ending {
  const signal = random.below(5) === 0 ? 'SIGTERM' : 'SIGKILL'
  // from before it has said anything to after many states
  return random.below(3) === 0
    ? { signal, states: 0, ms: random.below(1_500) }
    : { signal, states: 1 + random.below(1 + random.below(60)), ms: random.below(1 + random.below(600)) }
}
