// What one program did in one scenario, as the table shows it and the bars judge it.

export interface Row {
  readonly scenario: string
  readonly name: string
  readonly program: 'ours' | 'ordinary'
  readonly records: number
  /** Bytes of the messages read. */
  readonly bytes: number
  /** Medians of the timed rounds, from here on. Wall time of the whole process, start-up included. */
  readonly seconds: number
  /** User and system time of the program alone. */
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  readonly requests: number
  /** CPU seconds of the server's thread per second of wall time. */
  readonly serverBusy: number
}
