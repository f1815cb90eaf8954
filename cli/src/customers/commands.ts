import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { importCustomers } from './import.ts'

const FILE = `
The file is UTF-8, separated by commas, with a header row: docs/customers-import.md has the columns. Each row becomes a
customer, and one that is refused leaves the others. The same file again makes no customer twice.`

/** Adds `countersign customers …`. */
export function addCustomerCommands(program: Command): void {
  const customers = ensureNounCommand(program, 'customers', 'customers of your platform')
  withShellOptions(
    customers
      .command('import <file>')
      .description('create customers from a CSV file, and wait for the result'),
  )
    .option('--errors <file>', 'write the rejected rows to this CSV file')
    .addHelpText('after', FILE)
    .action(async (file: string, options: ShellOptions & { errors?: string }) =>
      importCustomers(await openShell(options), file, options.errors),
    )
}
