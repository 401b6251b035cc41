// The second picture: the table that `write` draws while the service is down. `npm run picture` makes it again.

import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { write } from '../../src/commands/write.ts'
import { workFolder } from '../connector.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { record, state, stream } from '../write/driver.ts'
import { TakeableService } from '../write/takeable-service.ts'
import { ROOT } from './readme-commands.ts'
import { COLOURS, TERMINAL_COLUMNS, terminalPicture } from './terminal-picture.ts'

/** Where it is kept. */
export const OUTAGE_PICTURE = new URL('docs/outage.svg', ROOT)

const STREAMS = ['orders', 'customers', 'events']
const RECORDS = 120_000
/** Requests before the service goes away. */
const ANSWERED = 250
const COMMAND =
  '$ destination-analytics-service write --config config.json --catalog catalog.json < in.jsonl > back.jsonl'

/** Up some lines, clear what is below, or a line. */
// oxlint-disable-next-line no-control-regex -- they are what moves the cursor
const DRAWN = /\r\u001b\[(\d+)A|\u001b\[J|([^\n]*)\u001b\[K\n/g

/** @returns the lines of the terminal after some seconds of outage */
export async function outageScreen(): Promise<string[]> {
  await using work = await workFolder()
  await using service = await TakeableService.open()
  const config = { import_url: service.url, client_id: 7, api_key: 'demo-key' }
  const configFile = await work.file('config.json', config)
  const catalogFile = await work.file('catalog.json', { streams: STREAMS.map((name) => stream(name)) })
  const input = createReadStream(await work.file('in.jsonl', messages()))
  const stop = new AbortController()
  const [out, err] = [new Said(), new Said()]
  const io = {
    ...ioOf(input, out, err),
    errorSize: () => ({ columns: TERMINAL_COLUMNS + 1, rows: 24 }),
    signal: stop.signal,
    stopAsked: stop.signal,
  }
  const run = write({ configFile, catalogFile }, io)
  while (service.arrived.length < ANSWERED) await sleep(1)
  await service.turn('refused')
  let screen: string[] = []
  while (!screen.some((line) => /down for (?:[5-9]|\d\d) s/.test(line))) {
    await sleep(100)
    screen = screenOf(await err.text())
  }
  stop.abort()
  await run
  return screen
}

export function outagePictureOf(screen: readonly string[]): string {
  return terminalPicture('What write shows while the service is down', [COMMAND, '', ...screen], colourOf)
}

/** What a terminal shows that was sent this: lines that are drawn over others take their place. */
function screenOf(sent: string): string[] {
  const lines: string[] = []
  let row = 0
  for (const [, up, line] of sent.matchAll(DRAWN)) {
    if (up !== undefined) row -= Number(up)
    else if (line !== undefined) lines[row++] = stripVTControlCharacters(line)
    else lines.length = row
  }
  return lines
}

function messages(): string {
  const lines = Array.from({ length: RECORDS }, (_, at) => {
    const name = STREAMS[at % 7 === 0 ? 1 : at % 3 === 0 ? 2 : 0]!
    const line = record(`{"id":${at},"item":"desk","price":${at % 1000}}`, name)
    return at % 5000 === 4999 ? `${line}\n${state(`{"id":${at}}`, name)}` : line
  })
  return `${lines.join('\n')}\n`
}

function colourOf(line: string): string {
  if (line.startsWith('$') || line.startsWith('Stream ')) return COLOURS.faint
  if (/^\d\d:\d\d:\d\dZ warn|down for/.test(line)) return COLOURS.warn
  return COLOURS.plain
}
