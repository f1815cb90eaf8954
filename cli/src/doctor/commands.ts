import type { Command } from 'commander'
import { type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { runDoctor } from './doctor.ts'

/** Adds `countersign doctor`. */
export function addDoctorCommand(program: Command, done: (exitCode: number) => void): void {
  withShellOptions(
    program
      .command('doctor')
      .description('report problems with their remedies; the exit code is 1 if there are any'),
  ).action(async (options: ShellOptions) => done(await runDoctor(options)))
}
