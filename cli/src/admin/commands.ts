import { keysOf } from '@countersign/contract/core/objects'
import { OPERATOR_NOUNS, type OperatorOption } from '@countersign/contract/operation/operator-commands'
import type { Command } from 'commander'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { PRINTERS, type Values } from './printers.ts'
import { FORMS, listOptions, type OperatorCommandName as Name, runOperatorCommand } from './run.ts'

type Names = [Name, ...Name[]]
type OnExit = (exitCode: number) => void

/**
 * Adds the operator commands, which work directly on the database, such as `countersign platform …` and
 * `countersign token …`.
 */
export function addAdminCommands(program: Command, onExit: OnExit): void {
  const namesByCommand = new Map<string, Names>()
  for (const name of keysOf(PRINTERS)) {
    const commandName = FORMS[name].cli
    const existing = commandName === undefined ? undefined : namesByCommand.get(commandName)
    if (existing) existing.push(name)
    else if (commandName !== undefined) namesByCommand.set(commandName, [name])
  }
  for (const [commandName, names] of namesByCommand) addCommand(program, commandName, names, onExit)
}

/** Adds a command that runs a command of the server executable. */
function addCommand(program: Command, commandName: string, names: Names, onExit: OnExit): void {
  const [noun = '', verb] = commandName.split(' ')
  const parent =
    verb === undefined ? program : ensureNounCommand(program, noun, OPERATOR_NOUNS[noun]?.description ?? '')
  const command = parent.command(verb ?? noun).description(FORMS[names[0]].description)
  const options = names.flatMap((name) => listOptions(name))
  for (const [name, { value, description, required, isArgument, cliName = name }] of options) {
    const isRequired = required !== undefined && names.length === 1
    const placeholder = value?.toLowerCase()
    if (isArgument) command.argument(isRequired ? `<${placeholder}>` : `[${placeholder}]`, description)
    else if (isRequired) command.requiredOption(`--${cliName} <${placeholder}>`, description)
    else command.option(`--${cliName}${value === undefined ? '' : ` <${placeholder}>`}`, description)
  }
  if (names.some((name) => FORMS[name].question)) command.option('--yes', 'skip the confirmation')
  command.option('--json', 'print JSON').action(async () => {
    const values = { ...command.opts<Values>() }
    const operands = options.filter(([, { isArgument }]) => isArgument)
    for (const [index, [name]] of operands.entries()) values[name] = command.args[index]
    for (const [name, { cliName }] of options) if (cliName) values[name] = values[cliName]
    onExit(await runOperatorCommand(chooseCommand(names, values), values))
  })
}

/**
 * Chooses between commands that share a name: returns the one whose required options are present. Throws
 * Failure if only some of them are.
 */
function chooseCommand(names: Names, values: Values): Name {
  const listRequired = (name: Name) => listOptions(name).filter((option) => option[1].required)
  const isPresent = ([name]: [string, OperatorOption]) => values[name] !== undefined
  const match = names.find((name) => listRequired(name).some(isPresent))
  if (names.length === 1 || !match) return names.find((name) => listRequired(name).length === 0) ?? names[0]
  if (listRequired(match).every(isPresent)) return match
  const flags = listRequired(match).map(([name, { cliName = name }]) => `--${cliName}`)
  throw new Failure(`${flags.join(' and ')} must be used together.`)
}
