// Ways in which a server, a proxy or a library may write a key or an address that holds it.

const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
const ascii = (text: string): string =>
  JSON.stringify(text).replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const inner = (json: string): string => json.slice(1, -1)

export const FORMS: Readonly<Record<string, (text: string) => string>> = {
  literal: (text) => text,
  'in a URL': (text) => encodeURIComponent(text),
  'in a URL, lower case': (text) => lower(encodeURIComponent(text)),
  'in a URL, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a URL': (text) => encodeURI(text),
  'as a form': (text) => new URLSearchParams([['k', text]]).toString().slice(2),
  'every byte in a URL': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  JSON: (text) => inner(JSON.stringify(text)),
  'JSON in ASCII': (text) => inner(ascii(text)),
  'JSON in JSON': (text) => inner(JSON.stringify(JSON.stringify(text))),
  'JSON in ASCII in JSON': (text) => inner(JSON.stringify(ascii(text))),
  'JSON with escaped slashes': (text) => inner(JSON.stringify(text)).replaceAll('/', '\\/'),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64, second place': (text) => Buffer.from(`u${text} and more`).toString('base64'),
  'base64, third place': (text) => Buffer.from(`us${text} and more`).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'a dump of bytes': (text) =>
    Buffer.from(text)
      .toString('hex')
      .replace(/..(?=.)/g, '$& '),
  'with white space within': (text) => Array.from(text).join(' '),
  'with signs of no width within': (text) => Array.from(text).join('\u200b'),
  HTML: (text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'HTML in numbers': (text) => Array.from(text, (sign) => `&#${sign.codePointAt(0)};`).join(''),
  'HTML in hexadecimal numbers': (text) =>
    Array.from(text, (sign) => `&#x${sign.codePointAt(0)!.toString(16)};`).join(''),
}

/** A text in all of them, a line each. */
export function inAllForms(text: string): string {
  return Object.entries(FORMS)
    .map(([name, write]) => `${name}: ${write(text)}`)
    .join('\n')
}
