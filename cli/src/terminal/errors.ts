import { ConnectionError, CountersignError, CredentialsError, toJson } from '@countersign/sdk'
import picocolors from 'picocolors'
import { GET_A_SERVER } from './clone.ts'
import { Failure, NoResponse } from './failure.ts'
import { io } from './io.ts'
import { toPlainText } from './table.ts'

/**
 * An error as JSON. `status` is the server's response status. This program's own codes are `FAILED`,
 * `NO_ANSWER`, `USAGE` and `FAULT`.
 */
interface ErrorObject {
  readonly status?: number
  readonly code: string
  readonly message: string
  readonly httpRequestId?: string
}

/** Writes an error to standard error: as a JSON object with `isJson`, otherwise as one line of text. */
export function writeError(error: unknown, isJson: boolean): void {
  const text = isJson ? toJson(toErrorObject(error)) : describe(error)
  io().stderr.write(`${text}\n`)
}

/** Writes a usage error as JSON. Without --json, commander writes it. */
export function writeUsageError(message: string): void {
  io().stderr.write(`${toJson({ code: 'USAGE', message } satisfies ErrorObject)}\n`)
}

/**
 * Prints a note to standard error, such as that there are more records. The JSON output already contains this
 * information.
 */
export function printNote(text: string, isJson: boolean): void {
  if (!isJson) io().stderr.write(`${io().stderr.isTTY ? picocolors.dim(text) : text}\n`)
}

/**
 * Formats a failure that a person can fix as one line. Anything else is a bug in this program and is shown
 * with its stack.
 */
function describe(error: unknown): string {
  if (error instanceof Failure || error instanceof CredentialsError) return error.message
  if (error instanceof ConnectionError) return `${error.message} ${GET_A_SERVER}`
  if (error instanceof CountersignError) {
    const { status, code } = error
    return `The server refused: ${status} ${code}: ${toPlainText(describeRefusal(error))}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function toErrorObject(error: unknown): ErrorObject {
  if (error instanceof CountersignError) {
    const { status, code, httpRequestId } = error
    const requestId = httpRequestId === undefined ? {} : { httpRequestId }
    return { status, code, message: describeRefusal(error), ...requestId }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ConnectionError || error instanceof NoResponse) return { code: 'NO_ANSWER', message }
  const isFailure = error instanceof Failure || error instanceof CredentialsError
  return { code: isFailure ? 'FAILED' : 'FAULT', message }
}

function describeRefusal({ message, reason }: CountersignError): string {
  return reason && reason !== message ? `${message} (${reason})` : message
}
