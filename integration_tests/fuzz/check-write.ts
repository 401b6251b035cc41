// The second layer: whole inputs through `write` in this process, into a local service of its own. What comes before a bad
// line arrives byte for byte, nothing of it does, and the error names it.

import { isDeepStrictEqual } from 'node:util'
import { write } from '../../src/commands/write.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import type { LocalService } from '../../src/local-service/start.ts'
import { workFolder } from '../connector.ts'
import type { Message, WorkFolder } from '../connector.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { ReusedChunks } from '../in-process.ts'
import type { Case } from './case.ts'
import { Difference } from './check-reader.ts'
import { expectedWrite } from './expected-write.ts'
import type { ExpectedWrite } from './expected-write.ts'
import { CANARY } from './generate.ts'
import { CATALOG } from './world.ts'

/** What a service keeps of so many runs is little. */
const RUNS_OF_A_SERVICE = 500
const REJECTED = 'rejected'
const SUPERSEDED = /(?<=Count":\d+\.0),"additionalStats":\{"supersededRecordCount":[1-9]\d*\.0\}(?=\})/g

/** Runs `write` again and again. */
export class WriteRuns implements AsyncDisposable {
  readonly #work: WorkFolder
  readonly #catalogFile: string
  #service: LocalService | undefined
  #runs = 0

  private constructor(work: WorkFolder, catalogFile: string) {
    this.#work = work
    this.#catalogFile = catalogFile
  }

  static async open(): Promise<WriteRuns> {
    const work = await workFolder()
    return new WriteRuns(work, await work.file('catalog.json', CATALOG))
  }

  /** @throws Difference; whatever else is thrown is a defect too */
  async check(one: Case): Promise<void> {
    const service = await this.#serviceOfRun()
    const prefix = `run_${this.#runs}_`
    const onRejected = one.input.length % 2 === 0 ? 'fail' : 'divert'
    const configFile = await this.#work.file('config.json', {
      import_url: service.url,
      client_id: 7,
      api_key: 'demo-key',
      table_prefix: prefix,
      retry_for_seconds: 1,
      on_rejected: onRejected,
      rejected_table: `${prefix}${REJECTED}`,
    })
    const said = new Said()
    const code = await write(
      { configFile, catalogFile: this.#catalogFile },
      ioOf(new ReusedChunks(one.input, one.chunk), said, said),
    )
    const expected = expectedWrite(one.input, onRejected)
    checkOutput(code, await said.text(), expected)
    checkTables(service, prefix, expected)
    checkRejected(service.rows(`${prefix}${REJECTED}`), expected)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    await this.#work[Symbol.asyncDispose]()
  }

  async #serviceOfRun(): Promise<LocalService> {
    if (this.#runs++ % RUNS_OF_A_SERVICE === 0) {
      await this.#service?.[Symbol.asyncDispose]()
      this.#service = await startLocalService()
    }
    return this.#service!
  }
}

interface TraceMessage {
  readonly error?: { readonly message: string; readonly failure_type: string }
}

function checkOutput(code: number | 'stopped', said: string, { states, error }: ExpectedWrite): void {
  const lines = Buffer.from(said).toString('latin1').split('\n')
  if (lines.pop() !== '') throw new Difference('its last line has no end')
  const messages = lines.map((line) => JSON.parse(line) as Message)
  const found = lines.filter((_, index) => messages[index]!.type === 'STATE')
  // how many versions were superseded is a matter of time
  const printed = found.map((line) => `${line.replace(SUPERSEDED, '')}\n`)
  const errors = messages.filter(({ type }) => type === 'TRACE').map(({ trace }) => (trace as TraceMessage).error)
  const end = JSON.stringify(errors)
  if (code !== (error ? 1 : 0)) throw new Difference(`write ends with ${code}: ${end}`)
  if (!isDeepStrictEqual(printed.sort(), states)) throw new Difference(`write prints the states ${printed.join()}`)
  if (errors.length !== (error ? 1 : 0)) throw new Difference(`write says ${end}`)
  if (error === undefined) return
  const { message, failure_type: kind } = errors[0]!
  if (kind !== `${error.kind}_error` || !error.words.every((word) => message.includes(word)))
    throw new Difference(`write stops at line ${error.line} with ${end}`)
  if (message.includes(CANARY) && error.kind !== 'config') throw new Difference(`write quotes the line: ${end}`)
}

function checkTables(service: LocalService, prefix: string, { tables }: ExpectedWrite): void {
  const found = service.tables().filter(({ table }) => table.startsWith(prefix) && table !== `${prefix}${REJECTED}`)
  const names = found.map(({ table }) => table.slice(prefix.length)).sort()
  if (!isDeepStrictEqual(names, [...tables.keys()].sort()))
    throw new Difference(`write makes the tables ${names.join()}`)
  for (const [table, expected] of tables) {
    const rows = service.rows(`${prefix}${table}`).map((row) => Buffer.from(row).toString('latin1'))
    if (isDeepStrictEqual(rows.sort(), expected)) continue
    const wrong = rows.filter((row) => !expected.includes(row))
    const lost = expected.filter((row) => !rows.includes(row))
    throw new Difference(`table ${table} lacks ${shown(lost)}, and holds besides ${shown(wrong)}`)
  }
}

interface RejectedRow {
  readonly line: number
  readonly stream: string
  readonly part: number
  readonly message: string
  readonly message_base64?: string
}

/** Whole messages, put together from their parts. */
function checkRejected(rows: readonly string[], { rejected }: ExpectedWrite): void {
  const messages = new Map<number, { line: number; stream: string; message: string }>()
  const parts = rows.map((row) => JSON.parse(row) as RejectedRow).sort((a, b) => a.line - b.line || a.part - b.part)
  for (const { line, stream, message, message_base64: exact } of parts) {
    const before = messages.get(line)?.message ?? ''
    const bytes = exact === undefined ? Buffer.from(message) : Buffer.from(exact, 'base64')
    messages.set(line, { line, stream, message: before + bytes.toString('latin1') })
  }
  if (!isDeepStrictEqual([...messages.values()], rejected))
    throw new Difference(`write keeps ${messages.size} rejected records, not ${rejected.length}, or other ones`)
}

function shown(rows: readonly string[]): string {
  return JSON.stringify(rows.slice(0, 3).map((row) => row.slice(0, 300)))
}
