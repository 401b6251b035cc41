// What a group's run is made of: names of its own, topics, a receiver behind a way, a watcher, a producer. Decides nothing
// of what happens.

import { workFolder, type WorkFolder } from '../connector.ts'
import { Random } from '../engine/random.ts'
import { KafkaClient } from '../kafka/client.ts'
import { Children } from '../soak/children.ts'
import { Producer } from './producer.ts'
import { Receiver } from './receiver.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { Watcher } from './watcher.ts'
import { PARTITIONS, Workload } from './workload.ts'

export interface GroupRunOptions {
  readonly bootstrap: string
  /** A member that reaches the broker by a way of its own. */
  readonly isolated?: { readonly member: number; readonly bootstrap: string; readonly way: TcpProxy }
  /** In front of the names of topics and group. */
  readonly name: string
  /** Records to be produced at least; it goes on as long as things happen. */
  readonly records: number
  readonly recordsPerSecond: number
  /** Whether the topic is routed to a table for each kind of row. */
  readonly isRouted?: boolean
  /** Options of `stream` beside those the run itself gives. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly kafka?: Readonly<Record<string, unknown>>
  /** Of a request; in ordinary times without it. */
  readonly delayMs?: { readonly from: number; readonly to: number }
  readonly seed: number
  readonly say?: (what: string) => void
  /** Ends it at once. */
  readonly signal?: AbortSignal
}

export interface GroupParts {
  readonly options: GroupRunOptions
  readonly topic: string
  readonly letters: string
  readonly group: string
  readonly client: KafkaClient
  readonly receiver: Receiver
  readonly proxy: TcpProxy
  readonly work: WorkFolder
  readonly children: Children
  readonly workload: Workload
  readonly watcher: Watcher
  readonly producer: Producer
}

/** Of a request. */
const DELAY_MS = { from: 3, to: 40 }

/** The topics are there, and nobody reads or writes them yet. @param stack gets all that must be disposed of */
export async function openParts(options: GroupRunOptions, stack: AsyncDisposableStack): Promise<GroupParts> {
  const { bootstrap, name, seed, records, recordsPerSecond, isRouted = false } = options
  const [topic, letters, group] = [`${name}-events`, `${name}-letters`, `${name}-group`]
  const client = stack.use(await KafkaClient.connect(bootstrap, {}, true))
  await client.createTopic(topic, PARTITIONS)
  await client.createTopic(letters)
  const chance = new Random(seed)
  const { from, to } = options.delayMs ?? DELAY_MS
  const receiver = stack.use(await Receiver.open({ delayMs: () => chance.between(from, to), isRouted }))
  const proxy = stack.use(await TcpProxy.open(() => receiver.port))
  const work = stack.use(await workFolder())
  const children = stack.use(new Children(options.signal))
  const workload = new Workload(seed)
  const watcher = stack.use(new Watcher(client, group, topic))
  const producer = stack.use(new Producer(client, workload, { topic, records, recordsPerSecond }))
  return { options, topic, letters, group, client, receiver, proxy, work, children, workload, watcher, producer }
}
