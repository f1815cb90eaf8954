import { runServerProgram } from '../connection/server-program.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'

/**
 * Runs the server's program, which works on the database itself, and shows its output. Throws like
 * `askServer`.
 */
export async function ask<T>(
  args: readonly string[],
  isJson: boolean,
  describe: (answer: T) => string,
): Promise<number> {
  const { exitCode, output } = await askServer(args, isJson)
  if (exitCode !== 0) return exitCode
  const answer: T = JSON.parse(output)
  io().stdout.write(isJson ? `${JSON.stringify(answer)}\n` : describe(answer))
  return 0
}

/**
 * The output of the server's program, as JSON. It writes an error to standard error itself; for a program
 * (`isJson`) it throws a Failure instead, which is shown as JSON.
 */
export async function askServer(
  args: readonly string[],
  isJson: boolean,
): Promise<{ exitCode: number; output: string }> {
  const { exitCode, output, errors } = await runServerProgram(args, { captures: isJson ? 'all' : 'output' })
  if (isJson && exitCode !== 0) throw new Failure(errorIn(errors))
  io().stderr.write(errors)
  return { exitCode, output }
}

/** The last line, which has the reason; lines before are warnings. */
function errorIn(errors: string): string {
  const line = errors.trimEnd().split('\n').at(-1) ?? ''
  return line.replace(/^countersign: /, '') || 'The server process exited without output.'
}
