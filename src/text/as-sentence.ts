// Where a full stop belongs. Knows no text.

/** @param text without its end, but a question has its mark */
export function asSentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`
}
