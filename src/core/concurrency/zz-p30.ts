import { run, servers, flaky } from './zz-world.ts'
import { again } from '../testing/outcomes.ts'
import { AdaptivePermits } from './limit.ts'
const counts = run(new AdaptivePermits(), flaky(0.3, again('server', true), servers(() => Infinity, () => 50)), 60, Number(process.argv[2]))
console.log(counts.map((c) => `${c.delivered}/${c.refused}`).join(' '))
