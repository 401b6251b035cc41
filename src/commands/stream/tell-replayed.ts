// What is said when dead letters were replayed.

import type { Log } from '../../telemetry/log.ts'

/** @param place where they are, for people */
export async function tellReplayed(
  log: Log,
  place: string,
  { written, rejected }: { readonly written: number; readonly rejected: number },
): Promise<void> {
  const message = `Dead letters of ${place} replayed: ${written} stored, ${rejected} kept as dead letters again.`
  await log('info', message, { stored: written, rejected })
}
