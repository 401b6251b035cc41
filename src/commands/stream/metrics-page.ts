// /metrics of a stream, from its facts and those of its process. A list of constructors.

import type { Clock } from '../../core/types.ts'
import { EventLoopLag } from '../../process/event-loop.ts'
import type { Io } from '../../process/io.ts'
import type { Page } from '../../telemetry/health-server.ts'
import type { StreamFacts } from '../../telemetry/run-facts.ts'
import { streamMetrics } from '../../telemetry/metrics.ts'

export interface MetricsPageParts {
  /** As of now. */
  readonly facts: () => StreamFacts
  /** The one the facts are told by. */
  readonly clock: Pick<Clock, 'now'>
  readonly usage: Io['usage']
}

/** Watches the event loop until it is disposed. */
export interface MetricsPage extends Disposable {
  readonly page: Page
}

export async function metricsPage({ facts, clock, usage }: MetricsPageParts): Promise<MetricsPage> {
  const { version } = await import('../../version.ts')
  const own = await version()
  const startedAt = performance.timeOrigin / 1000
  const lag = new EventLoopLag(clock)
  const page = streamMetrics(() => ({
    stream: facts(),
    now: clock.now(),
    version: own,
    usage: usage && { ...usage(), startedAt, loopLagSeconds: lag.seconds },
  }))
  return { page, [Symbol.dispose]: () => lag[Symbol.dispose]() }
}
