// Warns of a prefix of tables that was hardly meant as it is.

import type { Findings } from './findings.ts'

export function checkPrefix(
  { table_prefix: prefix = '' }: { readonly table_prefix?: string | undefined },
  findings: Findings,
): void {
  if (!/^\s|\s$|\$\{/.test(prefix)) return
  const table = JSON.stringify(`${prefix.replaceAll(/[^A-Za-z0-9_]/gu, '_').slice(0, 40)}orders`)
  const isVariable = prefix.includes('${')
  const why = isVariable
    ? 'a ${…} is no variable here: write what it stands for'
    : 'white space becomes _: remove the space'
  findings.warn(['table_prefix'], `makes names of tables such as ${table}, for ${why}`)
}
