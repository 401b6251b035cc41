// Single keys, the theme, and the dialog that lists the keys. Single keys do nothing while somebody writes, and can be
// switched off.

import { byId, element, onClick, say } from './dom.js'
import { pauseRequests } from './requests.js'
import { read } from './rows.js'
import { focusQuery } from './sql.js'
import { PANELS, showPanel } from './view.js'

const THEMES = ['system', 'light', 'dark']
/** In brackets: what is not a key. */
const KEYS = [
  ['1 (…) 5', 'switch to a panel'],
  ['/', 'go to the SQL box'],
  ['Ctrl (+) Enter', 'run the query'],
  ['← ↑ → ↓', 'move in a table; Home and End too, with Ctrl to its first and last cell'],
  ['Enter', "open: a table, a whole value, a row, a request; on a field's name: sort"],
  ['PageUp PageDown', 'in rows: the previous page, the next'],
  ['r', 'read the rows again'],
  ['p', 'pause or resume the requests'],
  ['t', 'theme: system, light, dark'],
  ['?', 'show this list'],
  ['Esc', 'close what is open'],
]

export function startShortcuts() {
  const help = byId('help', HTMLDialogElement)
  const single = byId('help-single', HTMLInputElement)
  single.checked = localStorage.getItem('single-keys') !== 'off'
  single.addEventListener('change', () => localStorage.setItem('single-keys', single.checked ? 'on' : 'off'))
  byId('help-keys', HTMLElement).replaceChildren(...KEYS.map(keyLine))
  onClick('help-open', () => help.showModal())
  onClick('help-close', () => help.close())
  onClick('theme', nextTheme)
  sayTheme()
  document.addEventListener('keydown', (event) => {
    if (!single.checked || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
    if (document.querySelector('dialog[open]') !== null) return
    if (!act(event.key)) return
    event.preventDefault()
  })
  /** @param {string} key */
  const act = (key) => {
    const panel = PANELS[Number(key) - 1]
    if (panel) showPanel(panel, true)
    else if (key === '/') focusQuery()
    else if (key === 'r') void read()
    else if (key === 'p') pauseRequests()
    else if (key === 't') nextTheme()
    else if (key === '?') help.showModal()
    else return false
    return true
  }
}

/** @param {readonly string[]} line */
function keyLine([keys = '', what]) {
  const [made, term] = [element('div'), element('dt')]
  for (const key of keys.split(' ')) {
    const [, plain] = /^\((.*)\)$/.exec(key) ?? []
    term.append(plain ?? element('kbd', key), ' ')
  }
  made.append(term, element('dd', what))
  return made
}

/** @param {EventTarget | null} target */
function isWriting(target) {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length] ?? 'system'
  localStorage.setItem('theme', theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  sayTheme()
}

function themeNow() {
  return document.documentElement.dataset.theme ?? 'system'
}

function sayTheme() {
  say('theme', `Theme: ${themeNow()}`)
}
