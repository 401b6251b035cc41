// The document's elements. Text only ever becomes text here: rows hold whatever somebody pushed.

import { visible } from './format.js'

/**
 * The element of that id, which index.html has. Throws when it is none of that kind.
 * @template {HTMLElement | SVGElement} E
 * @param {string} id
 * @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`)
  return found
}

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {string} [text]
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[N]}
 */
export function element(name, text = '', className = '') {
  const made = document.createElement(name)
  if (text !== '') made.textContent = text
  if (className !== '') made.className = className
  return made
}

/** @param {string} value @param {string} text */
export function optionOf(value, text) {
  const option = element('option', visible(text))
  option.value = value
  return option
}

/** @param {string} id of a select @param {readonly string[]} texts */
export function addOptions(id, texts) {
  byId(id, HTMLSelectElement).append(...texts.map((text) => optionOf(text, text)))
}

/** Writes only what changes: a screen reader is told of every write. @param {string} id @param {string} text */
export function say(id, text) {
  const at = byId(id, HTMLElement)
  if (at.textContent !== text) at.textContent = text
}

/** @param {string} id @param {boolean} isShown */
export function show(id, isShown) {
  byId(id, HTMLElement).hidden = !isShown
}

/** What went wrong, or nothing. @param {string} id @param {string | undefined} wrong */
export function showError(id, wrong) {
  say(id, wrong ?? '')
  show(id, wrong !== undefined)
}

/** @param {string} id @param {() => void | Promise<void>} act */
export function onClick(id, act) {
  byId(id, HTMLElement).addEventListener('click', () => void act())
}

/** @param {string} id @param {() => void | Promise<void>} act */
export function onSubmit(id, act) {
  byId(id, HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    void act()
  })
}

/** What is written or chosen in a field. @param {string} id */
export function fieldText(id) {
  const field = byId(id, HTMLElement)
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : ''
}

/** @param {string} question @returns {Promise<boolean>} whether it is to be done */
export function confirmed(question) {
  const dialog = byId('confirm', HTMLDialogElement)
  say('confirm-text', question)
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
  })
}

/** What is pressed in a menu closes it first, so that the focus is back on the menu's button when something else opens. */
export function startMenus() {
  for (const menu of document.querySelectorAll('.menu')) {
    for (const part of menu.querySelectorAll('button, a'))
      part.addEventListener('click', () => menu instanceof HTMLElement && menu.hidePopover(), true)
  }
}

/** @param {string} text @returns {Promise<boolean>} whether it is in the clipboard */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
