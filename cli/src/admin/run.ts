import { resolve } from 'node:path'
import {
  OFFLINE_FORMS,
  type OperatorCommand,
  type OperatorOption,
  SERVICE_FORMS,
} from '@countersign/contract/operation/operator-commands'
import { runServerProgram } from '../connection/server-program.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { PRINTERS, type Values } from './printers.ts'

export type OperatorCommandName = keyof typeof PRINTERS

export const FORMS: Readonly<Record<OperatorCommandName, OperatorCommand>> = {
  ...SERVICE_FORMS,
  ...OFFLINE_FORMS,
}

export function listOptions(name: OperatorCommandName): [string, OperatorOption][] {
  return Object.entries(FORMS[name].options ?? {})
}

/**
 * Runs an operator command in the server program. `values` has the command's options, and possibly `json` and
 * `yes`. Returns the exit code, which is 1 if the result reports a problem.
 */
export async function runOperatorCommand(name: OperatorCommandName, values: Values): Promise<number> {
  const { question } = FORMS[name]
  if (question)
    await confirmAction(
      question.replace(/\{(\w+)\}/g, (_, option) => String(values[option])),
      values.yes === true,
    )
  const isJson = values.json === true
  const args = listOptions(name).flatMap(([option, { isPath }]) => {
    const value = values[option]
    if (typeof value === 'string') return [`--${option}`, isPath ? resolve(value) : value]
    return value ? [`--${option}`] : []
  })
  const output = await runInServer([...name.split(' '), ...args], isJson)
  if (typeof output === 'number') return output
  const { text, isSuccessful } = PRINTERS[name](output, values)
  io().stdout.write(isJson ? output : text)
  return isSuccessful ? 0 : 1
}

/**
 * Returns the JSON that the server program printed, or its exit code if it failed. Its error output is passed
 * on to standard error; with `isJson`, a failure is thrown as Failure instead, so that it is printed as JSON.
 */
async function runInServer(args: readonly string[], isJson: boolean): Promise<string | number> {
  const { exitCode, output, errors } = await runServerProgram(args, { captures: isJson ? 'all' : 'output' })
  if (isJson && exitCode !== 0) throw new Failure(extractError(errors))
  io().stderr.write(errors)
  return exitCode === 0 ? output : exitCode
}

/** Extracts the error message from the last line. The lines before it are warnings. */
function extractError(errors: string): string {
  const line = errors.trimEnd().split('\n').at(-1) ?? ''
  return line.replace(/^countersign: /, '') || 'The server process exited without output.'
}
