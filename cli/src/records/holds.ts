import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

interface LiftOptions {
  readonly reason: string
  readonly yes?: boolean
}

/** Adds `countersign holds lift`. */
export function addHoldLift(program: Command): void {
  const holds = ensureNounCommand(program, 'holds', 'holds on pulled money, which cannot be spent yet')
  withShellOptions(holds.command('lift <id>').description('release held money early'))
    .requiredOption('--reason <text>', 'the reason; stored with the hold')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ShellOptions & LiftOptions) =>
      lift(await openShell(options), id, options),
    )
}

async function lift(shell: Shell, id: string, { reason, yes }: LiftOptions): Promise<void> {
  const { amount, accountId } = await shell.countersign.fundsHolds.get(id)
  const sum = formatAmount(amount.amount, findCurrency(amount.currency.code))
  await confirmAction(
    `Let ${accountId} spend ${sum} now? If the bank returns the pull later, the customer may owe you the money.`,
    yes,
  )
  const hold = await shell.countersign.fundsHolds.lift(id, { reason })
  printResult(shell, hold, [
    hold.status === 'HELD'
      ? 'Your vote is recorded. The change takes effect once enough members agree.'
      : `${id} of ${sum} is ${hold.status}.`,
  ])
}
