// Lines as a terminal shows them, as a picture in SVG.

export const TERMINAL_COLUMNS = 110

const CHARACTER = { width: 7.6, height: 19 }
const BAR = 34
const PADDING = 18
const BACKGROUND = '#0d1117'

export const COLOURS = {
  plain: '#c9d1d9',
  faint: '#7d8590',
  step: '#58a6ff',
  good: '#3fb950',
  warn: '#d29922',
} as const

/** @param colourOf of a line */
export function terminalPicture(title: string, lines: readonly string[], colourOf: (line: string) => string): string {
  const width = Math.round(TERMINAL_COLUMNS * CHARACTER.width + 2 * PADDING)
  const height = BAR + lines.length * CHARACTER.height + PADDING
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) => `<circle cx="${PADDING + 6 + index * 20}" cy="17" r="6" fill="${color}"/>`,
  )
  const texts = lines.flatMap((line, index) => (line === '' ? [] : [textOf(line, index, colourOf(line))]))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>`,
    ...buttons,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12.5">`,
    ...texts,
    '</g>',
    '</svg>\n',
  ].join('\n')
}

function textOf(line: string, index: number, colour: string): string {
  const shown = line.length > TERMINAL_COLUMNS ? `${line.slice(0, TERMINAL_COLUMNS - 1)}…` : line
  const y = BAR + (index + 1) * CHARACTER.height - 6
  const width = Math.round(shown.length * CHARACTER.width * 10) / 10
  // blanks in a row would be drawn as one
  const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')
  return `<text x="${PADDING}" y="${y}" fill="${colour}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped}</text>`
}
