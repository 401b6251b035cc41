// Shows a whole value, a row's bytes or a request's bodies in a dialog: JSON as it came or indented, long texts only in part at first.

import { byId, copy, element, onClick, say, show } from './dom.js'
import { count } from './format.js'

/** Characters that are shown at first. */
const MAX_SHOWN = 50_000
/** Characters of an element: browsers take seconds to lay out a very long line, so a text is put into several, laid out when seen (CSS). */
const PIECE = 5000
/** JSON of more characters is not indented. */
const MAX_PRETTY = 2_000_000
/** The deepest nesting that is indented further. */
const MAX_DEPTH = 50

/**
 * @typedef {object} Part
 * @property {string} text
 * @property {string} [note]
 * @property {boolean} [isCut] whether it is the beginning of a longer text: then JSON in it is not complete
 *
 * @typedef {object} More
 * @property {string} [download] the address of the whole bytes
 * @property {string} [file] the name of the downloaded file
 * @property {string} [note]
 *
 * @typedef {{ [name in 'newer' | 'older' | 'curl' | 'link']?: (() => void) | undefined }} Actions undefined where a button is disabled
 */

const ACTIONS = /** @type {const} */ (['newer', 'older', 'curl', 'link'])
/** The places for texts: the first words of the ids of their elements. The second is a copy of the first (startValue). */
const PLACES = ['value', 'answer']

/** The text of each place. `indented` is undefined where the text is no JSON, or too long.
 * @type {Map<string, { raw: string, indented: string | undefined, note: string }>} */
const texts = new Map()
let isPretty = true
/** The actions of the buttons at the head of the dialog. @type {Actions} */
let actions = {}

/** Opens the dialog with one text. @param {string} title @param {string} text @param {More} [more] */
export function showValue(title, text, { download, file = 'value', note } = {}) {
  showParts(title, { parts: [{ text, ...(note === undefined ? {} : { note }) }] })
  const link = byId('value-download', HTMLAnchorElement)
  link.hidden = download === undefined
  link.href = download ?? '#'
  link.download = file
}

/**
 * Opens the dialog, or fills it anew.
 * @param {string} title
 * @param {{ parts?: readonly Part[] | undefined, about?: string, linkText?: string, does?: Actions }} content `parts`: one, or a
 *   request's body and its answer's; `does`: the buttons to show
 */
export function showParts(title, { parts = [], about = '', linkText = '', does = {} }) {
  texts.clear()
  for (const [index, { text, note = '', isCut = false }] of parts.entries()) {
    const indented = isStructure(text, isCut) ? indent(text) : undefined
    texts.set(PLACES[index] ?? '', { raw: text, indented, note })
  }
  say('value-title', title)
  say('value-about', about)
  const canIndent = [...texts.values()].some(({ indented }) => indented !== undefined)
  show('value-forms', canIndent)
  show('value-download', false)
  say('value-link', linkText)
  actions = does
  show('value-steps', 'newer' in does)
  for (const name of ACTIONS) {
    show(`value-${name}`, name in does)
    byId(`value-${name}`, HTMLButtonElement).disabled = does[name] === undefined
  }
  for (const place of PLACES) {
    show(`${place}-part`, texts.has(place))
    show(`${place}-name`, parts.length > 1)
  }
  const dialog = byId('value', HTMLDialogElement)
  if (!dialog.open) dialog.showModal()
  showForm(isPretty)
}

export function startValue() {
  const dialog = byId('value', HTMLDialogElement)
  const answer = /** @type {HTMLElement} */ (byId('value-part', HTMLElement).cloneNode(true))
  for (const it of [answer, ...answer.querySelectorAll('[id]')]) it.id = it.id.replace('value', 'answer')
  answer.setAttribute('aria-label', 'Answer')
  dialog.append(answer)
  say('answer-name', 'Answer')
  onClick('value-close', () => dialog.close())
  onClick('value-pretty', () => showForm(true))
  onClick('value-raw', () => showForm(false))
  for (const name of ACTIONS) onClick(`value-${name}`, () => actions[name]?.())
  for (const place of PLACES) {
    onClick(`${place}-all`, () => {
      fill(place, shown(place))
      say(`${place}-note`, `${count(shown(place).length)} characters.`)
      show(`${place}-all`, false)
      byId(`${place}-text`, HTMLElement).focus()
    })
    onClick(`${place}-copy`, async () =>
      say(`${place}-note`, (await copy(shown(place))) ? 'Copied.' : 'Copying is not possible here.'),
    )
  }
  dialog.addEventListener('close', () => {
    for (const place of texts.keys()) fill(place, '')
    texts.clear()
    actions = {}
  })
}

/** Shows the texts indented or as they came. @param {boolean} pretty */
function showForm(pretty) {
  isPretty = pretty
  byId('value-pretty', HTMLElement).setAttribute('aria-pressed', String(isPretty))
  byId('value-raw', HTMLElement).setAttribute('aria-pressed', String(!isPretty))
  for (const [place, { note }] of texts) {
    const text = shown(place)
    const isCut = text.length > MAX_SHOWN
    fill(place, isCut ? text.slice(0, MAX_SHOWN).toWellFormed() : text)
    const shownOf = isCut ? `The first ${count(MAX_SHOWN)} of ${count(text.length)} characters.` : ''
    say(`${place}-note`, [note, shownOf].filter((it) => it !== '').join(' '))
    show(`${place}-all`, isCut)
    show(`${place}-text`, text !== '')
    show(`${place}-copy`, text !== '')
    byId(`${place}-text`, HTMLElement).scrollTop = 0
  }
}

/** The whole text of a place in the chosen form. @param {string} place */
function shown(place) {
  const text = texts.get(place)
  return (isPretty ? text?.indented : undefined) ?? text?.raw ?? ''
}

/** Tells whether a text is a JSON array or object, by its beginning alone if it is cut. @param {string} text @param {boolean} isCut */
function isStructure(text, isCut) {
  if (text.length > MAX_PRETTY || !/^\s*[[{]/.test(text)) return false
  if (isCut) return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Indents JSON, which may be cut anywhere. Changes nothing but white space: digits and escapes stay as they came. @param {string} json */
function indent(json) {
  let depth = 0
  const newLine = () => `\n${'  '.repeat(Math.min(depth, MAX_DEPTH))}`
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (token) => {
    if (token === '[' || token === '{') {
      depth++
      return token + newLine()
    }
    if (token === ']' || token === '}') {
      depth = Math.max(depth - 1, 0)
      return newLine() + token
    }
    if (token === ',') return token + newLine()
    if (token === ':') return ': '
    // a string, or white space, or an empty array or object
    return token.startsWith('"') ? token : token.replaceAll(/\s+/g, '')
  })
}

/** Puts a text into its place, in pieces. @param {string} place @param {string} text */
function fill(place, text) {
  const pieces = []
  for (let from = 0; from < text.length;) {
    let to = from + PIECE
    // a character that is a pair of surrogates stays whole
    if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to++
    pieces.push(element('div', text.slice(from, to)))
    from = to
  }
  byId(`${place}-text`, HTMLElement).replaceChildren(...pieces)
}
