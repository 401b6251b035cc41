// The ordinary consumer, as most people would write it: kafkajs as it comes, a hundred messages a request, one request after
// another. The bench compares with it. Plain JavaScript, since ours is measured as plain JavaScript too. No retries of its
// own, and numbers pass through doubles.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import kafkajs from 'kafkajs'

const options = { config: { type: 'string' } }
const { values } = parseArgs({ allowPositionals: true, options })
const { import_url, client_id, kafka, topics } = JSON.parse(readFileSync(values.config, 'utf8'))
const [{ topic, table, keys }] = topics
const url = `${import_url}/v2/client/${client_id}/table/${table}/data?apikey=${process.env.API_KEY}`

async function send(messages) {
  const points = messages.map(({ value }) => ({ keys, ...JSON.parse(value.toString()) }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(points) })
  if (!response.ok) throw new Error(`${table}: ${response.status} ${await response.text()}`)
  await response.json()
}

const client = new kafkajs.Kafka({ brokers: kafka.brokers, clientId: 'ordinary' })
const consumer = client.consumer({ groupId: kafka.group })
await consumer.connect()
await consumer.subscribe({ topics: [topic], fromBeginning: true })
// what was sent is committed; kafkajs would take five seconds to leave the group
process.once('SIGTERM', () => process.exit())
await consumer.run({
  // kafkajs commits after each batch
  eachBatchAutoResolve: false,
  async eachBatch(payload) {
    const { messages } = payload.batch
    for (let from = 0; from < messages.length && payload.isRunning() && !payload.isStale(); from += 100) {
      const some = messages.slice(from, from + 100)
      await send(some)
      payload.resolveOffset(some.at(-1).offset)
      await payload.heartbeat()
    }
  },
})
