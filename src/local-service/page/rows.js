// The rows of one table, a page at a time, as the service sends them: fields as columns, long values cut. Knows no other
// table.

import { askJson, askText } from './ask.js'
import { byId, fieldText, onClick, say, show } from './dom.js'
import { bytes, count, counted } from './format.js'
import { fillGrid, isWalked } from './grid.js'
import { showQuery } from './sql.js'
import { showValue } from './value.js'

/**
 * @typedef {{ readonly client_id: number, readonly table: string, readonly rows: number }} Table
 * @typedef {{ readonly name: string, readonly kind: string, readonly text: string, readonly cut?: number }} Field
 * @typedef {{ readonly n: number, readonly bytes: number, readonly fields: readonly Field[], readonly count: number }} Row
 */

const MAX_COLUMNS = 60
/** Characters of a value in the table. */
const MAX_CELL = 60
/** Tables of more rows are read again only when that is asked for. */
const MAX_FOLLOWED = 200_000

/** @type {Table | undefined} */
let open
let from = 0
/** Rows that the table had when it was last read. */
let total = 0
let reading = 0
let canQuery = true

/** @returns {Table | undefined} the table whose rows are shown */
export function openTable() {
  return open
}

/**
 * @param {Table} table
 * @param {boolean} isPlainView whether its view has its own name
 */
export function showRows(table, isPlainView) {
  open = table
  from = 0
  canQuery = isPlainView
  return read()
}

/**
 * What the overview says now of the table that is open.
 * @param {readonly Table[]} tables
 */
export function followRows(tables) {
  const now = open && tables.find((it) => it.client_id === open?.client_id && it.table === open.table)
  if (!now || now.rows === total || now.rows > MAX_FOLLOWED || from > 0) return
  if (!isWalked(byId('rows-grid', HTMLTableElement))) void read()
}

export async function read() {
  if (!open) return
  const { client_id: client, table } = open
  const turn = ++reading
  const order = fieldText('rows-order')
  const asked = await askJson(`${pathOf(open)}?client_id=${client}&from=${from}&count=${pageSize()}&order=${order}`)
  if (turn !== reading) return
  if ('wrong' in asked) {
    say('rows-empty', `The rows cannot be read: ${asked.wrong}.`)
    show('rows-empty', true)
    return
  }
  const { rows } = /** @type {{ rows: readonly Row[] }} */ (asked.value)
  total = asked.value.total
  say('rows-title', `${table}, client ${client}`)
  show('rows-empty', false)
  show('rows-pager', true)
  say('rows-place', placeText(rows, from))
  for (const id of ['rows-first', 'rows-back']) byId(id, HTMLButtonElement).disabled = from === 0
  for (const id of ['rows-next', 'rows-last']) byId(id, HTMLButtonElement).disabled = from + rows.length >= total
  fill(open, rows)
}

export function startRows() {
  /** @param {number} to */
  const goTo = (to) => {
    from = Math.max(Math.min(to, Math.floor(Math.max(total - 1, 0) / pageSize()) * pageSize()), 0)
    return read()
  }
  onClick('rows-first', () => goTo(0))
  onClick('rows-back', () => goTo(from - pageSize()))
  onClick('rows-next', () => goTo(from + pageSize()))
  onClick('rows-last', () => goTo(Infinity))
  onClick('rows-refresh', read)
  onClick('rows-query', () => {
    const all = "SELECT name FROM sqlite_schema WHERE type = 'view'"
    if (open) showQuery(canQuery ? `SELECT * FROM "${open.table}" LIMIT 100` : all)
  })
  for (const id of ['rows-order', 'rows-count']) {
    byId(id, HTMLSelectElement).addEventListener('change', () => void goTo(0))
  }
  byId('rows-grid', HTMLTableElement).addEventListener('keydown', (event) => {
    if (event.key !== 'PageDown' && event.key !== 'PageUp') return
    event.preventDefault()
    void goTo(event.key === 'PageDown' ? from + pageSize() : from - pageSize())
  })
}

/**
 * @param {Table} table
 * @param {readonly Row[]} rows
 */
function fill(table, rows) {
  const names = [...new Set(rows.flatMap(({ fields }) => fields.map(({ name }) => name)))]
  const inOrder = [...names.filter((name) => name !== 'keys'), ...names.filter((name) => name === 'keys')]
  const shown = inOrder.slice(0, MAX_COLUMNS)
  const grid = byId('rows-grid', HTMLTableElement)
  grid.className = 'data'
  grid.setAttribute('aria-rowcount', String(total + 1))
  fillGrid(grid, {
    columns: [{ text: '#', kind: 'number' }, { text: 'Row' }, ...shown.map((name) => columnOf(name, rows))],
    rows: rows.map((row) => [
      { text: count(row.n), kind: 'number', open: () => void showRow(table, row) },
      rowCell(table, row, inOrder.length - shown.length),
      ...shown.map((name) => fieldCell(table, row, name)),
    ]),
  })
}

/**
 * @param {string} name
 * @param {readonly Row[]} rows
 */
function columnOf(name, rows) {
  const kinds = rows.flatMap(({ fields }) => fields.filter((field) => field.name === name).map(({ kind }) => kind))
  return { text: name, kind: kinds.every((kind) => kind === 'number') ? 'number' : '' }
}

/**
 * @param {Table} table
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
    const label = `Show all of ${name}, ${size}`
    return { text: `${text.slice(0, MAX_CELL).toWellFormed()}…`, kind: `${kind} cut`, open, button: size, label }
  }
  return text === '' ? { text: 'empty', kind: 'empty-text', open } : { text, kind, open }
}

/**
 * @param {Table} table
 * @param {Row} row
 * @param {number} hidden columns that have no room
 * @returns {import('./grid.js').Cell}
 */
function rowCell(table, row, hidden) {
  const left = Math.max(row.count - row.fields.length, hidden)
  const size = bytes(row.bytes)
  const tooLarge = row.fields.length === 0 && row.bytes > 2
  return {
    text: tooLarge ? 'too large to look into ' : left > 0 ? `more fields ` : '',
    kind: 'short',
    open: () => void showRow(table, row),
    button: size,
    label: `The bytes of row ${row.n}, ${size}`,
  }
}

/**
 * @param {Table} table
 * @param {Row} row
 */
async function showRow(table, row) {
  const path = `${pathOf(table)}/${row.n}?client_id=${table.client_id}`
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

/**
 * @param {Table} table
 * @param {Row} row
 * @param {number} index
 */
async function showField(table, row, index) {
  const field = /** @type {Field} */ (row.fields[index])
  const path = `${pathOf(table)}/${row.n}?client_id=${table.client_id}&member=${index}`
  const asked = await askText(path)
  const text = 'wrong' in asked ? asked.wrong : field.kind === 'string' ? JSON.parse(asked.value) : asked.value
  showValue(`${field.name} of row ${count(row.n)}`, text, {
    download: path,
    file: `${table.table}-${row.n}-value.json`,
  })
}

function pageSize() {
  return Number(fieldText('rows-count'))
}

/** @param {Table} table */
function pathOf({ table }) {
  return `tables/${encodeURIComponent(table)}/rows`
}

/**
 * @param {readonly Row[]} rows
 * @param {number} from
 */
function placeText(rows, from) {
  return rows.length === 0
    ? 'no rows'
    : `${count(from + 1)} to ${count(from + rows.length)} of ${counted(total, 'row')}`
}
