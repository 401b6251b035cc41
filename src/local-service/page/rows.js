// The rows of one table, a page at a time, as the service sends them: fields as columns, long values cut. Knows no other
// table.

import { askJson, askText, askWhether } from './ask.js'
import { addOptions, byId, confirmed, onClick, optionOf, say, show, showError } from './dom.js'
import { bytes, count, counted, nameText, when } from './format.js'
import { columnsOf, startFields } from './fields.js'
import { fillGrid, isWalked } from './grid.js'
import { showValue } from './value.js'
import { bindField, onView, param, setParams, shownPanel } from './view.js'

/**
 * @typedef {{ readonly client_id: number, readonly table: string, readonly rows: number, readonly written_at: number | null }} Table
 * @typedef {{ readonly name: string, readonly kind: string, readonly text: string, readonly cut?: number }} Field
 * @typedef {{ readonly n: number, readonly bytes: number, readonly written_at: number | null, readonly fields: readonly Field[], readonly count: number }} Row
 */

/** Characters of a value in the table. */
const MAX_CELL = 60
/** Tables of more rows are read again only when that is asked for. */
const MAX_FOLLOWED = 200_000
/** Tables of more rows are looked through again only when that is asked for. */
const MAX_SEARCHED = 20_000

/** @type {readonly Table[]} */
let tables = []
/** What the rows were read for, and what the table was like then. */
let shownFor = ''
let seen = ''
/** Rows that match, when they were last read. */
let matched = 0
let reading = 0
/** The fields that can be searched, of which table. A page without rows has none of its own. */
let offered = { table: '', names: /** @type {readonly string[]} */ ([]) }

/** @returns {{ client_id: string, table: string } | undefined} the table whose rows are shown */
function chosenTable() {
  const table = param('tables', 'table')
  return table === '' ? undefined : { table, client_id: param('tables', 'client') }
}

/** What the overview says now of the tables. @param {readonly Table[]} now */
export function followRows(now) {
  tables = now
  const isPlain = search() === '' && ['newest', 'first'].includes(order())
  const most = isPlain ? MAX_FOLLOWED : MAX_SEARCHED
  if (!chosenTable() || stateOfOpen() === seen || (found()?.rows ?? 0) > most) return
  if (from() === 0 && !isWalked(byId('rows-grid', HTMLTableElement))) void read()
}

function found() {
  const open = chosenTable()
  return tables.find((it) => String(it.client_id) === open?.client_id && it.table === open.table)
}

function stateOfOpen() {
  return `${found()?.rows} ${found()?.written_at}`
}

/** Which rows, as the service is asked: the same for a page and for all. */
function search() {
  const [text, field] = [param('tables', 'search'), chosenField()]
  const isAll = text === '' && field === undefined
  return isAll ? '' : new URLSearchParams({ search: text, ...(field !== undefined && { field }) }).toString()
}

/** '' is any field: so a name that is empty, or begins with `=`, is written with `=` in front. */
function chosenField() {
  const value = param('tables', 'field')
  return value === '' ? undefined : value.replace(/^=/, '')
}

/** @param {string} name */
function valueOfField(name) {
  return name === '' || name.startsWith('=') ? `=${name}` : name
}

async function read() {
  const open = chosenTable()
  if (!open) {
    say('rows-title', 'Rows')
    for (const id of ['rows-bar', 'rows-fields', 'rows-grid']) show(id, false)
    say('rows-place', '')
    show('rows-empty', true)
    say('rows-empty', 'Choose a table to see its rows.')
    return
  }
  const turn = ++reading
  const [direction = '', sort] = order().split(/:(.*)/s)
  const query = new URLSearchParams({ client_id: open.client_id, from: String(from()), count: String(pageSize()) })
  query.set('order', direction)
  if (sort !== undefined) query.set('sort', sort)
  const asked = await askJson(`${pathOf(open)}/rows?${query}&${search()}`)
  if (turn !== reading) return
  seen = stateOfOpen()
  say('rows-title', `${open.table}, client ${open.client_id}`)
  const wrong = 'wrong' in asked ? `The rows cannot be read: ${asked.wrong}.` : undefined
  // what cannot be read just now may be searched for in another way; what is not there cannot be
  show('rows-bar', wrong === undefined || found() !== undefined)
  const { rows, total } = 'wrong' in asked ? { rows: [], total: 0 } : asked.value
  matched = 'wrong' in asked ? 0 : asked.value.matched
  say('rows-empty', wrong ?? (matched === 0 ? `None of ${counted(total, 'row')} match.` : ''))
  show('rows-empty', matched === 0)
  say('rows-place', placeText(rows, total))
  for (const id of ['rows-first', 'rows-back']) byId(id, HTMLButtonElement).disabled = from() === 0
  for (const id of ['rows-next', 'rows-last']) byId(id, HTMLButtonElement).disabled = from() + rows.length >= matched
  for (const format of ['json', 'csv']) {
    const link = byId(`rows-${format}`, HTMLAnchorElement)
    link.href = `${pathOf(open)}?client_id=${open.client_id}&format=${format}&${search()}`
    link.download = `${open.table}.${format}`
  }
  byId('rows-order', HTMLSelectElement).options[0]?.replaceChildren(isLarge() ? 'usual order' : 'last written first')
  fill(open, rows)
}

