// Where broken set-ups of Kafka find brokers, topics and groups: a topic a case with the case's records in it.

import type { BrokenSetup } from '../../spec/broken-setups/read-cases.ts'
import { uniqueName } from '../kafka/available.ts'
import type { Broker } from '../kafka/broker.ts'
import type { KafkaClient, NewRecord } from '../kafka/client.ts'
import type { Find } from './places.ts'

export interface Brokers {
  /** Of the broker that `{{broker}}` names. */
  readonly bootstrap: string
  readonly client: KafkaClient
  /** The one of `{{broker LISTENER}}`. */
  readonly secured?: Broker
}

/** For one case: each name it asks for is its own. */
export function kafkaPlaces({ bootstrap, client, secured }: Brokers, { records }: Pick<BrokenSetup, 'records'>): Find {
  return (place) => {
    if (place === 'broker') return bootstrap
    if (place === 'group') return uniqueName('group')
    if (place === 'topic') return filledTopic(client, records as unknown as readonly NewRecord[])
    const [, listener] = /^broker ([A-Z]+)$/.exec(place) ?? []
    return listener === undefined ? undefined : secured?.address(listener)
  }
}

/** Whether it needs a broker that is secured. */
export function isSecured(setup: object): boolean {
  return JSON.stringify(setup).includes('{{broker ')
}

async function filledTopic(client: KafkaClient, records: readonly NewRecord[]): Promise<string> {
  const topic = uniqueName('orders')
  await client.createTopic(topic)
  await client.produce(topic, records)
  return topic
}
