// Single keys, the theme, and the dialog that lists the keys. Single keys do nothing while somebody writes, and can be
// switched off.

import { byId, onClick, say } from './dom.js'
import { pauseRequests } from './requests.js'
import { read } from './rows.js'
import { focusQuery } from './sql.js'
import { PANELS, showPanel } from './view.js'

const THEMES = ['system', 'light', 'dark']

export function startShortcuts() {
  const help = byId('help', HTMLDialogElement)
  const single = byId('help-single', HTMLInputElement)
  single.checked = localStorage.getItem('single-keys') !== 'off'
  single.addEventListener('change', () => localStorage.setItem('single-keys', single.checked ? 'on' : 'off'))
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
