import { runServerProgram } from '../terminal/server-program.ts'

/** Runs the server's program, which works on the database itself and writes errors to standard error. */
export async function ask<T>(
  args: readonly string[],
  isJson: boolean,
  inWords: (answer: T) => string,
): Promise<number> {
  const { exitCode, output } = await runServerProgram(args, { captures: true })
  if (exitCode !== 0) return exitCode
  const answer = JSON.parse(output) as T
  process.stdout.write(isJson ? `${JSON.stringify(answer)}\n` : inWords(answer))
  return 0
}

/** Columns of a fixed width, except the last; or `none` where there are no rows. */
export function tableOf(rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return `${none}\n`
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column]!)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}
