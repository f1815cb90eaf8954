/**
 * A dollar-quoted string, a string, a quoted name, a comment, the end of a statement, or any text in between.
 */
const PART = /\$(\w*)\$[\s\S]*?\$\1\$|'[^']*'|"[^"]*"|--[^\n]*|;|[^$'"\-;]+|[$'"-]/g

/** Splits an SQL script into its statements. */
export function splitScript(sql: string): string[] {
  const statements: string[] = []
  let statement = ''
  for (const [part] of sql.matchAll(PART)) {
    if (part.startsWith('--')) continue
    if (part !== ';') {
      statement += part
      continue
    }
    statements.push(statement.trim())
    statement = ''
  }
  return [...statements, statement.trim()].filter((part) => part !== '')
}
