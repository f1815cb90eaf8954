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

export function optionsOf(name: OperatorCommandName): [string, OperatorOption][] {
  return Object.entries(FORMS[name].options ?? {})
}

/** Runs a command of the server's program. `given` has its options, and may have `json` and `yes`. Returns the exit code: 1 if the result shows that something is wrong. */
export async function runOperatorCommand(name: OperatorCommandName, given: Values): Promise<number> {
  const { question } = FORMS[name]
  if (question)
    await confirmAction(
      question.replace(/\{(\w+)\}/g, (_, option) => String(given[option])),
      given.yes === true,
    )
  const isJson = given.json === true
  const args = optionsOf(name).flatMap(([option, { isPath }]) => {
    const value = given[option]
    if (typeof value === 'string') return [`--${option}`, isPath ? resolve(value) : value]
    return value ? [`--${option}`] : []
  })
  const output = await askServer([...name.split(' '), ...args], isJson)
  if (typeof output === 'number') return output
  const { words, isRight } = PRINTERS[name](output, given)
  io().stdout.write(isJson ? output : words)
  return isRight ? 0 : 1
}

/**
 * The JSON that the server's program prints, or its exit code if it fails. It writes an error to standard
 * error itself; for a program (`isJson`) it throws a Failure instead, which is shown as JSON.
 */
async function askServer(args: readonly string[], isJson: boolean): Promise<string | number> {
  const { exitCode, output, errors } = await runServerProgram(args, { captures: isJson ? 'all' : 'output' })
  if (isJson && exitCode !== 0) throw new Failure(errorIn(errors))
  io().stderr.write(errors)
  return exitCode === 0 ? output : exitCode
}

/** The last line, which has the reason; lines before are warnings. */
function errorIn(errors: string): string {
  const line = errors.trimEnd().split('\n').at(-1) ?? ''
  return line.replace(/^countersign: /, '') || 'The server process exited without output.'
}
