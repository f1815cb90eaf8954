import { ConnectionError, CountersignError, CredentialsError, toJson } from '@countersign/sdk'
import picocolors from 'picocolors'
import { GET_A_SERVER } from './clone.ts'
import { Failure, NoAnswer } from './failure.ts'
import { io } from './io.ts'
import { toPlainText } from './table.ts'

/**
 * An error for a program. `status` is the status of the server's response; `FAILED`, `NO_ANSWER`, `USAGE` and
 * `FAULT` are codes of this program.
 */
interface ErrorForPrograms {
  readonly status?: number
  readonly code: string
  readonly message: string
  readonly httpRequestId?: string
}

/** Writes an error to standard error: one line for a person, one JSON object for a program. */
export function writeError(error: unknown, isJson: boolean): void {
  const text = isJson ? toJson(forPrograms(error)) : describe(error)
  io().stderr.write(`${text}\n`)
}

/** Writes wrong usage as JSON. For people, commander writes it. */
export function writeUsageError(message: string): void {
  io().stderr.write(`${toJson({ code: 'USAGE', message } satisfies ErrorForPrograms)}\n`)
}

/**
 * Prints a remark next to the result, such as that there is more. A program that reads JSON finds it in the
 * result.
 */
export function note(text: string, isJson: boolean): void {
  if (!isJson) io().stderr.write(`${io().stderr.isTTY ? picocolors.dim(text) : text}\n`)
}

/** A failure that a person can fix is one line. Anything else is a fault of this program, with its stack. */
function describe(error: unknown): string {
  if (error instanceof Failure || error instanceof CredentialsError) return error.message
  if (error instanceof ConnectionError) return `${error.message} ${GET_A_SERVER}`
  if (error instanceof CountersignError) {
    const { status, code } = error
    return `The server refused: ${status} ${code}: ${toPlainText(messageOfRefusal(error))}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function forPrograms(error: unknown): ErrorForPrograms {
  if (error instanceof CountersignError) {
    const { status, code, httpRequestId } = error
    const found = httpRequestId === undefined ? {} : { httpRequestId }
    return { status, code, message: messageOfRefusal(error), ...found }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ConnectionError || error instanceof NoAnswer) return { code: 'NO_ANSWER', message }
  const isFailure = error instanceof Failure || error instanceof CredentialsError
  return { code: isFailure ? 'FAILED' : 'FAULT', message }
}

function messageOfRefusal({ message, reason }: CountersignError): string {
  return reason && reason !== message ? `${message} (${reason})` : message
}
