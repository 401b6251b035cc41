// A whole value, or a row's bytes, in a dialog: JSON as it came or indented, what is very long only when it is asked for.

import { byId, copy, element, onClick, say, show } from './dom.js'
import { count } from './format.js'

/** Characters that are shown at first. */
const MAX_SHOWN = 50_000
/** Browsers take seconds to lay out a very long line: it is put there in pieces, laid out when they are seen. */
const PIECE = 5000
/** Characters of JSON that are indented. */
const MAX_PRETTY = 2_000_000
/** Beyond it nothing is indented further. */
const MAX_DEPTH = 50

let raw = ''
/** The same, indented; undefined: it is no JSON, or too much. @type {string | undefined} */
let indented
let isPretty = true
let note = ''

/**
 * @param {string} title
 * @param {string} text
 * @param {{ download?: string, file?: string, note?: string }} [more] `download`: where its bytes are
 */
export function showValue(title, text, { download, file = 'value', note: said = '' } = {}) {
  raw = text
  indented = isStructure(text) ? pretty(text) : undefined
  note = said
  say('value-title', title)
  show('value-forms', indented !== undefined)
  const link = byId('value-download', HTMLAnchorElement)
  link.hidden = download === undefined
  link.href = download ?? '#'
  link.download = file
  const dialog = byId('value', HTMLDialogElement)
  if (!dialog.open) dialog.showModal()
  showForm(isPretty)
}

export function startValue() {
  const dialog = byId('value', HTMLDialogElement)
  onClick('value-close', () => dialog.close())
  onClick('value-pretty', () => showForm(true))
  onClick('value-raw', () => showForm(false))
  onClick('value-all', () => {
    fill(shown())
    say('value-note', `${count(shown().length)} characters.`)
    show('value-all', false)
    byId('value-text', HTMLElement).focus()
  })
  onClick('value-copy', async () => say('value-note', (await copy(shown())) ? 'Copied.' : 'It cannot be copied here.'))
  dialog.addEventListener('close', () => {
    raw = ''
    indented = undefined
    fill('')
  })
}

/** @param {boolean} wanted */
function showForm(wanted) {
  isPretty = wanted
  byId('value-pretty', HTMLElement).setAttribute('aria-pressed', String(isPretty))
  byId('value-raw', HTMLElement).setAttribute('aria-pressed', String(!isPretty))
  const text = shown()
  const isCut = text.length > MAX_SHOWN
  fill(isCut ? text.slice(0, MAX_SHOWN).toWellFormed() : text)
  const shownOf = isCut ? `The first ${count(MAX_SHOWN)} of ${count(text.length)} characters.` : ''
  say('value-note', [note, shownOf].filter((it) => it !== '').join(' '))
  show('value-all', isCut)
  byId('value-text', HTMLElement).scrollTop = 0
}

function shown() {
  return (isPretty ? indented : undefined) ?? raw
}

/** @param {string} text */
function isStructure(text) {
  if (text.length > MAX_PRETTY || !/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * JSON with its white space changed and nothing else: every digit and escape stays as it came.
 * @param {string} json
 */
function pretty(json) {
  let depth = 0
  const line = () => `\n${'  '.repeat(Math.min(depth, MAX_DEPTH))}`
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (token) => {
    if (token === '[' || token === '{') {
      depth++
      return token + line()
    }
    if (token === ']' || token === '}') {
      depth--
      return line() + token
    }
    if (token === ',') return token + line()
    if (token === ':') return ': '
    return token.startsWith('"') ? token : token.replaceAll(/\s+/g, '')
  })
}

/** @param {string} text */
function fill(text) {
  const pieces = []
  for (let from = 0; from < text.length;) {
    let to = from + PIECE
    // a character of two halves stays whole
    if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to++
    pieces.push(element('div', text.slice(from, to)))
    from = to
  }
  byId('value-text', HTMLElement).replaceChildren(...pieces)
}
