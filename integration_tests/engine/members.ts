// Members of a source: its functions and constants by name, those of classes as `Class.member`.

import { parseAst } from 'rolldown/parseAst'

/** Where it stands, in UTF-16 units. */
export interface Member {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface Named {
  readonly type: string
  readonly name: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: Named
  readonly key?: Named
  readonly declaration?: Node | null
  readonly declarations?: readonly Node[]
  readonly body?: { readonly body: readonly Node[] }
}

/** @throws when the source does not parse */
export function membersOf(source: string): Member[] {
  return (parseAst(source, { lang: 'ts' }).body as unknown as readonly Node[]).flatMap(membersIn)
}

function membersIn(node: Node): Member[] {
  if (node.declaration) return membersIn(node.declaration)
  if (node.declarations) return node.declarations.flatMap((one) => memberOf(one, one.id))
  if (node.type === 'FunctionDeclaration') return memberOf(node, node.id)
  if (node.type !== 'ClassDeclaration') return []
  return node.body!.body.flatMap((one) => memberOf(one, one.key, `${node.id!.name}.`))
}

function memberOf({ start, end }: Node, named: Named | undefined, before = ''): Member[] {
  if (named === undefined) return []
  return [{ name: `${before}${named.type === 'PrivateIdentifier' ? '#' : ''}${named.name}`, start, end }]
}