export function startRows() {
  onClick('rows-first', () => goTo(0))
  onClick('rows-back', () => goTo(from() - pageSize()))
  onClick('rows-next', () => goTo(from() + pageSize()))
  onClick('rows-last', () => goTo(Infinity))
  onClick('rows-refresh', read)
  startFields()
  addOptions('rows-count', ['25', '50', '100', '200'])
  for (const format of ['json', 'csv']) startDownload(format)
  onClick('rows-remove', async () => {
    const open = chosenTable()
    if (!open || !(await confirmed(`Delete the table ${open.table} of client ${open.client_id} with all its rows?`)))
      return
    const asked = await askJson(`${pathOf(open)}?client_id=${open.client_id}`, { method: 'DELETE' })
    if (!('wrong' in asked)) openTable('', '')
  })
  onView(() => {
    const [direction, sort] = order().split(/:(.*)/s)
    const select = byId('rows-order', HTMLSelectElement)
    select.options[3]?.remove()
    if (sort !== undefined)
      select.append(optionOf(order(), `by ${nameText(sort)}, ${direction === 'asc' ? 'up' : 'down'}`))
  })
  const first = { from: '' }
  bindField('tables', 'order', 'rows-order', { with: first })
  bindField('tables', 'count', 'rows-count', { usual: '50', with: first })
  bindField('tables', 'search', 'rows-search', { with: first })
  bindField('tables', 'field', 'rows-field', { with: first })
  onView(() => {
    const state = shownPanel() === 'tables' ? location.hash : shownFor
    if (state === shownFor) return
    shownFor = state
    showError('rows-error', undefined)
    void read()
  })
  byId('rows-grid', HTMLTableElement).addEventListener('keydown', (event) => {
    if (event.key !== 'PageDown' && event.key !== 'PageUp') return
    event.preventDefault()
    goTo(event.key === 'PageDown' ? from() + pageSize() : from() - pageSize())
  })
}

/** Without a search and in the usual order. @param {string} table '': none @param {string} client */
export function openTable(table, client) {
  setParams('tables', { table, client, search: '', field: '', order: '', from: '', fields: '' })
}

/**
 * The link is followed when it would be answered: a browser keeps the reason of a refused download to itself.
 * @param {string} format
 */
function startDownload(format) {
  const link = byId(`rows-${format}`, HTMLAnchorElement)
  const download = async () => {
    const asked = await askWhether(link.href)
    showError('rows-error', 'wrong' in asked ? `No ${format.toUpperCase()}: ${asked.wrong}.` : undefined)
    if (!('wrong' in asked)) /** @type {HTMLElement} */ (link.cloneNode()).click()
  }
  link.addEventListener('click', (event) => {
    event.preventDefault()
    void download()
  })
}

/** @param {number} to */
function goTo(to) {
  const last = Math.floor(Math.max(matched - 1, 0) / pageSize()) * pageSize()
  const next = Math.max(Math.min(to, last), 0)
  setParams('tables', { from: next === 0 ? '' : String(next) })
}

/** @returns {string} unless another is chosen by the last write, where that can be looked for in time */
function order() {
  return param('tables', 'order') || (isLarge() ? 'newest' : 'written')
}

function isLarge() {
  return (found()?.rows ?? 0) > MAX_FOLLOWED
}

function from() {
  return Number(param('tables', 'from')) || 0
}

/**
 * The fields that can be searched: those that are shown, or were last, and the one that is chosen.
 * @param {string} table
 * @param {readonly string[]} shown
 */
function offerFields(table, shown) {
  if (shown.length > 0 || table !== offered.table) offered = { table, names: shown }
  const chosen = chosenField()
  const names = [...new Set(chosen === undefined ? offered.names : [...offered.names, chosen])]
  const select = byId('rows-field', HTMLSelectElement)
  const state = JSON.stringify(names)
  if (select.dataset.names === state) return
  select.dataset.names = state
  const options = names.map((name) => optionOf(valueOfField(name), `${nameText(name)} is`))
  select.replaceChildren(optionOf('', 'any field has'), ...options)
  select.value = param('tables', 'field')
}

