// node spec/sample/produce.mjs HOST:PORT TOPIC < FILE: each line becomes a record, under its "id" as key. Makes the topic, of
// three partitions, if it is not there. For trying `stream` only: it knows no other format.

import { readFileSync } from 'node:fs'
import kafkajs from 'kafkajs'

// kafkajs waits until a time that is over, and Node says so
process.removeAllListeners('warning')

const [broker, topic] = process.argv.slice(2)
const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING })
const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean)
const messages = lines.map((value) => {
  const { id } = JSON.parse(value)
  return { key: id === undefined ? null : String(id), value }
})

const admin = kafka.admin()
await admin.connect()
await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: true })
await admin.disconnect()

const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner })
await producer.connect()
await producer.send({ topic, messages })
await producer.disconnect()
console.log(`${messages.length} records are in the topic ${topic}.`)
