import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { currencyOf, formatAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { nounOf } from '../terminal/noun.ts'

interface LiftOptions {
  readonly reason: string
  readonly yes?: boolean
}

/** Adds `countersign holds lift`. */
export function addHoldLift(program: Command): void {
  const holds = nounOf(program, 'holds', 'pulled money that cannot be spent yet')
  withShellOptions(holds.command('lift <id>').description('end a hold before its time'))
    .requiredOption('--reason <text>', 'the reason; stored with the hold')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: ShellOptions & LiftOptions) =>
      lift(await openShell(options), id, options),
    )
}

async function lift(shell: Shell, id: string, { reason, yes }: LiftOptions): Promise<void> {
  const { amount, accountId } = await shell.countersign.fundsHolds.get(id)
  const sum = formatAmount(amount.amount, currencyOf(amount.currency.code))
  await confirmAction(`Let ${accountId} spend ${sum} now? A return by the bank may then be owed to you.`, yes)
  const hold = await shell.countersign.fundsHolds.lift(id, { reason })
  printResult(shell, hold, [
    hold.status === 'HELD'
      ? 'Your vote is stored. It counts once enough members have voted for it.'
      : `${id} of ${sum} is ${hold.status}.`,
  ])
}
