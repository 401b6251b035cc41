// What a soak of a group goes through, with the options nobody touches: everything that happens to groups, one after
// another; or a long absence of the service.

import { GroupRun } from './group-run.ts'
import type { GroupRunOptions } from './group-parts.ts'
import type { IsolatingBroker } from './isolating-broker.ts'
import type { RunVerdict } from './judge.ts'

export type RoundOptions = Omit<GroupRunOptions, 'bootstrap' | 'isolated'>

/** Longer than the session timeout, which is 30 s. */
const ASLEEP_MS = 40_000
const CUT_MS = 60_000

/** 1 → 3 → 2 → 3 members; one is killed, one sleeps, the broker restarts, the service is cut off. */
export async function playRound(cluster: IsolatingBroker, options: RoundOptions): Promise<RunVerdict> {
  const { broker, bootstrap, way } = cluster
  const isolated = { member: 3, bootstrap, way }
  await using run = await GroupRun.open({ ...options, bootstrap: broker.bootstrap, isolated })
  await run.start(1)
  await run.settled()
  await run.join(2, 3)
  await run.settled()
  await run.stop(2)
  await run.settled()
  await run.join(4)
  await run.settled()
  await run.kill(4)
  await run.settled()
  await run.sleep(3, ASLEEP_MS)
  await run.settled()
  options.say?.('the broker restarts')
  await broker.restart()
  await run.settled()
  await run.cut(CUT_MS)
  await run.progressed()
  return await run.finish()
}

/** The service is away; the group stays as it is. */
export async function playOutage(cluster: IsolatingBroker, options: RoundOptions, ms: number): Promise<RunVerdict> {
  await using run = await GroupRun.open({ ...options, bootstrap: cluster.broker.bootstrap })
  await run.start(1, 2)
  await run.settled()
  const before = await run.generation()
  await run.cut(ms)
  await run.settled()
  const after = await run.generation()
  const verdict = await run.finish()
  if (before === after) return verdict
  return { ...verdict, faults: [...verdict.faults, `the group's generation was ${before} and is ${after}`] }
}
