import type { Command } from 'commander'

/** Finds or creates the command of a noun such as `customers`, to which several modules add verbs. */
export function ensureNounCommand(program: Command, name: string, description: string): Command {
  const existing = program.commands.find((command) => command.name() === name)
  return existing ?? program.command(name).description(description)
}
