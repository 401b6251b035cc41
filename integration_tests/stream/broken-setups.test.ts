// Broken set-ups of Kafka (spec/broken-setups/kafka.yaml), each played with the real process on a real broker.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { readArea, type BrokenSetup } from '../../spec/broken-setups/read-cases.ts'
import { judged } from '../broken-setups/judge.ts'
import { isSecured, kafkaPlaces, type Brokers } from '../broken-setups/kafka-places.ts'
import { played, told } from '../broken-setups/play.ts'
import { describeKafka, describeOwnKafka } from '../kafka/available.ts'
import type { Broker } from '../kafka/broker.ts'
import { KafkaClient } from '../kafka/client.ts'
import { startSecureBroker } from '../kafka/secure-broker.ts'

const { good, cases } = readArea('kafka')

async function judge(setup: BrokenSetup, brokers: Brokers): Promise<void> {
  await played(setup, kafkaPlaces(brokers, setup), async (played) => {
    const wrong = await judged(setup, played)
    expect(wrong, `${told(played, setup.says.at).message}\n---\n${played.stdout}${played.stderr}`).toEqual([])
  })
}

describeKafka('kafka', (bootstrap) => {
  let client: KafkaClient
  beforeAll(async () => {
    client = await KafkaClient.connect(bootstrap)
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
  })

  it.concurrent('what its cases break is whole', async () => {
    await played(good, kafkaPlaces({ bootstrap, client }, good), async ({ code, stdout, stderr }) => {
      expect(code, stdout + stderr).toBe(good.exit)
    })
  })

  it.concurrent.each(cases.filter((setup) => !isSecured(setup)))('$name', async (setup) => {
    await judge(setup, { bootstrap, client })
  })
})

describeOwnKafka('kafka, secured', (startBroker) => {
  let secured: Broker
  let client: KafkaClient
  beforeAll(async () => {
    secured = await startSecureBroker(startBroker)
    client = await KafkaClient.connect(secured.bootstrap)
  })
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await secured?.[Symbol.asyncDispose]()
  })

  it.concurrent.each(cases.filter(isSecured))('$name', async (setup) => {
    await judge(setup, { bootstrap: secured.bootstrap, client, secured })
  })
})
