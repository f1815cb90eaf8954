import { keysOf } from '@countersign/contract/core/objects'
import { OPERATOR_NOUNS, type OperatorOption } from '@countersign/contract/operation/operator-commands'
import type { Command } from 'commander'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { PRINTERS, type Values } from './printers.ts'
import { FORMS, listOptions, type OperatorCommandName as Name, runOperatorCommand } from './run.ts'

type Names = [Name, ...Name[]]
type Done = (exitCode: number) => void

/**
 * Adds the operator commands, which work directly on the database: `countersign platform …`, `token …` and
 * others.
 */
export function addAdminCommands(program: Command, done: Done): void {
  const byWords = new Map<string, Names>()
  for (const name of keysOf(PRINTERS)) {
    const words = FORMS[name].cli
    const existing = words === undefined ? undefined : byWords.get(words)
    if (existing) existing.push(name)
    else if (words !== undefined) byWords.set(words, [name])
  }
  for (const [words, names] of byWords) addCommand(program, words, names, done)
}

/** Adds a command that runs one of the server program's commands. */
function addCommand(program: Command, words: string, names: Names, done: Done): void {
  const [noun = '', verb] = words.split(' ')
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
    done(await runOperatorCommand(chooseCommand(names, values), values))
  })
}

/**
 * Several commands may share one name. Chooses the one whose required options are given, and throws Failure
 * if only some of them are.
 */
function chooseCommand(names: Names, values: Values): Name {
  const required = (name: Name) => listOptions(name).filter((option) => option[1].required)
  const isGiven = ([name]: [string, OperatorOption]) => values[name] !== undefined
  const match = names.find((name) => required(name).some(isGiven))
  if (names.length === 1 || !match) return names.find((name) => required(name).length === 0) ?? names[0]
  if (required(match).every(isGiven)) return match
  const flags = required(match).map(([name, { cliName = name }]) => `--${cliName}`)
  throw new Failure(`${flags.join(' and ')} must be used together.`)
}
