// Two small plots of the last two minutes, a point a second. Knows nothing of where the figures come from.

import { byId, say } from './dom.js'
import { count } from './format.js'

const WIDTH = 240
const HEIGHT = 48
const NAMESPACE = 'http://www.w3.org/2000/svg'

/** @param {readonly (readonly [requests: number, points: number])[]} seconds oldest first */
export function showPlots(seconds) {
  plot(
    'requests',
    'requests',
    seconds.map(([requests]) => requests),
  )
  plot(
    'points',
    'points',
    seconds.map(([, points]) => points),
  )
}

/**
 * @param {string} id
 * @param {string} what
 * @param {readonly number[]} values
 */
function plot(id, what, values) {
  const peak = Math.max(...values, 0)
  const last = values.at(-1) ?? 0
  say(`${id}-now`, count(last))
  say(`${id}-peak`, `peak ${count(peak)}`)
  const figure = byId(`${id}-plot`, SVGElement)
  figure.setAttribute('aria-label', `${what} a second: ${count(last)} now, at most ${count(peak)} in two minutes`)
  const step = WIDTH / Math.max(values.length - 1, 1)
  const points = values.map((value, index) => `${round(index * step)} ${round(heightOf(value, peak))}`)
  draw(figure, 'area', `M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}Z`)
  draw(figure, 'line', `M${points.join('L')}`)
}

/**
 * @param {number} value
 * @param {number} peak
 */
function heightOf(value, peak) {
  return peak === 0 ? HEIGHT - 1 : HEIGHT - 1 - (value / peak) * (HEIGHT - 4)
}

/**
 * @param {SVGElement} figure
 * @param {string} name
 * @param {string} path
 */
function draw(figure, name, path) {
  let found = figure.querySelector(`.${name}`)
  if (!found) {
    found = document.createElementNS(NAMESPACE, 'path')
    found.setAttribute('class', name)
    figure.append(found)
  }
  found.setAttribute('d', path)
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}
