// How long the sentences of a text are, and how comments begin and what they are made of.

/** Markdown without what is not prose: code, tables, pictures, diagrams, comments; links are their words.
 *  @returns its sentences, each with its words */
export function sentencesIn(page: string): string[][] {
  const prose = page
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/^ *```[^]*?^ *```/gm, '\n\n')
    .replaceAll(/^ *(?:#+ .*|\|.*)$/gm, '\n')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
  // a paragraph or an item of a list ends its sentence, with or without a full stop
  const blocks = prose.split(/\n\s*\n|\n *(?:[-*]|\d+\.) +/)
  return blocks.flatMap((block) => sentences(block))
}

/** @param text without markup
 *  @returns its sentences, each with its words */
export function sentences(text: string): string[][] {
  return text
    .split(/(?<=[.!?][)"”*]*)\s+/)
    .map((sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)))
    .filter((words) => words.length > 0)
}

/** Words a sentence. */
export function meanLength(all: readonly (readonly string[])[]): number {
  return all.reduce((sum, { length }) => sum + length, 0) / all.length
}

/** The habits of comments that make a reader guess; CONTRIBUTING.md has the rule. */
export const HABITS = {
  'a doc comment opens with Of, As, By, In or At': (text: string) =>
    docs(text).filter((doc) => /^(?:Of|As|By|In|At)\b/.test(doc)),
  'a doc comment opens with All, Those, Whose, What or Where': (text: string) =>
    docs(text).filter((doc) => /^(?:All|Those|Whose|What|Where)\b/.test(doc)),
  'absence is explained by a colon': (text: string) =>
    comments(text).filter((comment) => /\b(?:undefined|null|absent|none|without)(?: [a-z' ]{0,30})?:\s/i.test(comment)),
  'a comment speaks of persons': (text: string) =>
    comments(text).filter((comment) =>
      /\b(?:nobody|somebody|whoever|anybody|someone|everybody|no one)\b/i.test(comment),
    ),
  'a heading begins a second idea': (text: string) =>
    [...text.matchAll(/\n\n((?:\/\/ .*\n)+)\n/g)].map(([, heading]) => heading!),
} satisfies Record<string, (text: string) => string[]>

/** The texts of doc comments, on one line each. */
function docs(text: string): string[] {
  return Array.from(text.matchAll(/\/\*\*([^]*?)\*\//g), ([, doc]) => doc!.replaceAll(/\s*\n\s*\* ?/g, ' ').trim())
}

function comments(text: string): string[] {
  return Array.from(text.matchAll(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g), ([comment]) => comment)
}
