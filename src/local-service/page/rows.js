// Shows the rows of the chosen table, a page at a time: fields as columns, long values cut. The choice, the order (`written`, `newest`,
// `first`, `asc:FIELD`, `desc:FIELD`), a search and the page are parameters of the URL (view.js).

import { askJson, askText, askWhether } from './ask.js'
import { addOptions, byId, confirmed, onClick, optionOf, say, show, showError } from './dom.js'
import { bytes, count, counted, nameText, when } from './format.js'
import { columnsOf, startFields } from './fields.js'
import { fillGrid, isWalked } from './grid.js'
import { showValue } from './value.js'
import { bindField, onView, param, setParams, shownPanel } from './view.js'

/**
 * Tables, and rows with their fields, as the service sends them (row-fields.ts).
 * @typedef {{ readonly client_id: number, readonly table: string, readonly rows: number, readonly written_at: number | null }} Table
 * @typedef {{ readonly name: string, readonly kind: string, readonly text: string, readonly cut?: number }} Field
 * @typedef {{ readonly n: number, readonly bytes: number, readonly written_at: number | null, readonly fields: readonly Field[], readonly count: number }} Row
 * @typedef {{ client_id: string, table: string }} ChosenTable as the URL has it
 */

/** Most characters of a value in a cell. */
const MAX_CELL = 60
/** A larger row is not shown whole, but offered for download. */
const MAX_SHOWN_BYTES = 32 * 1024 ** 2
/** Tables of more rows are not read again by themselves when they change, and would take too long to sort by the last write. */
const MAX_FOLLOWED = 200_000
/** The same limit where all rows must be looked at for a page, as for a search. */
const MAX_SEARCHED = 20_000

/** The tables of the last overview. @type {readonly Table[]} */
let tables = []
/** The part of the URL that the rows were read for, and the state of the table then. */
let shownFor = ''
let shownState = ''
/** How many rows matched when they were last read. */
let matched = 0
/** The number of the last reading: an older one that ends later is dropped. */
let lastReading = 0
/** The fields offered for a search, and of which table they are: a page without rows shows none itself. */
let offered = { table: '', names: /** @type {readonly string[]} */ ([]) }

/** @returns {ChosenTable | undefined} undefined when none is chosen */
function chosenTable() {
  const table = param('tables', 'table')
  return table === '' ? undefined : { table, client_id: param('tables', 'client') }
}

/** Called with each overview: reads the first page again if its table has changed. @param {readonly Table[]} allTables */
export function followRows(allTables) {
  tables = allTables
  const isByArrival = search() === '' && ['newest', 'first'].includes(order())
  const mostRows = isByArrival ? MAX_FOLLOWED : MAX_SEARCHED
  if (!chosenTable() || stateOfChosen() === shownState || (chosenInOverview()?.rows ?? 0) > mostRows) return
  if (from() === 0 && !isWalked(byId('rows-grid', HTMLTableElement))) void read()
}

function chosenInOverview() {
  const chosen = chosenTable()
  return tables.find((it) => String(it.client_id) === chosen?.client_id && it.table === chosen.table)
}

/** A text that changes when rows of the chosen table are written. */
function stateOfChosen() {
  return `${chosenInOverview()?.rows} ${chosenInOverview()?.written_at}`
}

/** The parameters `search` and `field` of a request for rows; '' for all rows. */
function search() {
  const [text, field] = [param('tables', 'search'), chosenField()]
  const isAll = text === '' && field === undefined
  return isAll ? '' : new URLSearchParams({ search: text, ...(field !== undefined && { field }) }).toString()
}

/** The field to search in, without the `=` that valueOfField may have put before it. undefined when any field is searched. */
function chosenField() {
  const value = param('tables', 'field')
  return value === '' ? undefined : value.replace(/^=/, '')
}

/** A field's name in the URL, where '' means any field: `=` is put before an empty one, or one with `=` in front. @param {string} name */
function valueOfField(name) {
  return name === '' || name.startsWith('=') ? `=${name}` : name
}

