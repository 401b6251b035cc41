// The SQL box: one statement that reads, its rows or SQLite's words.

import { askJson } from './ask.js'
import { byId, element, onSubmit, say, show, showError } from './dom.js'
import { counted, decimal, visible } from './format.js'
import { fillGrid } from './grid.js'
import { bindField, onView, param, setParams, showPanel, shownPanel } from './view.js'
import { showValue } from './value.js'

/**
 * @typedef {null | number | string | { integer: string } | { real: string } | { blob: string, bytes: number } |
 *   { text: string, characters: number }} SqlCell
 */

const SCHEMA = `SELECT it.name, field.name FROM sqlite_schema AS it, pragma_table_info(it.name) AS field
  WHERE it.type = 'view' ORDER BY it.name, field.cid`

/** Characters of a value in the table. */
const MAX_SHOWN = 60

let running = false
/** The tables whose fields are shown beside the box. */
let listed = ''
/** Whether the box was given its first query: of the open table, or of the one that was written last. */
let isOffered = false
/** @type {readonly { table: string, written_at: number | null }[]} */
let tables = []

/** @param {string} table */
export function queryTable(table) {
  setParams('sql', { q: queryOf(table) })
  showPanel('sql')
  byId('sql-text', HTMLTextAreaElement).focus()
  void run()
}

export function focusQuery() {
  showPanel('sql')
  byId('sql-text', HTMLTextAreaElement).focus()
}

export function startSql() {
  bindField('sql', 'q', 'sql-text', { usual: byId('sql-text', HTMLTextAreaElement).value })
  onView(() => {
    offerQuery()
  })
  onSubmit('sql-form', () => {
    setParams('sql', { q: byId('sql-text', HTMLTextAreaElement).value })
    void run()
  })
  byId('sql-text', HTMLTextAreaElement).addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    byId('sql-form', HTMLFormElement).requestSubmit()
  })
}

function offerQuery() {
  const newest = tables.toSorted((a, b) => (b.written_at ?? 0) - (a.written_at ?? 0))[0]
  if (isOffered || shownPanel() !== 'sql' || newest === undefined) return
  isOffered = true
  if (param('sql', 'q') === '') setParams('sql', { q: queryOf(param('tables', 'table') || newest.table) }, true)
}

/**
 * Only one table has a view of its plain name: names are the same to SQLite whatever their case, and some it keeps for itself.
 * @param {string} table
 */
function queryOf(table) {
  const name = table.toLowerCase()
  const isPlain = !name.startsWith('sqlite_') && tables.filter((it) => it.table.toLowerCase() === name).length === 1
  return isPlain ? `SELECT * FROM "${table}" LIMIT 100` : "SELECT name FROM sqlite_schema WHERE type = 'view'"
}

/**
 * The tables and their fields as SQL sees them, while the panel is shown.
 * @param {readonly { client_id: number, table: string, written_at: number | null }[]} now
 */
export async function showSchema(now) {
  tables = now
  offerQuery()
  const names = JSON.stringify(now.map(({ client_id, table }) => [client_id, table]))
  if (shownPanel() !== 'sql' || names === listed) return
  listed = names
  const asked = await askJson('sql', { method: 'POST', body: { sql: SCHEMA } })
  if ('wrong' in asked) {
    listed = ''
    return
  }
  /** @type {Map<string, string[]>} */
  const fields = new Map()
  for (const [table, field] of asked.value.rows) fields.set(table, [...(fields.get(table) ?? []), field])
  byId('sql-schema', HTMLElement).replaceChildren(
    ...[...fields].map(([table, names]) => {
      const made = element('details')
      made.open = table === param('tables', 'table')
      made.append(element('summary', visible(table)), ...[table, ...names].map(nameButton))
      return made
    }),
  )
}

/**
 * Puts a name where one writes.
 * @param {string} name
 */
function nameButton(name) {
  const button = element('button', visible(name))
  button.type = 'button'
  button.addEventListener('click', () => {
    const box = byId('sql-text', HTMLTextAreaElement)
    const isWord = /^[a-z_]\w*$/i.test(name)
    box.setRangeText(isWord ? name : `"${name.replaceAll('"', '""')}"`, box.selectionStart, box.selectionEnd, 'end')
    box.dispatchEvent(new Event('input'))
    box.focus()
  })
  return button
}

async function run() {
  if (running) return
  running = true
  byId('sql-run', HTMLButtonElement).disabled = true
  say('sql-status', 'Running…')
  const asked = await askJson('sql', { method: 'POST', body: { sql: byId('sql-text', HTMLTextAreaElement).value } })
  running = false
  byId('sql-run', HTMLButtonElement).disabled = false
  show('sql-empty', false)
  if ('wrong' in asked) {
    say('sql-status', '')
    showError('sql-error', asked.wrong)
    show('sql-grid', false)
    return
  }
  showError('sql-error', undefined)
  showResult(asked.value)
}

/** @param {{ columns: readonly string[], rows: readonly (readonly SqlCell[])[], more: boolean, ms: number }} result */
function showResult({ columns, rows, more, ms }) {
  say('sql-status', `${more ? 'the first ' : ''}${counted(rows.length, 'row')} in ${decimal(ms)} ms`)
  const grid = byId('sql-grid', HTMLTableElement)
  grid.className = 'data'
  fillGrid(grid, {
    columns: columns.map((text, index) => ({ text, kind: isNumeric(rows, index) ? 'number' : '' })),
    rows: rows.map((row, index) => row.map((cell, column) => cellOf(cell, `${columns[column]}, row ${index + 1}`))),
  })
}

/**
 * @param {readonly (readonly SqlCell[])[]} rows
 * @param {number} index
 */
function isNumeric(rows, index) {
  return rows.every((row) => row[index] !== undefined && valueOf(row[index]).kind === 'number')
}

/**
 * @param {SqlCell} cell
 * @param {string} title
 * @returns {import('./grid.js').Cell}
 */
function cellOf(cell, title) {
  const { text, kind, note } = valueOf(cell)
  const open = () => showValue(title, text, note === undefined ? {} : { note })
  if (text === '') return { text: 'empty', kind: 'empty-text', open }
  if (text.length <= MAX_SHOWN) return { text, kind, open }
  const button = counted(text.length, 'character')
  return {
    text: `${text.slice(0, MAX_SHOWN).toWellFormed()}…`,
    kind: `${kind} cut`,
    open,
    button,
    label: `Show all of ${title}, ${button}`,
  }
}

/**
 * @param {SqlCell} cell
 * @returns {{ text: string, kind: string, note?: string }}
 */
function valueOf(cell) {
  if (cell === null) return { text: 'NULL', kind: 'null' }
  if (typeof cell === 'number') return { text: String(cell), kind: 'number' }
  if (typeof cell === 'string') return { text: cell, kind: 'string' }
  if ('integer' in cell) return { text: cell.integer, kind: 'number' }
  if ('real' in cell) return { text: cell.real, kind: 'number' }
  if ('blob' in cell)
    return { text: `x'${cell.blob}'`, kind: 'blob', note: `A blob of ${counted(cell.bytes, 'byte')}.` }
  const note = `The first of ${counted(cell.characters, 'character')}: substr() shows the others.`
  return { text: cell.text, kind: 'string', note }
}
