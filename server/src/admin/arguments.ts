import { parseArgs } from 'node:util'
import { messageOf } from '../formats/thrown.ts'
import { ADMIN_COMMANDS, type AdminCommand, type CommandForm, type Values } from './commands.ts'
import { OFFLINE_COMMANDS, type OfflineCommand } from './offline-commands.ts'

/** A command with its options. */
interface Read<Command extends CommandForm> {
  readonly command: Command
  readonly values: Values
}

const ALL = [...Object.values(ADMIN_COMMANDS), ...Object.values(OFFLINE_COMMANDS)]

/** Parses a command of a service. Throws an error of one line. */
export function readCommand(args: readonly string[]): Read<AdminCommand> {
  const read = readFrom(ADMIN_COMMANDS, args)
  if (!read) throw new Error(`usage: ${ALL.map(({ usage }) => usage).join(' | ')}`)
  return read
}

/** Parses a command that needs no service; undefined where it is none. Throws an error of one line. */
export function readOffline(args: readonly string[]): Read<OfflineCommand> | undefined {
  return readFrom(OFFLINE_COMMANDS, args)
}

function readFrom<Command extends CommandForm>(
  commands: Readonly<Record<string, Command>>,
  args: readonly string[],
): Read<Command> | undefined {
  const words = args.slice(0, 2).join(' ')
  if (!Object.hasOwn(commands, words)) return undefined
  const command = commands[words]!
  try {
    const { values } = parseArgs({ args: args.slice(2), options: command.options })
    const missing = command.required.find((name) => !values[name])
    if (missing) throw new Error(`--${missing} is required`)
    const read = values as Values
    command.check?.(read)
    return { command, values: read }
  } catch (error) {
    throw new Error(`${messageOf(error)} (usage: ${command.usage})`)
  }
}
