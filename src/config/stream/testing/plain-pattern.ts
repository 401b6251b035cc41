// For tests: a pattern of a route, as its config makes it.

import { PlainPattern } from '../plain-pattern.ts'

/** @throws when it is none */
export function plainPattern(text: string): PlainPattern {
  const read = PlainPattern.read(text)
  if ('fault' in read) throw new Error(`${text} is ${read.fault}`)
  return read.pattern
}
