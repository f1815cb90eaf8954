import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { freezeForSafety, issueCard, liftFreeze, listCards, listPurchases, showCard } from './cards.ts'
import { clearPurchase, returnPurchase, useCard } from './sandbox-purchases.ts'
import { changeState, delegateKey, setFundingSources } from './signed-changes.ts'

const SIGNED = `
The cardholder must sign this with a session of their embedded wallet. In a sandbox, this program signs in for them with the
sandbox's fixed code. In production, only the customer's device can sign: use the SDK in your app.`

const MERCHANT = `
In production, merchants do this through the card network. Only a sandbox can simulate it.`

/** Adds a subcommand of `countersign card` with the common options. */
type Add = (usage: string, description: string) => Command

/** Adds `countersign card …`. */
export function addCardCommands(program: Command): void {
  const card = program
    .command('card')
    .description('issue, freeze and close cards of your platform; in a sandbox, also use them')
  const add: Add = (usage, description) => withShellOptions(card.command(usage).description(description))
  addIssuingCommands(add)
  addSignedCommands(add)
  addMerchantCommands(add)
}

function addIssuingCommands(add: Add): void {
  add('issue', 'request a card and wait for the decision of the issuer')
    .requiredOption('--customer <id>', 'the cardholder, Customer:…')
    .option('--accounts <list>', 'the funding sources, comma-separated, in the order of use')
    .option(
      '--currency <code>',
      'instead of --accounts: all accounts of the cardholder in this currency',
      'USD',
    )
    .option(
      '--platform-card-id <id>',
      'your own id for the card; in a sandbox, its last characters select an outcome',
    )
    .action(async (options: ShellOptions & Parameters<typeof issueCard>[1]) =>
      issueCard(await openShell(options), options),
    )
  add('list', 'list cards, the newest first')
    .option('--customer <id>', 'only cards of this cardholder')
    .option('--state <state>', 'only PENDING_KYC, PROCESSING, ACTIVE, FROZEN or CLOSED')
    .action(async (options: ShellOptions & Parameters<typeof listCards>[1]) =>
      listCards(await openShell(options), options),
    )
  add('show <card>', 'show a card, its funding sources, and the page with its number').action(
    async (id: string, options: ShellOptions) => showCard(await openShell(options), id),
  )
  add('transactions <card>', 'list the purchases by a card, the newest first').action(
    async (id: string, options: ShellOptions) => listPurchases(await openShell(options), id),
  )
}

function addSignedCommands(add: Add): void {
  add('freeze <card>', 'decline new purchases until it is unfrozen')
    .option('--for-safety <reason>', 'as the platform, without the cardholder')
    .option('--cardholder-may-lift', 'with --for-safety: the cardholder may unfreeze it')
    .addHelpText('after', SIGNED)
    .action(
      async (id: string, options: ShellOptions & { forSafety?: string; cardholderMayLift?: boolean }) => {
        const shell = await openShell(options)
        const { forSafety, cardholderMayLift = false } = options
        if (forSafety === undefined) return changeState(shell, id, 'FROZEN')
        await freezeForSafety(shell, id, { reason: forSafety, cardholderMayLift })
      },
    )
  add('unfreeze <card>', 'unfreeze a card')
    .option('--for-safety <reason>', "lift the platform's own freeze, without the cardholder")
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { forSafety?: string }) => {
      const shell = await openShell(options)
      if (options.forSafety === undefined) return changeState(shell, id, 'ACTIVE')
      await liftFreeze(shell, id, options.forSafety)
    })
  add('close <card>', 'close a card permanently; earlier authorizations stay valid')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { yes?: boolean }) => {
      await confirmAction(`Close ${id} permanently?`, options.yes)
      await changeState(await openShell(options), id, 'CLOSED')
    })
  add('sources <card>', 'replace the funding sources')
    .requiredOption('--accounts <list>', 'in the order of use, separated by commas')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { accounts: string }) =>
      setFundingSources(await openShell(options), id, options.accounts),
    )
  add('delegate <card>', 'let the card draw on the embedded wallet among its accounts')
    .option('--nickname <text>', 'name of the key', 'Card')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { nickname: string }) =>
      delegateKey(await openShell(options), id, options.nickname),
    )
}

function addMerchantCommands(add: Add): void {
  add('use <card> <amount>', 'simulate a purchase for an amount such as 12.50, in the currency of the card')
    .option('--merchant <text>', 'name of the merchant; its last characters select an outcome', 'COFFEE SHOP')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { merchant: string }) =>
      useCard(await openShell(options), id, amount, options.merchant),
    )
  add(
    'clear <card> <amount>',
    'claim an amount as the merchant: less than authorized, all of it, or more (a tip); 0 claims nothing more',
  )
    .option('--purchase <id>', 'CardTransaction:… (default: the latest purchase)')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { purchase?: string }) =>
      clearPurchase(await openShell(options), id, amount, options.purchase),
    )
  add('return <card> <amount>', 'refund an amount as the merchant, up to the claimed amount')
    .option('--purchase <id>', 'CardTransaction:… (default: the latest purchase)')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { purchase?: string }) =>
      returnPurchase(await openShell(options), id, amount, options.purchase),
    )
}
