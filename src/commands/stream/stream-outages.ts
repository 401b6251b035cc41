// Everybody a stream asks over the network, and whether they have stopped answering.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Clock } from '../../core/types.ts'
import type { Log } from '../../telemetry/log.ts'
import type { OutageWatch } from '../../telemetry/outage-watch.ts'
import { lookForOutages, registryOutage, serviceOutage } from '../outages.ts'
import type { TellOutage } from '../outages.ts'
import { BrokerOutages } from './broker-outages.ts'

/** Disposing of it ends the looking. */
export interface StreamOutages extends Disposable {
  readonly service: OutageWatch
  /** There if a topic needs it. */
  readonly registry: OutageWatch | undefined
  readonly brokers: BrokerOutages
}

/** Looks at them from now on. */
export function streamOutages(config: StreamConfig, log: Log, clock: Pick<Clock, 'now' | 'wait'>): StreamOutages {
  const { limits, stallDeadlineMs, service, registry, kafka } = config
  const tell: TellOutage = ({ level, message, fields }) => void log(level === 'WARN' ? 'warn' : 'info', message, fields)
  const all = {
    service: serviceOutage(service.baseUrl, { ...limits, stallDeadlineMs }, tell, clock),
    registry: registry && registryOutage(registry.url, { stallDeadlineMs }, tell, clock),
    brokers: new BrokerOutages({ brokerDeadlineMs: kafka.brokerDeadlineMs, clock, tell }),
  }
  const watches = [all.service, all.brokers, ...(all.registry ? [all.registry] : [])]
  const over = new AbortController()
  void lookForOutages(watches, clock, over.signal)
  return { ...all, [Symbol.dispose]: () => over.abort() }
}
