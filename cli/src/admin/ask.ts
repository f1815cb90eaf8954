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
