import type { Command } from 'commander'
import { openShell, printResult, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { nounOf } from '../terminal/noun.ts'

export const ACCOUNT_VERIFICATIONS = 'verifications of external accounts by two deposits'

interface StartOptions {
  readonly source?: string
  readonly yes?: boolean
}

/** Adds `countersign account-verifications start` and `confirm`. */
export function addAccountVerificationActions(program: Command): void {
  const verifications = nounOf(program, 'account-verifications', ACCOUNT_VERIFICATIONS)
  withShellOptions(
    verifications
      .command('start <external-account-id>')
      .description('send two small deposits to a US bank account of a customer'),
  )
    .option('--source <id>', 'the account of the platform that pays, InternalAccount:…')
    .option('--yes', 'do not ask')
    .action(async (externalAccountId: string, options: ShellOptions & StartOptions) => {
      const { source, yes } = options
      const shell = await openShell(options)
      await confirmAction(`Send two deposits of less than one US dollar each to ${externalAccountId}?`, yes)
      const begun = await shell.countersign.accountVerifications.create({
        externalAccountId,
        ...(source === undefined ? {} : { sourceAccountId: source }),
      })
      printResult(shell, begun, [
        `${begun.id} is ${begun.status}: confirm both amounts within 10 days of their delivery.`,
      ])
    })
  withShellOptions(
    verifications
      .command('confirm <id> <cents> <cents>')
      .description('confirm the amounts of the deposits, in cents, as the customer has read them'),
  ).action(async (id: string, one: string, other: string, options: ShellOptions) => {
    const shell = await openShell(options)
    const amounts = [one, other].map(centsOf)
    const confirmed = await shell.countersign.accountVerifications.confirm(id, { amounts })
    printResult(shell, confirmed, [`${id} is ${confirmed.status}. Attempts left: ${confirmed.attemptsLeft}.`])
  })
}

function centsOf(text: string): bigint {
  if (!/^[0-9]{1,2}$/.test(text)) throw new Failure(`An amount is 1 to 99 cents, not "${text}".`)
  return BigInt(text)
}
