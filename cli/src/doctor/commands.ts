import type { Command } from 'commander'
import { type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { doctor } from './doctor.ts'

/** Adds `countersign doctor`. */
export function addDoctorCommand(program: Command, done: (exitCode: number) => void): void {
  withShellOptions(
    program
      .command('doctor')
      .description('say what is wrong and what to do; exits with 1 where something is'),
  ).action(async (options: ShellOptions) => done(await doctor(options)))
}
