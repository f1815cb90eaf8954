import type { Command } from 'commander'
import {
  openShell,
  printResult,
  type Shell,
  type ShellOptions,
  withShellOptions,
} from '../connection/shell.ts'
import { findCurrency, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

interface ConfirmOptions {
  readonly yes?: boolean
}

interface ReasonOptions extends ConfirmOptions {
  readonly reason: string
}

type Deposit = Awaited<ReturnType<Shell['countersign']['deposits']['get']>>

const YES_OPTION = ['--yes', 'skip the confirmation'] as const

/** Adds the actions on a deposit: `assign`, `return`, `split`, `write-off` and `adjust`. */
export function addDepositDecisions(program: Command): void {
  const deposits = ensureNounCommand(program, 'deposits', 'incoming payments of rails')
  const addDecision = (usage: string, description: string) =>
    withShellOptions(deposits.command(usage).description(description)).option(...YES_OPTION)
  addDecision('assign <id> <account>', 'credit a deposit in suspense to an account')
    .option('--note <text>', 'stored with the deposit')
    .action(
      async (id: string, accountId: string, options: ShellOptions & ConfirmOptions & { note?: string }) =>
        decide(await openShell(options), id, {
          question: (sum) => `Credit ${sum} to ${accountId}?`,
          yes: options.yes,
          act: ({ countersign }) =>
            countersign.deposits.assign(id, { accountId, ...buildNote(options.note) }),
        }),
    )
  addDecision('return <id>', 'send a deposit in suspense back to its sender')
    .option('--note <text>', 'stored with the deposit')
    .action(async (id: string, options: ShellOptions & ConfirmOptions & { note?: string }) =>
      decide(await openShell(options), id, {
        question: (sum) => `Send ${sum} back to its sender?`,
        yes: options.yes,
        act: ({ countersign }) => countersign.deposits.return(id, buildNote(options.note)),
      }),
    )
  addDecision('split <id> <amount...>', 'divide a deposit in suspense into parts, such as 70.00 30.00')
    .requiredOption('--reason <text>', 'the reason; stored with the deposit')
    .action(async (id: string, amounts: string[], options: ShellOptions & ReasonOptions) =>
      decide(await openShell(options), id, {
        question: (sum) => `Split ${sum} into ${amounts.join(' and ')}?`,
        yes: options.yes,
        act: ({ countersign }, deposit) =>
          countersign.deposits.split(id, {
            amounts: amounts.map((text) => readAmount(text, deposit)),
            reason: options.reason,
          }),
      }),
    )
  addDecision('write-off <id>', 'book a deposit in suspense to the costs of the platform')
    .requiredOption('--reason <text>', 'the reason; stored with the deposit')
    .action(async (id: string, options: ShellOptions & ReasonOptions) =>
      decide(await openShell(options), id, {
        question: (sum) => `Write off ${sum}? The platform keeps it, and its costs go down.`,
        yes: options.yes,
        act: ({ countersign }) => countersign.deposits.writeOff(id, { reason: options.reason }),
      }),
    )
  addDecision('adjust <id> <amount>', 'book the difference between a deposit and its statement line')
    .requiredOption('--reason <text>', 'the reason; stored with the deposit')
    .action(async (id: string, amount: string, options: ShellOptions & ReasonOptions) =>
      decide(await openShell(options), id, {
        question: (sum) => `The ledger has ${sum}. Adjust it to ${amount}?`,
        yes: options.yes,
        act: ({ countersign }, deposit) =>
          countersign.deposits.adjust(id, {
            amount: readAmount(amount, deposit),
            reason: options.reason,
          }),
      }),
    )
}

interface Decision<T> {
  readonly question: (sum: string) => string
  readonly yes: boolean | undefined
  readonly act: (shell: Shell, deposit: Deposit) => PromiseLike<T>
}

/** Asks for confirmation, submits the decision, and prints the deposit's new state. */
async function decide<T extends Deposit | { readonly deposit: Deposit; readonly parts: readonly Deposit[] }>(
  shell: Shell,
  id: string,
  { question, yes, act }: Decision<T>,
): Promise<void> {
  const before = await shell.countersign.deposits.get(id)
  await confirmAction(question(formatDepositAmount(before)), yes)
  const result = await act(shell, before)
  const { deposit, parts } = 'deposit' in result ? result : { deposit: result, parts: [] }
  const isUndecided = deposit.status === before.status && deposit.updatedAt === before.updatedAt
  printResult(shell, result, [
    isUndecided
      ? 'Your vote is recorded. The decision takes effect once enough members agree.'
      : `${id} of ${formatDepositAmount(deposit)} is ${deposit.status}.`,
    ...parts.map((part) => `${part.id} of ${formatDepositAmount(part)} is ${part.status}.`),
  ])
}

function formatDepositAmount({ amount }: Deposit): string {
  return formatAmount(amount.amount, findCurrency(amount.currency.code))
}

function readAmount(text: string, { amount: { currency } }: Deposit): bigint {
  const amount = parseAmount(text, findCurrency(currency.code))
  if (amount === undefined || amount === 0n)
    throw new Failure(`The amount must be in ${currency.code}, such as 2.50, not "${text}".`)
  return amount
}

function buildNote(note: string | undefined) {
  return note === undefined ? {} : { note }
}
