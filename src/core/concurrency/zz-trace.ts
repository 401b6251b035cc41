import { run, servers, flaky, bucket, bySecond } from './zz-world.ts'
import { again, delivered } from '../testing/outcomes.ts'
import { AdaptivePermits } from './limit.ts'
import { Faults } from './faults.ts'
import { LearntRate } from './rate.ts'
const inf = () => Infinity
const kinds: any = {
  p30: () => flaky(0.3, again('server', true), servers(inf, () => 50)),
  L4: () => inflight(4), L16: () => inflight(16), L40: () => inflight(40),
  b200: () => bucket(200, servers(inf, () => 50), 1000),
}
function inflight(most: number): any {
  let n = 0
  return (world: any, answer: any) => {
    if (n === most) return world.at(world.now + 1, () => answer(again('server', true)))
    n++
    world.at(world.now + 50, () => { n--; answer(delivered) })
  }
}
const orig = Faults.prototype.count
Faults.prototype.count = function (this: any, isFault: boolean, started: number, now: number, ...rest: any) {
  const before = this.perSecond
  const r = (orig as any).call(this, isFault, started, now, ...rest)
  if (r !== undefined && r !== 'refused') console.log(now, 'finding', r, 'rate', rest[0])
  return r
} as any
const cut = LearntRate.prototype.cut
LearntRate.prototype.cut = function (this: any, ...a: any) { const b = this.perSecond; (cut as any).apply(this, a); b !== this.perSecond && console.log(a[1], 'cut', b, this.perSecond) } as any
const counts = run(new AdaptivePermits(), kinds[process.argv[2]!](), Number(process.argv[3] ?? 20), Number(process.argv[4] ?? 13))
console.log(counts.map((c) => `${c.delivered}/${c.refused}`).join(' '))
