// Fills tables, and makes their cells reachable by keyboard: the Tab key reaches one cell of a table (tabIndex 0), from which arrows lead
// to the others (tabIndex -1). Knows nothing of what a table shows.

import { element } from './dom.js'
import { visible } from './format.js'

/**
 * @typedef {object} Cell
 * @property {string} text
 * @property {string} [kind] class names; `name`: its middle may be left out
 * @property {() => void} [open] what Enter, a double click or the button does
 * @property {string} [button] the words on a button behind the text
 * @property {string} [label] the button's name for screen readers, where its words do not say enough
 * @property {string} [title] the cell's tooltip
 */

/**
 * @typedef {object} Column
 * @property {string} text
 * @property {string} [kind] class names; `fixed`: it stays in sight when the table is scrolled; only the first columns may be
 * @property {string} [sorted] its aria-sort: `ascending`, `descending`, `none`
 * @property {() => void} [open] what Enter or a click on its head does
 */

/**
 * @typedef {object} Content
 * @property {readonly Column[]} columns
 * @property {readonly (readonly Cell[])[]} rows
 * @property {number} [selected] the row that is chosen, from 0
 * @property {readonly (number | null)[]} [writtenAt] when each row was written, milliseconds since 1970
 * @property {(row: number) => void} [open] what Enter or a click on a cell of a row does, unless the cell has an `open` of its own
 */

/** How long a row is marked as new after it was written, milliseconds. */
const FRESH_MS = 10_000
/** How many characters at the end of a name are always seen: tables with one prefix differ there. */
const END_OF_NAME = 12

/** The functions that open a cell, by their tables. @type {WeakMap<HTMLTableElement, (cell: HTMLTableCellElement) => void>} */
const openers = new WeakMap()

/**
 * Puts the content in place of what the table shows. A cell that had the focus has it again.
 * @param {HTMLTableElement} table
 * @param {Content} content
 */
export function fillGrid(table, { columns, rows, selected, open, writtenAt = [] }) {
  const focused = focusIn(table)
  if (!openers.has(table)) listen(table)
  openers.set(table, (cell) => {
    const [row, column] = placeOf(cell)
    const openCell = row === 0 ? columns[column]?.open : rows[row - 1]?.[column]?.open
    if (openCell) openCell()
    else if (row > 0) open?.(row - 1)
  })
  table.setAttribute('role', 'grid')
  table.replaceChildren(headOf(columns), bodyOf(rows, selected, open !== undefined))
  for (const [index, at] of writtenAt.entries()) table.rows[index + 1]?.setAttribute('data-written', String(at ?? 0))
  markFresh(table)
  table.hidden = rows.length === 0
  pin(table)
  // where no cell had the focus, the Tab key reaches the first one below the head
  const [row, column] = focused ?? [1, 0]
  const reachable = cellAt(table, Math.min(row, rows.length), Math.min(column, columns.length - 1))
  if (reachable) reachable.tabIndex = 0
  if (focused) reachable?.focus({ preventScroll: true })
}

/** Marks the rows that were written in the last seconds, and no others. @param {ParentNode} within the document or a table */
export function markFresh(within) {
  for (const row of within.querySelectorAll('tr[data-written]'))
    row.classList.toggle('fresh', Date.now() - Number(row.getAttribute('data-written')) < FRESH_MS)
}

/** Tells whether a cell of a table has the focus. @param {HTMLTableElement} table @returns {boolean} */
export function isWalked(table) {
  return focusIn(table) !== undefined
}

/** Makes the head. @param {Content['columns']} columns */
function headOf(columns) {
  const head = element('thead')
  const row = head.insertRow()
  for (const { text, kind, sorted, open } of columns) {
    const arrow = { ascending: ' ↑', descending: ' ↓' }[sorted ?? ''] ?? ''
    const cell = element('th', visible(text) + arrow, kind)
    cell.scope = 'col'
    cell.tabIndex = -1
    if (sorted !== undefined) cell.setAttribute('aria-sort', sorted)
    if (open) cell.classList.add('opens')
    row.append(cell)
  }
  return head
}

/** Makes the body. @param {Content['rows']} rows @param {number | undefined} selected @param {boolean} rowsOpen whether clicks open one */
function bodyOf(rows, selected, rowsOpen) {
  const body = element('tbody')
  for (const [index, cells] of rows.entries()) {
    const row = body.insertRow()
    if (rowsOpen) {
      row.className = 'opens'
      row.setAttribute('aria-selected', String(index === selected))
    }
    for (const cell of cells) row.append(cellOf(cell))
  }
  return body
}

