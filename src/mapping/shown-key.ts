// A key for people: the inverse of how key-atom.ts, key-reader.ts and key-shapes.ts spell it. Decides nothing about who may see it.

import { exactOf } from '../core/key.ts'
import type { Key } from '../core/types.ts'
import { beginningOf } from './long-atom.ts'

/** A number's digits without zeros at the end, and how many of them there are. */
const LARGE_INTEGER = /^(-?\d+)e(\d{1,3})$/
/** One field of a composite key: a number and a comma, or a text's length and a colon. */
const FIELD = /(-?\d+)([,:])/y
/** The names of its fields, in front of a key of another shape than its table's first. */
const SHAPE = /^\[(?:"(?:[^"\\]|\\.)*",?)+\]/

/** As JSON values, those of several fields in brackets and in the order of the fields' names; undefined: the key is none. */
export function shownKey(key: Key): string | undefined {
  const whole = exactOf(key)
  const exact = typeof whole === 'string' ? whole.replace(SHAPE, '') : whole
  if (exact === undefined) return undefined
  if (typeof exact === 'number' || !/^-?\d+[,:]/.test(exact)) return shownAtom(exact)
  const fields: string[] = []
  for (let at = 0; at < exact.length;) {
    FIELD.lastIndex = at
    const [whole, number, end] = FIELD.exec(exact) ?? ['', '', '']
    at += whole.length
    if (end === '') return undefined
    if (end === ',') fields.push(number)
    else {
      const to = at + Number(number)
      fields.push(shownAtom(exact.slice(at, to)))
      at = to
    }
  }
  return `(${fields.join(', ')})`
}

function shownAtom(atom: string | number): string {
  if (typeof atom === 'number') return String(atom)
  const beginning = beginningOf(atom)
  if (beginning !== undefined) return JSON.stringify(`${beginning}…`)
  if (atom.startsWith('"')) return JSON.stringify(atom.slice(1))
  if (atom.startsWith('#')) return atom.slice(1)
  const [, digits, zeros] = LARGE_INTEGER.exec(atom) ?? []
  return digits === undefined ? atom : digits + '0'.repeat(Number(zeros))
}
