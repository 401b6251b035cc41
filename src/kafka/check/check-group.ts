// Whether the consumer group can be joined as it is now, in words for the user. Knows no client.

import type { GroupState } from '../client/describe-group.ts'
import { counted } from '../../text/figures.ts'
import type { CheckFinding } from './check-finding.ts'
import { fail, ok, warn } from './check-finding.ts'

/** How our members share partitions, as the group's protocol calls it. */
const OURS = 'RoundRobinAssigner'
const CONSUMERS = 'consumer'
const SHOWN = 5
const SHOWN_NAME = 60

/** @param hasCommitted undefined: not known */
export function groupFinding(group: string, state: GroupState, hasCommitted: boolean | undefined): CheckFinding {
  const { protocolType, protocol, members } = state
  const isOther = protocolType !== '' && protocolType !== CONSUMERS
  if (members.length === 0) {
    if (isOther)
      return warn(
        `Group ${group} has no members now, but was one of the kind "${protocolType}": its offsets may mean something else. Choose another kafka.group unless that is meant.`,
      )
    if (hasCommitted === undefined) return ok(`Group ${group} has no members now.`)
    return ok(
      `Group ${group} has no members now, and has ${hasCommitted ? '' : 'no '}committed offsets of these topics.`,
    )
  }
  const who = `${counted(members.length, 'member')} (${listed(members)})`
  if (isOther)
    return fail(
      `Group ${group} is in use by ${who} of the kind "${protocolType}" and not by consumers. Choose another kafka.group.`,
    )
  if (protocol !== '' && protocol !== OURS)
    return fail(
      `Group ${group} is in use by ${who} of another program, which share partitions by "${protocol}" and not by "${OURS}". Stop them, or choose another kafka.group.`,
    )
  return ok(`Group ${group} has ${who} now (${state.state}): a further one takes its share of the partitions.`)
}

function listed(members: GroupState['members']): string {
  const names = members
    .slice(0, SHOWN)
    .map(({ clientId, host }) => `${cut(clientId)} at ${cut(host.replace(/^\//, ''))}`)
  return members.length > SHOWN ? `${names.join(', ')} and ${members.length - SHOWN} more` : names.join(', ')
}

/** Names are others' own. */
function cut(name: string): string {
  return name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name
}
