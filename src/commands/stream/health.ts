// What a stream serves over HTTP: /healthz, /readyz and /metrics.

import type { StreamConfig } from '../../config/stream/stream-config.ts'
import type { Io, Log } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { healthPages } from '../../telemetry/health.ts'
import type { Page } from '../../telemetry/health-server.ts'
import type { RunFacts } from '../../run/run-facts.ts'

/** Until it is disposed of.
 *  @throws ConnectorError config: it cannot listen there */
export async function serveHealth(
  { health, stallDeadlineMs }: Pick<StreamConfig, 'health' | 'stallDeadlineMs'>,
  facts: () => RunFacts,
  log: Log,
  usage: Io['usage'],
): Promise<AsyncDisposable | undefined> {
  if (!health) return undefined
  await using stack = new AsyncDisposableStack()
  const pages = healthPages({ facts, clock: systemClock, stallDeadlineMs })
  const { startHealthServer } = await import('../../telemetry/health-server.ts')
  pages.set('/metrics', stack.use(await metricsPage(facts, usage)).page)
  const server = stack.use(await startHealthServer({ ...health, pages }))
  void log('info', `Health is served on port ${server.port}: ${[...pages.keys()].join(', ')}.`)
  return stack.move()
}

/** Watches the event loop until it is disposed of. */
async function metricsPage(facts: () => RunFacts, usage: Io['usage']): Promise<Disposable & { readonly page: Page }> {
  // what it needs takes a while to load
  const { EventLoopLag } = await import('../../process/system-clock.ts')
  const { streamMetrics } = await import('../../telemetry/metrics.ts')
  const { version } = await import('../../version.ts')
  const own = version()
  const startedAt = performance.timeOrigin / 1000
  const lag = new EventLoopLag(systemClock)
  const page = streamMetrics(() => ({
    ...facts(),
    now: systemClock.now(),
    version: own,
    usage: usage && { ...usage(), startedAt, loopLagSeconds: lag.seconds },
  }))
  return { page, [Symbol.dispose]: () => lag[Symbol.dispose]() }
}
