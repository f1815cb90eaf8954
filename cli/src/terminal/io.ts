import { AsyncLocalStorage } from 'node:async_hooks'

export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** The input and output of a command. `process` is one. */
export interface Io {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends a command that runs until Ctrl-C, in place of signals. */
  readonly interrupted?: AbortSignal
  /** Runs the server's program in place of a child process. */
  readonly serverProgram?: (args: readonly string[]) => Promise<ServerProgramResult>
}

/** The exit of the server program, and its output and errors. */
export interface ServerProgramResult {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

const current = new AsyncLocalStorage<Io>()

/** Input and output of the running command: this process, unless `withIo` has replaced it. */
export function io(): Io {
  return current.getStore() ?? process
}

export function withIo<T>(given: Io, run: () => Promise<T>): Promise<T> {
  return current.run(given, run)
}
