// How long the sentences of a text are.

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
