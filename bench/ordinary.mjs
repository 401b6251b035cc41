// The ordinary destination, as most people would write it: a line, an object, a request at a time. The bench compares with
// it. Plain JavaScript, since ours is measured as plain JavaScript too. No retries, and numbers pass through doubles.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
// oxlint-disable-next-line no-restricted-imports -- the ordinary way, its faults included
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const options = { config: { type: 'string' }, catalog: { type: 'string' } }
const { values } = parseArgs({ allowPositionals: true, options })
const config = JSON.parse(readFileSync(values.config, 'utf8'))
const catalog = JSON.parse(readFileSync(values.catalog, 'utf8'))
const keysOf = (it) => (it.destination_sync_mode === 'append' ? undefined : it.primary_key.map((path) => path.at(-1)))
const tables = new Map(catalog.streams.map((it) => [it.stream.name, { keys: keysOf(it), points: [] }]))

async function flush(name, table) {
  if (table.points.length === 0) return
  const url = `${config.import_url}/v2/client/${config.client_id}/table/${name}/data?apikey=${config.api_key}`
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(table.points) })
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
  await response.json()
  table.points = []
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'RECORD') {
    const { stream, data } = message.record
    const table = tables.get(stream)
    if (table.keys) table.points.push({ keys: table.keys, ...data })
    else table.points.push({ keys: ['_airbyte_raw_id'], _airbyte_raw_id: randomUUID(), ...data })
    if (table.points.length === 100) await flush(stream, table)
  } else if (message.type === 'STATE') {
    for (const [name, table] of tables) await flush(name, table)
    console.log(JSON.stringify(message))
  }
}
for (const [name, table] of tables) await flush(name, table)
