import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { ensureNounCommand } from '../terminal/noun.ts'
import { type SendOptions, sendPayouts } from './send.ts'

const FILE = `
The file is UTF-8, separated by commas, with a header row: docs/bulk-payouts.md has the columns. It is checked first, and nothing
is paid before you confirm the totals. Sending the same file again continues where it stopped, and pays no line twice: to pay it a
second time, pass another --key and --again.`

/** Adds `countersign payouts …`. */
export function addPayoutCommands(program: Command): void {
  const payouts = ensureNounCommand(program, 'payouts', 'many payments out together')
  withShellOptions(
    payouts
      .command('send <file>')
      .description('check the payouts of a CSV file, and pay them once you confirm'),
  )
    .option('--dry-run', 'check the file, and pay nothing')
    .option('--skip-faulty', 'if some lines have errors, pay the others')
    .option('--name <text>', 'a display name for the batch')
    .option('--key <text>', 'the idempotency key (default: from the content of the file)')
    .option('--faults <file>', 'write the lines that cannot be paid to this CSV file')
    .option('--again', 'pay a file that was paid before')
    .option('--yes', 'pay without asking for confirmation')
    .addHelpText('after', FILE)
    .action(async (file: string, options: ShellOptions & SendOptions) =>
      sendPayouts(await openShell(options), file, options),
    )
}
