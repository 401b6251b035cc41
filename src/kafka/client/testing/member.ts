// What tests of a group member share: events that go nowhere, and a partition as it was assigned.

import type { MemberEvents } from '../../types.ts'
import type { AssignedPartition } from '../membership.ts'

const none = (): void => undefined

/** @param own those that the test is about; the others do nothing */
export function memberEvents(own: Partial<MemberEvents> = {}): MemberEvents {
  return { assigned: none, revoked: async () => undefined, lost: none, batch: none, failed: none, log: none, ...own }
}

export function assignedPartition(of: Partial<AssignedPartition>): AssignedPartition {
  const state = { isHeld: false, heldAt: 0, awaitsPosition: false, isRecreated: false }
  return { topic: 't', partition: 0, next: 0n, high: 0n, topicId: undefined, ...state, ...of }
}
