/** The code of an error that has one as a word, as those of the system and of both databases do. */
export function codeOf(error: unknown): string | undefined {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode && typeof error.code === 'string' ? error.code : undefined
}

/** What something thrown says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
