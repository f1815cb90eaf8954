import { parseArgs } from 'node:util'
import { getOwnValue, isKeyOf } from '@countersign/contract/core/objects'
import {
  OFFLINE_FORMS,
  type OfflineCommand,
  type OperatorCommand,
  SERVICE_FORMS,
  type ServiceCommand,
} from '@countersign/contract/operation/operator-commands'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { CHECKS, type Values } from './forms.ts'

interface ParsedCommand<Name> {
  readonly name: Name
  readonly values: Values
}

/** Throws a one-line error if the command or an option is unknown. */
export function checkCommand(args: readonly string[]): void {
  if (!readOffline(args)) readCommand(args)
}

/** Parses a command that needs a service. Throws a one-line error. */
export function readCommand(args: readonly string[]): ParsedCommand<ServiceCommand> {
  const options = parseCommand(SERVICE_FORMS, args)
  if (options) return options
  const all: [string, OperatorCommand][] = Object.entries({ ...SERVICE_FORMS, ...OFFLINE_FORMS })
  throw new Error(`usage: ${all.map(([name, form]) => formatUsage(name, form)).join(' | ')}`)
}

/** Parses a command that needs no service. Undefined for other commands. Throws a one-line error. */
export function readOffline(args: readonly string[]): ParsedCommand<OfflineCommand> | undefined {
  return parseCommand(OFFLINE_FORMS, args)
}

function parseCommand<Name extends string>(
  forms: Readonly<Record<Name, OperatorCommand>>,
  args: readonly string[],
): ParsedCommand<Name> | undefined {
  const commandName = args.slice(0, 2).join(' ')
  if (!isKeyOf(forms, commandName)) return undefined
  const form: OperatorCommand = forms[commandName]
  const options = Object.entries(form.options ?? {})
  try {
    const { values } = parseArgs({
      args: args.slice(2),
      options: Object.fromEntries(
        options.map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
      ),
    })
    const parsed: Values = values
    const missing = options.find(([name, { required }]) => required === true && !parsed[name])
    if (missing) throw new Error(`--${missing[0]} is required.`)
    getOwnValue(CHECKS, commandName)?.(parsed)
    return { name: commandName, values: parsed }
  } catch (error) {
    throw new Error(`${getErrorMessage(error)} (usage: ${formatUsage(commandName, form)})`)
  }
}

/** For example `token list --platform ID`. Options that are not required are in brackets. */
function formatUsage(name: string, { options = {} }: OperatorCommand): string {
  const optionTexts = Object.entries(options).map(([option, { value, required }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`
    return required === true ? text : `[${text}]`
  })
  return [name, ...optionTexts].join(' ')
}