/** Makes a cell of the body. @param {Cell} cell */
function cellOf({ text, kind, button, label, title, open }) {
  const td = element('td', visible(text), kind)
  if (kind === 'name' && text.length > 2 * END_OF_NAME) td.replaceChildren(cutInTheMiddle(visible(text)))
  td.tabIndex = -1
  td.dir = 'auto'
  if (title !== undefined) td.title = title
  if (button === undefined) return td
  const press = element('button', button)
  press.type = 'button'
  press.tabIndex = -1
  if (label !== undefined) {
    press.setAttribute('aria-label', label)
    press.title = label
  }
  press.addEventListener('click', (event) => {
    event.stopPropagation()
    open?.()
  })
  td.append(press)
  return td
}

/** A name in two parts, of which the first is cut where there is no room (CSS class `ends`). @param {string} name */
function cutInTheMiddle(name) {
  const ends = element('span', '', 'ends')
  ends.append(element('span', name.slice(0, -END_OF_NAME), 'start'), element('span', name.slice(-END_OF_NAME)))
  return ends
}

/** Makes the fixed columns stay in sight, as many as fit into half of the width together. @param {HTMLTableElement} table */
function pin(table) {
  const room = (table.parentElement?.clientWidth ?? 0) / 2
  const heads = [...table.querySelectorAll('th')]
  const widths = heads.map(({ offsetWidth }) => offsetWidth)
  const firstFree = heads.findIndex((head) => !head.classList.contains('fixed'))
  let left = 0
  for (const [column, width] of widths.slice(0, firstFree === -1 ? heads.length : firstFree).entries()) {
    const isPinned = left + width <= room
    for (const { cells } of table.rows) {
      cells[column]?.classList.toggle('pinned', isPinned)
      if (cells[column]) cells[column].style.left = isPinned ? `${left}px` : ''
    }
    left += width
  }
}

/** Makes keys and clicks work in a table. Called once for each. @param {HTMLTableElement} table */
function listen(table) {
  new ResizeObserver(() => pin(table)).observe(table)
  table.addEventListener('keydown', (event) => {
    const cell = cellOfEvent(event)
    if (!cell) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      openers.get(table)?.(cell)
      return
    }
    const [row, column] = placeOf(cell)
    const to = placeAfter(event, row, column, table)
    if (!to) return
    event.preventDefault()
    moveTo(table, cell, to)
  })
  table.addEventListener('click', (event) => {
    const cell = cellOfEvent(event)
    if (!cell) return
    moveTo(table, cell, placeOf(cell))
    if (cell.closest('.opens')) openers.get(table)?.(cell)
  })
  table.addEventListener('dblclick', (event) => {
    const cell = cellOfEvent(event)
    if (cell && !cell.closest('.opens')) openers.get(table)?.(cell)
  })
}

/** The cell in which an event happened. undefined when it was in none. @param {Event} event */
function cellOfEvent(event) {
  const cell = event.target instanceof Element ? event.target.closest('td, th') : null
  return cell instanceof HTMLTableCellElement ? cell : undefined
}

/**
 * Finds where a key leads from a place in the table. Row 0 is the head, which is reached only if a click on some column does something.
 * @param {KeyboardEvent} event @param {number} row @param {number} column @param {HTMLTableElement} table
 * @returns {readonly [row: number, column: number] | undefined} undefined when it leads nowhere
 */
function placeAfter({ key, ctrlKey, metaKey, altKey }, row, column, table) {
  const firstRow = table.querySelector('th.opens') ? 0 : 1
  const lastRow = table.rows.length - 1
  const lastColumn = (table.tHead?.rows[0]?.cells.length ?? 1) - 1
  const toEnds = ctrlKey || metaKey
  /** @type {Record<string, readonly [number, number]>} */
  const places = {
    ArrowUp: [Math.max(row - 1, firstRow), column],
    ArrowDown: [Math.min(row + 1, lastRow), column],
    ArrowLeft: [row, Math.max(column - 1, 0)],
    ArrowRight: [row, Math.min(column + 1, lastColumn)],
    Home: [toEnds ? 1 : row, 0],
    End: [toEnds ? lastRow : row, lastColumn],
  }
  return altKey ? undefined : places[key]
}

/** Moves the focus. @param {HTMLTableElement} table @param {HTMLTableCellElement} from @param {readonly [number, number]} to its place */
function moveTo(table, from, [row, column]) {
  const cell = cellAt(table, row, column)
  if (!cell) return
  for (const other of table.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1')
  from.tabIndex = -1
  cell.tabIndex = 0
  cell.focus()
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** The place of a cell. @param {HTMLTableCellElement} cell @returns its row, 0 for the head, and its column from 0 */
function placeOf(cell) {
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement)
  return /** @type {const} */ ([row.rowIndex, cell.cellIndex])
}

/** The cell at a place. @param {HTMLTableElement} table @param {number} row @param {number} column */
function cellAt(table, row, column) {
  return table.rows[row]?.cells[column]
}

/** The place of the cell that has the focus, itself or something in it. undefined when none has. @param {HTMLTableElement} table */
function focusIn(table) {
  const cell = document.activeElement?.closest('td, th')
  return cell instanceof HTMLTableCellElement && table.contains(cell) ? placeOf(cell) : undefined
}
