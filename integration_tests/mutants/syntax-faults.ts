// Every small fault of syntax that could be planted in a source, and which of many are drawn. A fault is a slip that a person
// could make and that still parses; whether it still fits the types is not asked.

import { parseAst } from 'rolldown/parseAst'
import type { Random } from '../engine/random.ts'

/** The text from `at` to `end`, in UTF-16 units, becomes `to`. */
export interface SyntaxFault {
  readonly at: number
  readonly end: number
  readonly to: string
}

export interface PlantedFault extends SyntaxFault {
  readonly file: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** @throws when the source does not parse */
export function faultsOf(source: string): SyntaxFault[] {
  const faults: SyntaxFault[] = []
  const spared = new Set<Node>()
  const visit = (node: Node, parent?: Node, holder?: string): void => {
    const isOnlyType = node.type.startsWith('TS') && !IN_PART_A_VALUE.has(node.type)
    const isKey = holder === 'key' && parent?.['computed'] !== true
    const isName = isKey || holder === 'source' || parent?.type === 'TaggedTemplateExpression'
    if (isOnlyType || node.type === 'ImportDeclaration') return
    const last = lastReturn(node)
    if (last !== undefined) spared.add(last)
    if (!isName && !spared.has(node)) faults.push(...slips(node, source))
    for (const [member, value] of Object.entries(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node, member)
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return faults
}

export function withFault(source: string, { at, end, to }: SyntaxFault): string {
  return source.slice(0, at) + to + source.slice(end)
}

/** Each fault at most once, fewer than `count` when there are no more; the same ones for the same seed and sources.
 *  @param sources by file */
export function drawFaults(sources: ReadonlyMap<string, string>, count: number, random: Random): PlantedFault[] {
  const all = [...sources].flatMap(([file, source]) => faultsOf(source).map((fault) => ({ file, fault })))
  const drawn: PlantedFault[] = []
  while (drawn.length < count && all.length > 0) {
    const [{ file, fault }] = all.splice(random.below(all.length), 1) as [(typeof all)[number]]
    if (parses(withFault(sources.get(file)!, fault))) drawn.push({ file, ...fault })
  }
  return drawn
}

/** `LINE`, and the text of that line before and after. */
export function describeFault(source: string, fault: SyntaxFault): string {
  const { at, end } = fault
  const from = source.lastIndexOf('\n', at - 1) + 1
  const behind = source.indexOf('\n', end)
  const rest = behind === -1 ? 0 : source.length - behind
  const short = (text: string): string => {
    const line = text
      .slice(from, text.length - rest)
      .replaceAll(/\s+/g, ' ')
      .trim()
    return line.length <= LONGEST ? line : `${line.slice(0, LONGEST / 2)} … ${line.slice(-LONGEST / 2)}`
  }
  const line = source.slice(0, at).split('\n').length
  return `${line}\n- ${short(source)}\n+ ${short(withFault(source, fault))}`
}

const LONGEST = 130

const IN_PART_A_VALUE = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

const PAIRS = ['< <=', '> >=', '=== !==', '+ -', '* /', '&& ||', '& |', '<< >>', '+= -=', '++ --', 'min max']
const SWAPPED = new Map(
  PAIRS.map((pair) => pair.split(' ') as [string, string]).flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
)

const REMOVED = new Set(['ReturnStatement', 'ThrowStatement', 'BreakStatement', 'ContinueStatement'])
const CONDITIONAL = new Set(['IfStatement', 'ConditionalExpression', 'WhileStatement', 'DoWhileStatement'])

/** The faults of a node itself. */
function slips(node: Node, source: string): SyntaxFault[] {
  const { start, end } = node
  const text = ({ start, end }: Node): string => source.slice(start, end)
  const whole = (to: string): SyntaxFault => ({ at: start, end, to })
  const part = (member: string): Node => node[member] as Node
  const operator = String(node['operator'])
  const swap = (from: number, word = operator): SyntaxFault[] => {
    const [at, to] = [source.indexOf(word, from), SWAPPED.get(word)]
    return to === undefined ? [] : [{ at, end: at + word.length, to }]
  }
  if (CONDITIONAL.has(node.type)) {
    const test = part('test')
    // these have faults that are the same
    if (/^[!=]==$/.test(String(test['operator'])) || test['operator'] === '!') return []
    return [{ at: test.start, end: test.end, to: `!(${text(test)})` }]
  }
  if (REMOVED.has(node.type)) return [whole(';')]
  switch (node.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
      return swap(part('left').end)
    case 'LogicalExpression':
      if (operator !== '??') return swap(part('left').end)
      return [whole(`(${text(part('left'))})`), whole(`(${text(part('right'))})`)]
    case 'UpdateExpression':
      return swap(node['prefix'] === true ? start : part('argument').end)
    case 'UnaryExpression':
    case 'AwaitExpression':
      return [whole(`(${text(part('argument'))})`)]
    case 'MemberExpression':
      return text(part('object')) === 'Math' ? swap(part('object').end, text(part('property'))) : []
    case 'Literal':
      return literals(node).map(whole)
    case 'TemplateLiteral':
      return text(node) === '``' ? [] : [whole("''")]
    case 'ArrayExpression':
      return text(node) === '[]' ? [] : [whole('[]')]
    case 'ExpressionStatement':
      return (node['directive'] ?? null) === null ? [whole(';')] : []
    default:
      return []
  }
}

function literals({ value, raw }: Node): string[] {
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value === 'string') return value === '' ? [] : ["''"]
  const one = typeof value === 'bigint' ? '1n' : '1'
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return isNumber ? ['+', '-'].map((sign) => `(${String(raw)} ${sign} ${one})`) : []
}

/** Without it the function would return nothing at all, which the types find. */
function lastReturn(node: Node): Node | undefined {
  const body = isNode(node['body']) && /Function/.test(node.type) ? node['body']['body'] : undefined
  const last = Array.isArray(body) ? (body as Node[]).at(-1) : undefined
  return last?.type === 'ReturnStatement' ? last : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function parses(source: string): boolean {
  try {
    parseAst(source, { lang: 'ts' })
    return true
  } catch {
    return false
  }
}
