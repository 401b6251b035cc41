// Upserts as clients send them.

export interface Target {
  readonly table: string
  readonly sandbox?: boolean
  readonly client?: number
  readonly key?: string
}

/** @returns the status, or 'reset' when there was no answer */
export async function push(url: string, target: Target, points: readonly object[] | string): Promise<number | 'reset'> {
  const { table, sandbox = false, client = 7, key = 'demo-key' } = target
  const path = `${sandbox ? '/sandbox' : ''}/v2/client/${client}/table/${table}/data?apikey=${key}`
  const body = typeof points === 'string' ? points : JSON.stringify(points)
  return fetch(url + path, { method: 'POST', body }).then(
    async (answer) => {
      await answer.text()
      return answer.status
    },
    () => 'reset' as const,
  )
}

/** `count` rows of an ordinary table, a hundred at a time. */
export async function pushOrders(url: string, count: number): Promise<void> {
  const items = ['desk', 'lamp', 'chair', 'shelf', 'armchair']
  const points = Array.from({ length: count }, (_, id) => ({
    keys: ['id'],
    id: id + 1,
    item: items[id % items.length],
    price: Math.round(id * 1234.5) / 100,
    customer: { id: id % 17, city: 'Turin' },
    paid: id % 3 === 0,
    note: id % 4 === 0 ? null : 'with care',
  }))
  for (let from = 0; from < count; from += 100) await push(url, { table: 'orders' }, points.slice(from, from + 100))
}
