import type { Command } from 'commander'
import { openShell, printResult, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

export const ACCOUNT_VERIFICATIONS = 'verify external accounts with two small deposits'

interface StartOptions {
  readonly source?: string
  readonly yes?: boolean
}

/** Adds `countersign account-verifications start` and `confirm`. */
export function addAccountVerificationActions(program: Command): void {
  const verifications = ensureNounCommand(program, 'account-verifications', ACCOUNT_VERIFICATIONS)
  withShellOptions(
    verifications
      .command('start <external-account-id>')
      .description('send two small deposits to a US bank account of a customer'),
  )
    .option('--source <id>', 'the account of the platform that pays, InternalAccount:…')
    .option('--yes', 'skip the confirmation')
    .action(async (externalAccountId: string, options: ShellOptions & StartOptions) => {
      const { source, yes } = options
      const shell = await openShell(options)
      await confirmAction(`Send two deposits of less than one US dollar each to ${externalAccountId}?`, yes)
      const verification = await shell.countersign.accountVerifications.create({
        externalAccountId,
        ...(source === undefined ? {} : { sourceAccountId: source }),
      })
      printResult(shell, verification, [
        `${verification.id} is ${verification.status}: confirm both amounts within 10 days of their delivery.`,
      ])
    })
  withShellOptions(
    verifications
      .command('confirm <id> <cents> <cents>')
      .description('confirm the amounts of the deposits, in cents, as the customer reports them'),
  ).action(async (id: string, firstCents: string, secondCents: string, options: ShellOptions) => {
    const shell = await openShell(options)
    const amounts = [firstCents, secondCents].map(parseCents)
    const verification = await shell.countersign.accountVerifications.confirm(id, { amounts })
    printResult(shell, verification, [
      `${id} is ${verification.status}. Attempts left: ${verification.attemptsLeft}.`,
    ])
  })
}

function parseCents(text: string): bigint {
  if (!/^[0-9]{1,2}$/.test(text)) throw new Failure(`An amount must be from 1 to 99 cents, not "${text}".`)
  return BigInt(text)
}
