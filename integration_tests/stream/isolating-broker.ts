// A broker that some of its clients reach by a way of their own, which can be held: cut off from their group, not from the
// service. Knows no client.

import type { Broker, StartBroker } from '../kafka/broker.ts'
import { freePorts } from '../kafka/free-port.ts'
import { TcpProxy } from './tcp-proxy.ts'

export interface IsolatingBroker extends AsyncDisposable {
  readonly broker: Broker
  /** Of those that can be cut off: all their traffic takes the way. */
  readonly bootstrap: string
  readonly way: TcpProxy
}

/** @param signal ends its start */
export async function startIsolatingBroker(startBroker: StartBroker, signal?: AbortSignal): Promise<IsolatingBroker> {
  await using stack = new AsyncDisposableStack()
  let found: Broker | undefined
  const way = stack.use(await TcpProxy.open(() => found!.ports['HELD']!))
  const [port] = await freePorts(1)
  const bootstrap = `127.0.0.1:${way.port}`
  const broker = stack.use(
    await startBroker({
      port: port!,
      ...(signal === undefined ? {} : { signal }),
      listeners: { HELD: 'PLAINTEXT' },
      properties: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},HELD://${bootstrap}` },
    }),
  )
  found = broker
  const all = stack.move()
  return { broker, bootstrap, way, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
