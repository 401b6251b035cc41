// A whole value, or a row's bytes, in a dialog: what is very long only when it is asked for. Knows no table.

import { byId, copy, element, onClick, say, show } from './dom.js'
import { count } from './format.js'

/** Characters that are shown at first. */
const MAX_SHOWN = 50_000
/** Browsers take seconds to lay out a very long line: it is put there in pieces, laid out when they are seen. */
const PIECE = 5000

let whole = ''

/**
 * @param {string} title
 * @param {string} text
 * @param {{ download?: string, file?: string, note?: string }} [more] `download`: where its bytes are
 */
export function showValue(title, text, { download, file = 'value', note = '' } = {}) {
  whole = text
  say('value-title', title)
  const isCut = text.length > MAX_SHOWN
  fill(isCut ? text.slice(0, MAX_SHOWN).toWellFormed() : text)
  const shownOf = isCut ? `The first ${count(MAX_SHOWN)} of ${count(text.length)} characters.` : ''
  say('value-note', [note, shownOf].filter((it) => it !== '').join(' '))
  show('value-all', isCut)
  const link = byId('value-download', HTMLAnchorElement)
  link.hidden = download === undefined
  link.href = download ?? '#'
  link.download = file
  const dialog = byId('value', HTMLDialogElement)
  if (!dialog.open) dialog.showModal()
  byId('value-text', HTMLElement).scrollTop = 0
}

export function startValue() {
  const dialog = byId('value', HTMLDialogElement)
  onClick('value-close', () => dialog.close())
  onClick('value-all', () => {
    fill(whole)
    say('value-note', `${count(whole.length)} characters.`)
    show('value-all', false)
    byId('value-text', HTMLElement).focus()
  })
  onClick('value-copy', async () => say('value-note', (await copy(whole)) ? 'Copied.' : 'It cannot be copied here.'))
  dialog.addEventListener('close', () => {
    whole = ''
    fill('')
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
