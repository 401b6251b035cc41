import { expect, it } from 'vitest'
import type { GroupState } from '../client/describe-group.ts'
import { groupFinding } from './check-group.ts'

const group = (over: Partial<GroupState>, members = 0): GroupState => ({
  state: members > 0 ? 'Stable' : 'Empty',
  protocolType: 'consumer',
  protocol: members > 0 ? 'RoundRobinAssigner' : '',
  members: Array.from({ length: members }, (_, index) => ({ clientId: `c${index}`, host: `/10.0.0.${index}` })),
  ...over,
})

it('is fine when it is empty, unknown, or one of ours', () => {
  expect(groupFinding('g', group({}), true)).toEqual({
    level: 'ok',
    text: 'Group g has no members now, and has committed offsets of these topics.',
  })
  expect(groupFinding('g', group({ state: 'Dead', protocolType: '' }), false).text).toMatch(
    /and has no committed offsets/,
  )
  const full = groupFinding('g', group({}, 7), true)
  expect(full.level).toBe('ok')
  expect(full.text).toMatch(
    /^Group g has 7 members \(c0 at 10\.0\.0\.0, .*c4 at 10\.0\.0\.4 and 2 more\) now \(Stable\)/,
  )
  // in the middle of a rebalance nothing is known of how partitions are shared
  expect(groupFinding('g', group({ state: 'PreparingRebalance', protocol: '' }, 1), true).level).toBe('ok')
})

it('is in the way when others use it in another manner', () => {
  const connect = groupFinding('g', group({ protocolType: 'connect', protocol: 'default' }, 1), undefined)
  expect(connect).toMatchObject({
    level: 'FAIL',
    text: expect.stringMatching(/1 member .*kind "connect".*kafka\.group/),
  })
  const range = groupFinding('g', group({ protocol: 'range' }, 2), true)
  expect(range).toMatchObject({ level: 'FAIL', text: expect.stringMatching(/2 members .*"range"/) })
  expect(groupFinding('g', group({ protocolType: 'connect' }), true).level).toBe('warn')
})

it("cuts names, which are others' own", () => {
  const long = group({ members: [{ clientId: 'x'.repeat(5000), host: '' }] }, 1)
  expect(groupFinding('g', long, true).text.length).toBeLessThan(300)
})