/** Reads and shows the page of rows that the URL names. */
async function read() {
  const chosen = chosenTable()
  if (!chosen) {
    showNoTable()
    return
  }
  const reading = ++lastReading
  // `asc:FIELD` is asked for as two parameters
  const [direction = '', sort] = order().split(/:(.*)/s)
  const query = new URLSearchParams({ client_id: chosen.client_id, from: String(from()), count: String(pageSize()) })
  query.set('order', direction)
  if (sort !== undefined) query.set('sort', sort)
  const asked = await askJson(`${pathOf(chosen)}/rows?${query}&${search()}`)
  if (reading !== lastReading) return
  shownState = stateOfChosen()
  say('rows-title', `${chosen.table}, client ${chosen.client_id}`)
  const wrong = 'wrong' in asked ? `The rows cannot be read: ${asked.wrong}.` : undefined
  // where this search fails, another one may not, unless the table is not there: so the bar for searches stays
  show('rows-bar', wrong === undefined || chosenInOverview() !== undefined)
  const { rows, total } = 'wrong' in asked ? { rows: [], total: 0 } : asked.value
  matched = 'wrong' in asked ? 0 : asked.value.matched
  say('rows-empty', wrong ?? (matched === 0 ? `None of ${counted(total, 'row')} match.` : ''))
  show('rows-empty', matched === 0)
  say('rows-place', placeText(rows, total))
  for (const id of ['rows-first', 'rows-back']) byId(id, HTMLButtonElement).disabled = from() === 0
  for (const id of ['rows-next', 'rows-last']) byId(id, HTMLButtonElement).disabled = from() + rows.length >= matched
  linkDownloads(chosen)
  byId('rows-order', HTMLSelectElement).options[0]?.replaceChildren(isLarge() ? 'usual order' : 'last written first')
  fill(chosen, rows)
}

function showNoTable() {
  say('rows-title', 'Rows')
  for (const id of ['rows-bar', 'rows-fields', 'rows-grid']) show(id, false)
  say('rows-place', '')
  show('rows-empty', true)
  say('rows-empty', 'Choose a table to see its rows.')
}

/** Has the links for downloads lead to the rows that are searched for. @param {ChosenTable} chosen */
function linkDownloads(chosen) {
  for (const format of ['json', 'csv']) {
    const link = byId(`rows-${format}`, HTMLAnchorElement)
    link.href = `${pathOf(chosen)}?client_id=${chosen.client_id}&format=${format}&${search()}`
    link.download = `${chosen.table}.${format}`
  }
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
    const chosen = chosenTable()
    if (!chosen) return
    if (!(await confirmed(`Delete the table ${chosen.table} of client ${chosen.client_id} with all its rows?`))) return
    const asked = await askJson(`${pathOf(chosen)}?client_id=${chosen.client_id}`, { method: 'DELETE' })
    if (!('wrong' in asked)) openTable('', '')
  })
  onView(() => {
    const [direction, sort] = order().split(/:(.*)/s)
    const select = byId('rows-order', HTMLSelectElement)
    // behind the three orders of index.html comes the one by a field that was clicked
    select.options[3]?.remove()
    if (sort !== undefined)
      select.append(optionOf(order(), `by ${nameText(sort)}, ${direction === 'asc' ? 'up' : 'down'}`))
  })
  const firstPage = { from: '' }
  bindField('tables', 'order', 'rows-order', { with: firstPage })
  bindField('tables', 'count', 'rows-count', { usual: '50', with: firstPage })
  bindField('tables', 'search', 'rows-search', { with: firstPage })
  bindField('tables', 'field', 'rows-field', { with: firstPage })
  onView(() => {
    if (shownPanel() !== 'tables' || location.hash === shownFor) return
    shownFor = location.hash
    showError('rows-error', undefined)
    void read()
  })
  byId('rows-grid', HTMLTableElement).addEventListener('keydown', (event) => {
    if (event.key !== 'PageDown' && event.key !== 'PageUp') return
    event.preventDefault()
    goTo(event.key === 'PageDown' ? from() + pageSize() : from() - pageSize())
  })
}

/** Chooses a table, without a search and in the usual order. @param {string} table '' for none @param {string} client its id, or '' */
export function openTable(table, client) {
  setParams('tables', { table, client, search: '', field: '', order: '', from: '', fields: '' })
}

/** Follows a link for a download only when it would be answered: a browser does not show why one is refused. @param {string} format */
function startDownload(format) {
  const link = byId(`rows-${format}`, HTMLAnchorElement)
  const download = async () => {
    const asked = await askWhether(link.href)
    showError('rows-error', 'wrong' in asked ? `No ${format.toUpperCase()}: ${asked.wrong}.` : undefined)
    // the browser follows a copy of the link, which does not listen
    if (!('wrong' in asked)) /** @type {HTMLElement} */ (link.cloneNode()).click()
  }
  link.addEventListener('click', (event) => {
    event.preventDefault()
    void download()
  })
}

