import type { Command } from 'commander'

/** The commands of a noun, such as `customers`: several parts of the program add verbs to one. */
export function nounOf(program: Command, name: string, description: string): Command {
  const known = program.commands.find((command) => command.name() === name)
  return known ?? program.command(name).description(description)
}
