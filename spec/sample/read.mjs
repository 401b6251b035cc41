// node spec/sample/read.mjs HOST:PORT TOPIC: prints what the topic holds now, a JSON object a record, with its headers. For trying
// `stream` only: it takes everything for text.

import kafkajs from 'kafkajs'

// kafkajs sets timers in the past, and Node warns of it
process.removeAllListeners('warning')

const [broker, topic] = process.argv.slice(2)
const kafka = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING })

const admin = kafka.admin()
const problem = await admin.connect().then(
  () => '',
  (error) => `No broker can be reached at ${broker}: ${error.message}`,
)
if (problem === '') await read()
else {
  console.error(problem)
  process.exitCode = 1
}

async function read() {
  const ends = await admin.fetchTopicOffsets(topic)
  const left = new Set(ends.filter(({ low, high }) => low !== high).map(({ partition }) => partition))

  const groupId = `read-${crypto.randomUUID()}`
  const consumer = kafka.consumer({ groupId })
  let allRead
  const end = new Promise((resolve) => (allRead = resolve))
  if (left.size === 0) allRead()
  else {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      async eachMessage({ partition, message: { key, value, headers, offset } }) {
        const texts = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, String(header)]))
        const record = { key: key && String(key), value: value && String(value), headers: texts }
        if (left.has(partition)) console.log(JSON.stringify(record, null, 2))
        if (BigInt(offset) + 1n >= BigInt(ends.find((end) => end.partition === partition).high)) left.delete(partition)
        if (left.size === 0) allRead()
      },
    })
  }
  await end
  await consumer.disconnect()
  await admin.disconnect()
}
