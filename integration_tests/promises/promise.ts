// Plays the script of a promise at each door that promises.ts names for it. The doors of Kafka need a broker.

import { describe } from 'vitest'
import { describeKafka } from '../kafka/available.ts'
import { airbyteDoor } from './airbyte-door.ts'
import type { Door } from './door.ts'
import { kafkaDoor, replayDoor } from './kafka-doors.ts'
import { PROMISES, type Promised, type PromiseName } from './promises.ts'

/** @param define the script */
export function promise(name: PromiseName, define: (door: Door) => void): void {
  const { words, except, elsewhere }: Promised = PROMISES[name]
  const others = { ...except, ...elsewhere }
  describe(words, () => {
    if (others.Airbyte === undefined) describe('Airbyte', () => define(airbyteDoor))
    if (others.Kafka === undefined) describeKafka('Kafka', (bootstrap) => define(kafkaDoor(bootstrap)))
    if (others.Replay === undefined) describeKafka('Replay', (bootstrap) => define(replayDoor(bootstrap)))
  })
}
