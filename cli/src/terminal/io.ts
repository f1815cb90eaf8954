import { AsyncLocalStorage } from 'node:async_hooks'

export interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** The input and output of a command, with the shape of `process`. */
export interface Io {
  readonly stdin: { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /** Replaces Ctrl-C as the way to stop a long-running command. */
  readonly interrupted?: AbortSignal
  /** Replaces the child process that runs the server program. */
  readonly serverProgram?: (args: readonly string[]) => Promise<ServerProgramResult>
}

/** The exit code, output and error output of the server program. */
export interface ServerProgramResult {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

const current = new AsyncLocalStorage<Io>()

/** The input and output of the running command: `process`, unless `withIo` has replaced it. */
export function io(): Io {
  return current.getStore() ?? process
}

export function withIo<T>(replacement: Io, run: () => Promise<T>): Promise<T> {
  return current.run(replacement, run)
}
