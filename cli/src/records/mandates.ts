import type { Command } from 'commander'
import { openShell, printResult, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { ensureNounCommand } from '../terminal/noun.ts'

interface NewMandate {
  readonly signed: string
  readonly reference?: string
  readonly oneOff?: boolean
  readonly collected?: string
}

interface Cancellation {
  readonly reason: string
  readonly afterNext?: boolean
  readonly yes?: boolean
}

/** Adds `countersign mandates create` and `cancel`. */
export function addMandateActions(program: Command): void {
  const mandates = ensureNounCommand(program, 'mandates', 'mandates for SEPA direct debits')
  withShellOptions(
    mandates
      .command('create <external-account>')
      .description('record a signed mandate for an external account'),
  )
    .requiredOption('--signed <date>', 'the date of the signature, YYYY-MM-DD')
    .option('--reference <text>', 'the mandate reference known to the debtor (default: a new one)')
    .option('--one-off', 'the mandate allows a single collection')
    .option('--collected <date>', 'the date of its last collection by an earlier system')
    .action(async (externalAccountId: string, options: ShellOptions & NewMandate) => {
      const shell = await openShell(options)
      const { signed, reference, oneOff, collected } = options
      const mandate = await shell.countersign.mandates.create({
        externalAccountId,
        signedOn: signed,
        ...(reference === undefined ? {} : { reference }),
        ...(oneOff ? { mandateType: 'ONE_OFF' as const } : {}),
        ...(collected === undefined ? {} : { lastCollectedOn: collected }),
      })
      const { id, debtor, expiresOn } = mandate
      printResult(shell, mandate, [
        `${id} allows debits of ${debtor.iban ?? `${debtor.sortCode} ${debtor.accountNumber}`} (${debtor.name}) as ${mandate.reference} until ${expiresOn}.`,
      ])
    })
  withShellOptions(mandates.command('cancel <id>').description('end a mandate'))
    .requiredOption('--reason <text>', 'the reason; stored with the mandate')
    .option('--after-next', 'after one more collection, which is marked as the last')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, { reason, afterNext, yes, ...options }: ShellOptions & Cancellation) => {
      const shell = await openShell(options)
      await confirmAction(`End ${id}${afterNext ? ' with its next collection' : ''}?`, yes)
      const body = { reason, ...(afterNext ? { afterNextCollection: true } : {}) }
      const mandate = await shell.countersign.mandates.cancel(id, body)
      printResult(shell, mandate, [
        afterNext ? `${id} ends with its next collection.` : `${id} is ${mandate.status}.`,
      ])
    })
}
