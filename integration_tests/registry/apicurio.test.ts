// The schema registry that tests get: it forgets its schemas when it stops, keeps its port, and says why it cannot start.

import { expect, it } from 'vitest'
import { describeApicurio } from './available.ts'

const SCHEMA = { schema: '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}' }

await describeApicurio('the schema registry of tests', (_, startApicurio) => {
  it('gives back what was registered, and forgets it when it stops', async () => {
    await using registry = await startApicurio()
    const { port, url } = registry
    const money = 'syntax = "proto3"; package a; message Money { int64 units = 1; }'
    const price = 'syntax = "proto3"; import "common/money.proto"; message Price { a.Money money = 1; }'
    expect(await registry.register('common/money.proto', { schema: money, schemaType: 'PROTOBUF' })).toBe(1)
    const references = [{ name: 'common/money.proto', subject: 'common/money.proto', version: 1 }]
    const id = await registry.register('prices-value', { schema: price, schemaType: 'PROTOBUF', references })
    const got = await (await fetch(`${url}/schemas/ids/${id}`)).json()
    expect(got).toEqual({ schemaType: 'PROTOBUF', schema: price, references })
    await expect(registry.register('orders-value', { schema: '{"type":"nothing"}' })).rejects.toThrow(
      'orders-value: 422',
    )

    await registry.stop()
    expect(registry.isRunning).toBe(false)
    await expect(fetch(`${url}/subjects`)).rejects.toThrow('fetch failed')
    await registry.start()
    expect(registry.port).toBe(port)
    expect(await (await fetch(`${url}/subjects`)).json()).toEqual([])
    expect(await registry.register('orders-value', SCHEMA)).toBe(1)
    await expect(startApicurio({ port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is not free.`)
  })
})
