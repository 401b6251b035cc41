// JSON in the service's own words. Rows that are given back and scripted answers are other people's: they stay as they are.

const ESCAPES: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
}

/** The same JSON to any reader of JSON. Read as HTML, by mistake or by its label, there is no markup in it. */
export function htmlSafeJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[<>&]/g, (character) => ESCAPES[character]!)
}
