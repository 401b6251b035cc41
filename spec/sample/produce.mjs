// node spec/sample/produce.mjs HOST:PORT TOPIC < FILE: each line becomes a record with its "id" as the key; a line that has `key` and
// `value` alone becomes a record of these two. Creates the topic, with three partitions, if there is none. For trying `stream` only.

import { readFileSync } from 'node:fs'
import kafkajs from 'kafkajs'

// kafkajs sets timers in the past, and Node warns of it
process.removeAllListeners('warning')

const [broker, topic] = process.argv.slice(2)
const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING })
const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean)
const messages = lines.map((line) => {
  const { id, key, value, ...others } = JSON.parse(line)
  if (id === undefined && key !== undefined && value !== undefined && Object.keys(others).length === 0)
    return { key: JSON.stringify(key), value: value && JSON.stringify(value) }
  return { key: id === undefined ? null : String(id), value: line }
})

/** A request that holds too many is not answered. */
const BATCH = 5000

const admin = kafka.admin()
const problem = await admin.connect().then(
  () => '',
  (error) => `No broker can be reached at ${broker}: ${error.message}`,
)
if (problem === '') await produce()
else {
  console.error(problem)
  process.exitCode = 1
}

async function produce() {
  await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: true })

  // a request that is sent again because its answer was late is stored once
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner, idempotent: true })
  await producer.connect()
  for (let from = 0; from < messages.length; from += BATCH) {
    await producer.send({ topic, messages: messages.slice(from, from + BATCH) })
  }
  await producer.disconnect()

  const offsets = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const count = offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0)
  console.log(count === 1 ? `1 record is in the topic ${topic}.` : `${count} records are in the topic ${topic}.`)
}
