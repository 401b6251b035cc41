
import { run, over, servers, flaky } from './zz-world.ts'
import type { Service } from './zz-world.ts'
import { again, delivered } from '../testing/outcomes.ts'
import { pathToFileURL } from 'node:url'
const { AdaptivePermits } = await import(process.argv[2] ? pathToFileURL(process.argv[2]).href : './limit.ts')
const inf = () => Infinity
const jit = (ms: number) => (w: any) => ms * (0.9 + 0.2 * w.random())
// faults answer after the normal latency
const flakyLate = (p: number, o: any, ms: number): Service => (world, answer) => {
  const bad = world.random() < p
  world.at(world.now + ms * (0.9 + 0.2 * world.random()), () => answer(bad ? o : delivered))
}
const only = process.argv[3]
for (const ms of [5, 50, 200]) {
  const base = over(run(new AdaptivePermits(), flakyLate(0, delivered, ms), 40, 7), 10, 40).perSecond
  for (const [name, o] of [['503', again('server', true)], ['500', again('server', false)]] as const)
    for (const p of [0.003, 0.01, 0.03, 0.1]) {
      if (name === '500' && p !== 0.1) continue
      const rs = [1, 2, 3, 4, 5].map((i) => over(run(new AdaptivePermits(), flakyLate(p, o, ms), 40, i * 7919 + 13), 10, 40).perSecond / base / (1 - p)).sort((a, b) => a - b)
      console.log(ms, name, p, 'base', base.toFixed(0), 'median', rs[2].toFixed(3), 'all', rs.map((r) => r.toFixed(2)).join(' '))
    }
}
