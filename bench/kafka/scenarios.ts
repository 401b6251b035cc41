// What is measured on a broker and what is demanded of it, as a table. Knows no numbers but the bars'.

export type Program = 'ordinary' | 'unrouted' | 'ours'

/** A rate of ours, or how often it holds that of the program beside it. */
export interface RateBar {
  readonly of: 'rate' | 'times'
  readonly atLeast: number
}

/** How often our requests hold those of the program beside it. */
interface RequestsBar {
  readonly of: 'requests'
  readonly atMost: number
}

export interface KafkaScenario {
  readonly name: string
  readonly partitions: number
  /** Processes in the group. */
  readonly members: number
  readonly latencyMs: number
  /** What ours is measured beside: the ordinary consumer, or ours without the route to several tables that it has then. */
  readonly beside: Exclude<Program, 'ours'>
  /** Of ours beside `unrouted`. */
  readonly tables?: number
  /** Messages in the topic of each: fewer for one that would take minutes. */
  readonly messages: Readonly<Record<'beside' | 'ours', number>>
  readonly bars: readonly (RateBar | RequestsBar)[]
}

const FULL = 500_000
const SAMPLE = 20_000
const SLOW = { latencyMs: 50, beside: 'ordinary', messages: { beside: SAMPLE, ours: FULL } } as const
const INSTANT = { latencyMs: 0, beside: 'ordinary', messages: { beside: FULL, ours: FULL } } as const
const ROUTED = {
  partitions: 3,
  members: 1,
  latencyMs: 50,
  beside: 'unrouted',
  messages: { beside: FULL, ours: FULL },
} as const

export const KAFKA_SCENARIOS: readonly KafkaScenario[] = [
  { name: '50ms-one-partition', partitions: 1, members: 1, ...SLOW, bars: [{ of: 'times', atLeast: 10 }] },
  { name: '50ms-1-member', partitions: 6, members: 1, ...SLOW, bars: [] },
  { name: '50ms-3-members', partitions: 6, members: 3, ...SLOW, bars: [] },
  { name: '50ms-6-members', partitions: 6, members: 6, ...SLOW, bars: [] },
  {
    name: 'instant-1-member',
    partitions: 3,
    members: 1,
    ...INSTANT,
    bars: [
      { of: 'rate', atLeast: 100_000 },
      { of: 'times', atLeast: 2 },
    ],
  },
  { name: 'instant-3-members', partitions: 3, members: 3, ...INSTANT, bars: [] },
  {
    name: 'instant-8-tables',
    partitions: 3,
    members: 1,
    ...INSTANT,
    beside: 'unrouted',
    tables: 8,
    bars: [{ of: 'times', atLeast: 0.9 }],
  },
  { name: '50ms-8-tables', ...ROUTED, tables: 8, bars: [] },
  { name: '50ms-64-tables', ...ROUTED, tables: 64, bars: [{ of: 'requests', atMost: 2 }] },
  { name: '50ms-200-tables', ...ROUTED, tables: 200, bars: [] },
]
