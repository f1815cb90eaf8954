/** The code of an error, where it is a string, as in errors of the system and of both databases. */
export function codeOf(error: unknown): string | undefined {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode && typeof error.code === 'string' ? error.code : undefined
}

/** What was thrown, without its message, which may quote what was sent: its code, else its class. */
export function kindOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.constructor.name : 'thrown')
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A thrown value as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
