// For tests: a watch of which only some members matter.

import type { DeliveryWatch } from '../types.ts'

export function watchOf<C>(members: Partial<DeliveryWatch<C>>): DeliveryWatch<C> {
  return { attemptBegan() {}, attemptEnded() {}, committed() {}, readingEnded() {}, ...members }
}