/** Shows the page that begins at a row, or the nearest one there is. @param {number} row from 0 */
function goTo(row) {
  const lastPage = Math.floor(Math.max(matched - 1, 0) / pageSize()) * pageSize()
  const start = Math.max(Math.min(row, lastPage), 0)
  setParams('tables', { from: start === 0 ? '' : String(start) })
}

/** The chosen order, or the usual one: by the last write, where the table is not too large for that. @returns {string} */
function order() {
  return param('tables', 'order') || (isLarge() ? 'newest' : 'written')
}

function isLarge() {
  return (chosenInOverview()?.rows ?? 0) > MAX_FOLLOWED
}

/** The first row of the page, from 0. */
function from() {
  return Number(param('tables', 'from')) || 0
}

/**
 * Offers the fields that can be searched: those of this page, or if it has none of the last one, and the chosen one.
 * @param {string} table a text that tells it from others
 * @param {readonly string[]} shown the fields of this page
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

/** Fills the grid with a page. @param {ChosenTable} table @param {readonly Row[]} rows */
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

/** The column of a field, whose head sorts by it. @param {string} name @param {readonly Row[]} rows @param {string} [more] class names */
function columnOf(name, rows, more = '') {
  const kinds = rows.flatMap(({ fields }) => fields.filter((field) => field.name === name).map(({ kind }) => kind))
  const sorted = { [`asc:${name}`]: 'ascending', [`desc:${name}`]: 'descending' }[order()] ?? 'none'
  const next = sorted === 'ascending' ? 'desc' : 'asc'
  const open = () => setParams('tables', { order: `${next}:${name}`, from: '' })
  const kind = (kinds.every((it) => it === 'number') ? 'number' : '') + more
  return { text: nameText(name), kind, sorted, open }
}

/** The cell of a field. @param {ChosenTable} table @param {Row} row @param {string} name @returns {import('./grid.js').Cell} */
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
 * The cell with the button that opens the whole row.
 * @param {ChosenTable} table @param {Row} row
 * @param {number} hidden how many of its page's fields have no column
 * @returns {import('./grid.js').Cell}
 */
function rowCell(table, row, hidden) {
  const unseen = Math.max(row.count - row.fields.length, hidden)
  const size = bytes(row.bytes)
  // the service does not look into rows that are too large; {} has two bytes
  const tooLarge = row.fields.length === 0 && row.bytes > 2
  return {
    text: tooLarge ? 'too large to show ' : unseen > 0 ? 'more fields ' : '',
    kind: 'short',
    open: () => void showRow(table, row),
    button: '{}',
    label: `Raw JSON of row ${row.n}, ${size}`,
  }
}

/** Shows a whole row in the dialog. @param {ChosenTable} table @param {Row} row */
async function showRow(table, row) {
  const path = `${pathOf(table)}/rows/${row.n}?client_id=${table.client_id}`
  const title = `${table.table}, row ${count(row.n)}`
  const more = { download: path, file: `${table.table}-${row.n}.json` }
  const note = `${counted(row.bytes, 'byte')}, as they were sent.`
  if (row.bytes > MAX_SHOWN_BYTES) {
    showValue(title, '', { ...more, note: `${note} It is too large to be shown: download it.` })
    return
  }
  const asked = await askText(path)
  showValue(title, 'wrong' in asked ? asked.wrong : asked.value, { ...more, note })
}

/** Shows the whole value of a field in the dialog. @param {ChosenTable} table @param {Row} row @param {number} index of the field in it */
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

/** The path of a table below `/_local/`. @param {{ table: string }} chosen */
function pathOf({ table }) {
  return `tables/${encodeURIComponent(table)}`
}

/** Says which of all rows the page has. @param {readonly Row[]} rows @param {number} total */
function placeText(rows, total) {
  if (rows.length === 0) return matched === 0 ? 'no rows' : 'no more rows'
  const places = `${count(from() + 1)} to ${count(from() + rows.length)}`
  if (search() !== '') return `${places} of ${count(matched)} that match, ${counted(total, 'row')} in all`
  const how = { written: ', last written first', newest: ', last arrived first' }[order()] ?? ''
  return `${places} of ${counted(total, 'row')}${how}`
}
