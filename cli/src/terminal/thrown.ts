/** True if the error means that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Returns the message of a thrown value, ending with a period, to be quoted within a longer message. */
export function getErrorSentence(error: unknown): string {
  return endSentence(getErrorMessage(error))
}

/** Adds a period, unless the text already ends with one. */
export function endSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/** Returns the message of a thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
