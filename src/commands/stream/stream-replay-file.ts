// `stream --from-dead-letters` with a file of them: read to where it ended when the run began, no broker asked.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import { deliver } from '../../core/deliver.ts'
import { Tally } from '../../core/tally.ts'
import type { KafkaOrigin } from '../../kafka/source/kafka-origin.ts'
import { ReplayFileSource } from '../../kafka/source/replay-file-source.ts'
import { openReplayFile } from '../../kafka/source/replay-file.ts'
import { StreamTopics } from '../../kafka/source/stream-topics.ts'
import type { MappedTopic } from '../../kafka/source/stream-topics.ts'
import { topicShared } from '../../kafka/topics/topic-mapper.ts'
import { eventLoopTurn, systemClock, HASH_SEED } from '../../process/system-clock.ts'
import { createTransport } from '../../service/import/transport.ts'
import type { Log } from '../../telemetry/log.ts'
import type { RunReport } from '../../telemetry/report/report.ts'
import { WatchedTransport } from '../../telemetry/watched-transport.ts'
import { permitsOf, streamLimits } from '../delivery-limits.ts'
import { reportOfStream } from './report-of-stream.ts'
import { replayRows } from './stream-facts-of.ts'
import { tellReplayed, openPolicy, sayToLog } from './stream-parts.ts'
import type { StreamRoutes } from './stream-parts.ts'

/** A checkpoint is of all letters. */
const topicOf = (): undefined => undefined

/** @throws ConnectorError: letters before it are replayed */
export async function replayFile(
  config: StreamConfig,
  { service, schemas, outages }: StreamRoutes,
  log: Log,
  report: RunReport,
  signal: AbortSignal,
): Promise<'complete' | 'stopped'> {
  const path = config.rejects.file!
  await using file = await openReplayFile(path, sayToLog(log))
  const kafka = { ...config.kafka, watch: outages.brokers }
  await using policy = await openPolicy({ ...config, kafka }, service, log, signal)
  await using client = createTransport(service)
  const transport = new WatchedTransport({
    transport: client,
    clock: systemClock,
    outage: outages.service,
    isMember: () => true,
  })
  const shared = topicShared(config.tablePrefix, undefined, config.limits.maxBytes)
  const topics = new StreamTopics(config.topics, shared, (message, level) => {
    if (level === 'WARN') void log('warn', service.scrub(message))
  })
  const { keepsRecords, rejects } = policy
  const topic = (name: string): MappedTopic => topics.find(name)
  const source = new ReplayFileSource({
    file,
    space: shared.space,
    keepsRecords,
    topic,
    schemas,
    clock: systemClock,
    turn: eventLoopTurn,
  })
  const permits = permitsOf(config.limits)
  const limits = streamLimits(config.limits)
  const tally = new Tally()
  await report.begin<bigint, KafkaOrigin>(
    reportOfStream(config, { permits, rows: () => replayRows(topics, tally, source.counts) }, topicOf),
  )
  const parts = { source, transport, permits, rejects, clock: systemClock, limits, tally, hashSeed: HASH_SEED }
  const ended = await report.follow(deliver(report.watch(parts), signal))
  await tellReplayed(log, JSON.stringify(path), source.counts)
  return ended
}
