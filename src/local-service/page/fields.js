// Chooses the columns of a table: its key fields, then those that the user chose in a list of boxes, or as many as there is room for.

import { byId, element, onClick, say, show } from './dom.js'
import { counted, nameText, visible } from './format.js'
import { param, setParams } from './view.js'

/** @typedef {import('./rows.js').Row} Row */

const MAX_COLUMNS = 60
/** Only a chooser with more fields has a search box. */
const MAX_UNSEARCHED = 10

/** The names of the fields in the chooser, in its order. @type {readonly string[]} */
let offered = []

/**
 * Finds the columns for a page of rows, and draws the chooser anew.
 * @param {readonly Row[]} rows
 * @returns {{ keys: readonly string[], others: readonly string[], all: readonly string[] }} the columns, and all fields
 */
export function columnsOf(rows) {
  const names = [...new Set(rows.flatMap(({ fields }) => fields.map(({ name }) => name)))]
  const keyNames = new Set(rows.flatMap(keysOf))
  const keys = names.filter((name) => keyNames.has(name)).slice(0, MAX_COLUMNS)
  const notKeys = names.filter((name) => !keys.includes(name) && name !== 'keys')
  const all = [...keys, ...notKeys, ...names.filter((name) => name === 'keys' && !keys.includes(name))]
  const chosen = namesIn(param('tables', 'fields'))
  const wanted = chosen === undefined ? all : all.filter((name) => keys.includes(name) || chosen.includes(name))
  const shown = (wanted.length === 0 ? all : wanted).slice(0, MAX_COLUMNS)
  showChooser(all, keys, shown, Math.max(all.length, ...rows.map(({ count }) => count)))
  return { keys, others: shown.slice(keys.length), all }
}

export function startFields() {
  const list = byId('fields-list', HTMLElement)
  list.addEventListener('change', () => {
    const boxes = [...list.querySelectorAll('input')]
    choose(JSON.stringify(offered.filter((_, index) => boxes[index]?.checked)))
  })
  onClick('fields-usual', () => choose(''))
  byId('fields-find', HTMLInputElement).addEventListener('input', filterChooser)
}

/** Chooses columns. @param {string} fields a JSON array of names; '' for as many columns as there is room for */
function choose(fields) {
  setParams('tables', { fields }, true)
}

/** Hides the fields that the search box does not ask for. */
function filterChooser() {
  const text = byId('fields-find', HTMLInputElement).value.toLowerCase()
  for (const label of byId('fields-list', HTMLElement).querySelectorAll('label'))
    label.hidden = !(label.textContent ?? '').toLowerCase().includes(text)
}

/** The names of a row's key fields, from its member `keys`; none where that is missing or cut. @param {Row} row */
function keysOf({ fields }) {
  const keys = fields.findLast(({ name, kind }) => name === 'keys' && kind === 'array')
  return (keys?.cut === undefined ? namesIn(keys?.text ?? '') : undefined) ?? []
}

/** Reads names. @param {string} json @returns {string[] | undefined} the strings of a JSON array; undefined when it is no such array */
function namesIn(json) {
  try {
    const names = JSON.parse(json)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined
  } catch {
    return undefined
  }
}

/**
 * Draws the chooser. @param {readonly string[]} all @param {readonly string[]} keys @param {readonly string[]} shown
 * @param {number} total how many fields there are, with those that the service left out of rows
 */
function showChooser(all, keys, shown, total) {
  show('rows-fields', all.length > 0)
  const shownOf = shown.length < total ? `${shown.length} of ` : ''
  say('rows-fields', `${shownOf}${counted(total, 'field')} ▾`)
  show('fields-find', all.length > MAX_UNSEARCHED)
  const list = byId('fields-list', HTMLElement)
  // else the boxes stay, so that one can keep the focus
  if (JSON.stringify(all) !== JSON.stringify(offered)) list.replaceChildren(...all.map(boxOf))
  offered = all
  const [isShown, isKey] = [new Set(shown), new Set(keys)]
  for (const [index, box] of [...list.querySelectorAll('input')].entries()) {
    const name = all[index] ?? ''
    box.checked = isShown.has(name)
    box.disabled = isKey.has(name) || (!box.checked && shown.length >= MAX_COLUMNS)
  }
  filterChooser()
}

/** Makes the box of a field, with its label. @param {string} name */
function boxOf(name) {
  const label = element('label')
  const box = element('input')
  box.type = 'checkbox'
  label.append(box, element('span', visible(nameText(name))))
  return label
}
