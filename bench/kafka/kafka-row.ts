// What one program did in one scenario on a broker, as the table shows it and the bars judge it.

import type { Program } from './scenarios.ts'

export interface KafkaRow {
  readonly scenario: string
  readonly program: Program
  readonly members: number
  readonly messages: number
  /** Medians of the timed rounds, from here on. Messages a second: from the start of the first process to the last point,
   *  and from the first point to the last. */
  readonly rate: number
  readonly steadyRate: number
  /** From the start of the first process to the last point. */
  readonly seconds: number
  /** User and system time of all members, their start and end included. */
  readonly cpuSeconds: number
  /** Of the largest member. */
  readonly peakRssBytes: number
  readonly requests: number
  /** Points beyond the topic's messages: what a rebalance let be delivered again. */
  readonly again: number
  /** CPU seconds of the server's thread per second of wall time. */
  readonly serverBusy: number
}