/** @param {{ client_id: string, table: string }} table @param {readonly Row[]} rows */
function fill(table, rows) {
  const { keys, others, all } = columnsOf(rows)
  offerFields(JSON.stringify(table), [...keys, ...others])
  const grid = byId('rows-grid', HTMLTableElement)
  grid.className = 'data'
  grid.setAttribute('aria-rowcount', String(matched + 1))
  fillGrid(grid, {
    columns: [
      { text: '#', kind: 'number fixed' },
      ...keys.map((name) => columnOf(name, rows, ' fixed')),
      {
        text: 'Written',
        sorted: order() === 'written' ? 'descending' : 'none',
        open: () => setParams('tables', { order: '', from: '' }),
      },
      { text: 'JSON' },
      ...others.map((name) => columnOf(name, rows)),
    ],
    rows: rows.map((row) => [
      { text: count(row.n), kind: 'number', open: () => void showRow(table, row) },
      ...keys.map((name) => fieldCell(table, row, name)),
      { text: when(row.written_at), kind: 'short', open: () => void showRow(table, row) },
      rowCell(table, row, all.length - keys.length - others.length),
      ...others.map((name) => fieldCell(table, row, name)),
    ]),
    writtenAt: rows.map(({ written_at }) => written_at),
  })
}

/** @param {string} name @param {readonly Row[]} rows @param {string} [more] class names */
function columnOf(name, rows, more = '') {
  const kinds = rows.flatMap(({ fields }) => fields.filter((field) => field.name === name).map(({ kind }) => kind))
  const sorted = { [`asc:${name}`]: 'ascending', [`desc:${name}`]: 'descending' }[order()] ?? 'none'
  const next = sorted === 'ascending' ? 'desc' : 'asc'
  const open = () => setParams('tables', { order: `${next}:${name}`, from: '' })
  const kind = (kinds.every((it) => it === 'number') ? 'number' : '') + more
  return { text: nameText(name), kind, sorted, open }
}

/**
 * @param {{ client_id: string, table: string }} table
 * @param {Row} row
 * @param {string} name
 * @returns {import('./grid.js').Cell}
 */
function fieldCell(table, row, name) {
  // of a member that is there twice the last counts
  const index = row.fields.findLastIndex((field) => field.name === name)
  const field = row.fields[index]
  if (!field) return { text: '', kind: 'absent' }
  const { kind, text, cut } = field
  const open = () => void showField(table, row, index)
  if (cut !== undefined || text.length > MAX_CELL) {
    const size = cut === undefined ? counted(text.length, 'character') : bytes(cut)
    const label = `Show all of ${nameText(name)}, ${size}`
    return { text: `${text.slice(0, MAX_CELL).toWellFormed()}…`, kind: `${kind} cut`, open, button: size, label }
  }
  return text === '' ? { text: 'empty', kind: 'empty-text', open } : { text, kind, open }
}

/**
 * @param {{ client_id: string, table: string }} table
 * @param {Row} row
 * @param {number} hidden fields that are no columns
 * @returns {import('./grid.js').Cell}
 */
function rowCell(table, row, hidden) {
  const left = Math.max(row.count - row.fields.length, hidden)
  const size = bytes(row.bytes)
  const tooLarge = row.fields.length === 0 && row.bytes > 2
  return {
    text: tooLarge ? 'too large to show ' : left > 0 ? 'more fields ' : '',
    kind: 'short',
    open: () => void showRow(table, row),
    button: '{}',
    label: `Raw JSON of row ${row.n}, ${size}`,
  }
}

/** @param {{ client_id: string, table: string }} table @param {Row} row */
async function showRow(table, row) {
  const path = `${pathOf(table)}/rows/${row.n}?client_id=${table.client_id}`
  const title = `${table.table}, row ${count(row.n)}`
  const more = { download: path, file: `${table.table}-${row.n}.json` }
  const note = `${counted(row.bytes, 'byte')}, as they were sent.`
  if (row.bytes > 32 * 1024 ** 2) {
    showValue(title, '', { ...more, note: `${note} It is too large to be shown: download it.` })
    return
  }
  const asked = await askText(path)
  showValue(title, 'wrong' in asked ? asked.wrong : asked.value, { ...more, note })
}

/** @param {{ client_id: string, table: string }} table @param {Row} row @param {number} index */
async function showField(table, row, index) {
  const field = /** @type {Field} */ (row.fields[index])
  const path = `${pathOf(table)}/rows/${row.n}?client_id=${table.client_id}&member=${index}`
  const asked = await askText(path)
  const text = 'wrong' in asked ? asked.wrong : field.kind === 'string' ? JSON.parse(asked.value) : asked.value
  showValue(`${nameText(field.name)} of row ${count(row.n)}`, text, {
    download: path,
    file: `${table.table}-${row.n}-value.json`,
  })
}

function pageSize() {
  return Number(param('tables', 'count')) || 50
}

/** @param {{ table: string }} open */
function pathOf({ table }) {
  return `tables/${encodeURIComponent(table)}`
}

/** @param {readonly Row[]} rows @param {number} total */
function placeText(rows, total) {
  if (rows.length === 0) return matched === 0 ? 'no rows' : 'no more rows'
  const places = `${count(from() + 1)} to ${count(from() + rows.length)}`
  if (search() !== '') return `${places} of ${count(matched)} that match, ${counted(total, 'row')} in all`
  const how = { written: ', last written first', newest: ', last arrived first' }[order()] ?? ''
  return `${places} of ${counted(total, 'row')}${how}`
}
