import { parseArgs } from 'node:util'
import { messageOf } from '../formats/thrown.ts'
import { ADMIN_COMMANDS, type AdminCommand } from './commands.ts'

/** The one command that works without a service, because it changes the key that a service is opened with. */
export const ROTATE = 'master-key rotate'

const USAGE = `usage: ${[...Object.values(ADMIN_COMMANDS).map(({ usage }) => usage), ROTATE].join(' | ')}`

/** Parses the command and its options. Throws an error of one line. */
export function readCommand(args: readonly string[]): {
  readonly command: AdminCommand
  readonly values: Readonly<Record<string, string | boolean | undefined>>
} {
  const words = args.slice(0, 2).join(' ')
  if (!Object.hasOwn(ADMIN_COMMANDS, words)) throw new Error(USAGE)
  const command = ADMIN_COMMANDS[words]!
  try {
    const { values } = parseArgs({ args: args.slice(2), options: command.options })
    const missing = command.required.find((name) => !values[name])
    if (missing) throw new Error(`--${missing} is required`)
    const read = values as Readonly<Record<string, string | boolean | undefined>>
    command.check?.(read)
    return { command, values: read }
  } catch (error) {
    throw new Error(`${messageOf(error)} (usage: ${command.usage})`)
  }
}
