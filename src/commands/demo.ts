// `demo`: a client onboarded, then a whole sync, against a local service in this process. Shows what the other commands do,
// adds nothing to them.

import { createReadStream } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Writable } from 'node:stream'
import { packageFile } from '../files/package-file.ts'
import { startLocalService, type LocalService } from '../local-service/start.ts'
import type { Ended, Io } from '../process/io.ts'
import { Output } from '../process/output.ts'
import { PROGRAM } from '../process/start-command.ts'
import { wrap } from '../text/printable.ts'
import { textTable } from '../text/text-table.ts'
import { check } from './check.ts'
import { onboard } from './onboard/onboard.ts'
import { write } from './write.ts'

/** The path from src/commands and dist/commands alike. */
const SPEC = '../../spec'
/** Jobs of the local service take a moment, as those of the real one take minutes. */
const SHORT_JOBS = Object.fromEntries(
  ['signup', 'connection', 'connectionTest', 'dashboards'].map((kind) => [kind, { durationMs: 300 }]),
)
/** Most columns of the table of what arrived. */
const WIDEST = 100
/** No answers, because no earlier run asked a question. */
const NO_CHOICES = { adopt: {}, notCreated: [] }
/** The login that the local service knows for trying out; the sample names these variables. */
const LOGIN = {
  ONBOARD_PASSWORD: 'demo-password',
  ONBOARD_CLIENT_SECRET: 'demo-secret',
  STORE_DB_PASSWORD: 'demo-store',
}
/** Each thing to do, and the arguments that do it. */
const NEXT = [
  ['a local service that stays', 'serve'],
  ['a config to provision a client with', 'onboard --example'],
  ['what is missing, if anything', 'check --config FILE'],
  ['rows out of messages', 'write --config FILE --catalog FILE < MESSAGES'],
] as const

/** Runs the demo. @returns 0 when the sync arrived; else what the failing step ended with */
export async function demo(io: Io): Promise<Ended> {
  const say = (text: string): Promise<void> => io.stdout.write(`${text}\n`)
  await using service = await startLocalService({ onboarding: { plans: SHORT_JOBS } })
  await using folder = await mkdtempDisposable(join(tmpdir(), 'analytics-demo-'))
  await say(`1. A local Analytics Service listens at ${service.url}\n`)

  await say('2. onboard provisions a client:\n')
  const onboardFile = join(folder.path, 'onboard.yaml')
  const resultFile = join(folder.path, 'result.json')
  await writeFile(onboardFile, onboardConfig(service.url))
  const files = { configFile: onboardFile, journalFile: undefined, outputFile: resultFile }
  const provisioned = await onboard(
    { ...files, json: false, dryRun: false, choices: NO_CHOICES },
    { ...io, env: { ...io.env, ...LOGIN } },
  )
  if (provisioned !== 0) return provisioned
  const { client_id: clientId } = JSON.parse(await readFile(resultFile, 'utf8')) as { client_id: number }

  const configFile = join(folder.path, 'config.json')
  const key = service.onboarding.makeImportKey(clientId)
  await writeFile(configFile, JSON.stringify({ import_url: service.url, client_id: clientId, api_key: key }))
  await say(`\n3. An import key of client ${clientId} is made, and a config for the connector with it.\n`)

  const checked = withOutputKept(io)
  await check({ configFile }, checked.io)
  await say(`4. check says: ${(await checked.lines()).join('')}`)

  const [catalogFile, messages] = [join(folder.path, 'catalog.json'), join(folder.path, 'messages.jsonl')]
  for (const file of [catalogFile, messages]) {
    await writeFile(file, packageFile(`${SPEC}/captures/faker/${basename(file)}`, import.meta.url))
  }
  const written = withOutputKept(io, () => Promise.resolve(createReadStream(messages)))
  const started = performance.now()
  const ended = await write({ configFile, catalogFile }, written.io)
  const lines = await written.lines()
  if (ended !== 0) {
    await io.stderr.write(lines.slice(-1).join(''))
    return ended
  }
  const states = lines.filter((line) => line.startsWith('{"type":"STATE"'))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const delivered = `5. write delivered a captured sync in ${seconds} s and gave back ${states.length} STATE lines, the last one:`
  await say(wrap(delivered, io.columns ?? Infinity, '   '))
  await say(`   ${states.at(-1)?.trim()}\n`)

  await say(`6. What arrived:\n\n${arrivedTable(service, clientId, io.columns)}\n`)
  await say(nextSteps(io.command))
  return 0
}

/** The sample's config, for a local service that is elsewhere. */
function onboardConfig(url: string): string {
  const sample = packageFile(`${SPEC}/sample/onboard.yaml`, import.meta.url).toString()
  return sample.replaceAll(/(?<=^(?:base|dashboard)_url: ).*$/gm, url)
}

function nextSteps(command = PROGRAM): string {
  const lines = NEXT.map(([what, args]) => `  ${what}:\n    ${command} ${args}`)
  return [
    'Next, try it yourself:',
    ...lines,
    'Service, rows and files are gone. The README goes through it step by step.',
  ].join('\n')
}

function arrivedTable(service: LocalService, clientId: number, columns = WIDEST): string {
  const rows = service
    .tables()
    .map(({ table: name, rows: count }) => [name, String(count), lowestRow(service.rows(name, clientId))])
  return textTable(['table', 'rows', 'first row'], rows, Math.min(columns, WIDEST))
}

/** Returns the row with the lowest id: which one arrives first differs from run to run, for requests go out together. */
function lowestRow(rows: readonly string[]): string {
  const [row = ''] = rows.toSorted((one, other) => idOf(one) - idOf(other))
  return row.replaceAll(/\s+/g, ' ')
}

function idOf(row: string): number {
  return (JSON.parse(row) as { id: number }).id
}

/** Makes of an Io one whose standard output is kept as lines instead of printed. */
function withOutputKept(
  { argv, env, stderr, scrubber, signal, ...io }: Io,
  openInput = () => io.openInput(),
): { readonly io: Io; readonly lines: () => Promise<readonly string[]> } {
  const chunks: Buffer[] = []
  const write = (chunk: Buffer, _encoding: unknown, done: () => void): void => {
    chunks.push(chunk)
    done()
  }
  const stdout = new Output(new Writable({ write }))
  return {
    io: { argv, env, openInput, stdout, stderr, scrubber, isTty: false, columns: undefined, signal },
    async lines() {
      await stdout.flush()
      return Buffer.concat(chunks)
        .toString()
        .split(/(?<=\n)/)
    },
  }
}
