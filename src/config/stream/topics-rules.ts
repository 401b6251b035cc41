// What entries of `topics` say about one another and about the topic of dead letters.

import type { Findings } from '../findings.ts'
import { pathText } from '../findings.ts'
import { sharedTables } from '../shared-tables.ts'
import { wholeNames } from './topic-names.ts'
import type { TopicEntry } from './topic-rules.ts'

export interface AllTopics {
  readonly entries: readonly TopicEntry[]
  readonly prefix: string
  /** undefined: there is none. */
  readonly deadLetterTopic: string | undefined
}

/** @param warnings grows by whole sentences */
export function checkTopicRules(topics: AllTopics, findings: Findings, warnings: string[]): void {
  checkTwice(topics, findings)
  checkTables(topics, findings)
  if (topics.deadLetterTopic !== undefined) checkLoop(topics, topics.deadLetterTopic, findings, warnings)
}

function checkTwice({ entries }: AllTopics, findings: Findings): void {
  for (const option of ['topic', 'pattern'] as const) {
    const first = new Map<string, TopicEntry>()
    for (const entry of entries) {
      const name = entry.options[option]
      if (name === undefined) continue
      const other = first.get(name)
      if (other === undefined) first.set(name, entry)
      else findings.add([...entry.at, option], `stands in \`${pathText(other.at)}\` already`)
    }
  }
}

function checkTables({ entries, prefix }: AllTopics, findings: Findings): void {
  const named = new Map(
    entries.flatMap((entry) => (entry.options.topic === undefined ? [] : [[entry.options.topic, entry] as const])),
  )
  const tables = Array.from(named, ([topic, { options }]) => ({
    topic,
    table: options.table,
    sharedTable: options.shared_table !== false,
  }))
  for (const { topics, problem } of sharedTables(tables, prefix)) {
    const last = named.get(topics.at(-1)!)!
    findings.add([...last.at, 'table'], `is not its own: ${problem}`)
  }
}

/** Its own dead letters would come back for ever. */
function checkLoop({ entries }: AllTopics, letters: string, findings: Findings, warnings: string[]): void {
  for (const { at, options } of entries) {
    if (options.topic === letters)
      findings.add([...at, 'topic'], 'is the topic of `dead_letters`, whose records would come back for ever')
    if (options.pattern !== undefined && wholeNames(options.pattern, []).test(letters))
      warnings.push(
        `\`${pathText([...at, 'pattern'])}\` matches the topic of \`dead_letters\`, which is left out of it`,
      )
  }
}
