// What tests of a group member share: events that go nowhere, a partition as it was assigned, and a batch as kafkajs hands it on.

import type { KafkaMessage } from 'kafkajs'
import type { MemberEvents } from '../../types.ts'
import type { AssignedPartition } from '../membership.ts'
import type { KafkajsBatch } from '../stand-ins.ts'

/** @param own those that the test is about; the others do nothing */
export function memberEvents(own: Partial<MemberEvents> = {}): MemberEvents {
  const none = (): void => undefined
  return { assigned: none, revoked: async () => undefined, lost: none, batch: none, failed: none, log: none, ...own }
}

export function assignedPartition(of: Partial<AssignedPartition>): AssignedPartition {
  const state = { isHeld: false, heldAt: 0, isGone: false, isAnew: false }
  return { topic: 't', partition: 0, next: 0n, high: 0n, topicId: undefined, ...state, ...of }
}

/** @param fetchedOffset that was asked for */
export function kafkajsBatch(
  partition: number,
  fetchedOffset: string,
  messages: readonly KafkaMessage[],
): KafkajsBatch {
  const last = messages.at(-1)!.offset
  const rest = { isEmpty: () => false, firstOffset: () => last, offsetLag: () => '0', offsetLagLow: () => '0' }
  const place = { topic: 't', partition, highWatermark: '100', fetchedOffset }
  return { ...place, messages: [...messages], lastOffset: () => last, ...rest }
}
