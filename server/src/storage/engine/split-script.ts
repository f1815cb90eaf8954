/** A dollar-quoted text, a string, a quoted name, a comment, the end of a statement, or what is between them. */
const PART = /\$(\w*)\$[\s\S]*?\$\1\$|'[^']*'|"[^"]*"|--[^\n]*|;|[^$'"\-;]+|[$'"-]/g

/** The statements of a script in SQL. */
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
  return [...statements, statement.trim()].filter((one) => one !== '')
}
