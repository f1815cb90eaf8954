/** The code of an error if it is a string, as for system errors and database errors. */
export function getErrorCode(error: unknown): string | undefined {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode && typeof error.code === 'string' ? error.code : undefined
}

/** The code, or else the class, of a thrown value. Never the message, which may quote request data. */
export function getErrorKind(error: unknown): string {
  return getErrorCode(error) ?? (error instanceof Error ? error.constructor.name : 'thrown')
}

/** The message of a thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The message of a thrown value, ending with a period, to be quoted within a longer message. */
export function getErrorSentence(error: unknown): string {
  return endSentence(getErrorMessage(error))
}

/** Adds a period, unless the text already ends with one. */
export function endSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/** Converts a thrown value to an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
