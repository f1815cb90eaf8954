import type { Command } from 'commander'
import { openShell, type ShellOptions, withShellOptions } from '../terminal/shell.ts'
import { issueCard, listCards, listPurchases, showCard } from './cards.ts'
import { clearPurchase, returnPurchase, useCard } from './merchant.ts'
import { changeState, delegateKey, setFundingSources } from './signed.ts'

const SIGNED = `
The cardholder signs this, by a session of their embedded wallet. In sandbox this program signs in for them, with the
code that is always good there. Elsewhere only the customer's device can: your app does it with the sdk.`

const MERCHANT = `
This is what a merchant does, through the card network. It can be simulated in sandbox only.`

/** Makes a command of `countersign card …`, with the options that all of them have. */
type Add = (usage: string, description: string) => Command

/** Adds `countersign card …`. */
export function addCardCommands(program: Command): void {
  const card = program
    .command('card')
    .description('cards of your platform: issue, freeze, close; in sandbox use them')
  const add: Add = (usage, description) => withShellOptions(card.command(usage).description(description))
  addIssuing(add)
  addSigned(add)
  addMerchant(add)
}

function addIssuing(add: Add): void {
  add('issue', 'ask for a card and wait until the issuer has answered')
    .requiredOption('--customer <id>', 'the cardholder, Customer:…')
    .option('--accounts <list>', 'the accounts that pay, in the order to try them, separated by commas')
    .option('--currency <code>', 'or those accounts of the cardholder that hold it', 'USD')
    .option('--platform-card-id <id>', 'your own id of it; in sandbox its end chooses an outcome')
    .action(async (options: ShellOptions & Parameters<typeof issueCard>[1]) =>
      issueCard(await openShell(options), options),
    )
  add('list', 'cards, the newest first')
    .option('--customer <id>', 'of this cardholder only')
    .option('--state <state>', 'only PROCESSING, ACTIVE, FROZEN or CLOSED')
    .action(async (options: ShellOptions & Parameters<typeof listCards>[1]) =>
      listCards(await openShell(options), options),
    )
  add('show <card>', 'a card, what pays for it, and where its number can be seen').action(
    async (id: string, options: ShellOptions) => showCard(await openShell(options), id),
  )
  add('transactions <card>', 'what a card was used for, the newest first').action(
    async (id: string, options: ShellOptions) => listPurchases(await openShell(options), id),
  )
}

function addSigned(add: Add): void {
  add('freeze <card>', 'decline new purchases until it is unfrozen')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions) => changeState(await openShell(options), id, 'FROZEN'))
  add('unfreeze <card>', 'let a frozen card pay again')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions) => changeState(await openShell(options), id, 'ACTIVE'))
  add('close <card>', 'end a card for good; what was authorized before goes on')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions) => changeState(await openShell(options), id, 'CLOSED'))
  add('sources <card>', 'replace the accounts that pay')
    .requiredOption('--accounts <list>', 'in the order to try them, separated by commas')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { accounts: string }) =>
      setFundingSources(await openShell(options), id, options.accounts),
    )
  add('delegate <card>', 'let the card be paid from the embedded wallet among its accounts')
    .option('--nickname <text>', 'what to call the key', 'Card')
    .addHelpText('after', SIGNED)
    .action(async (id: string, options: ShellOptions & { nickname: string }) =>
      delegateKey(await openShell(options), id, options.nickname),
    )
}

function addMerchant(add: Add): void {
  add('use <card> <amount>', 'buy something, as 12.50 in the currency of the card')
    .option('--merchant <text>', 'who is paid; its end chooses an outcome', 'COFFEE SHOP')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { merchant: string }) =>
      useCard(await openShell(options), id, amount, options.merchant),
    )
  add(
    'clear <card> <amount>',
    'let the merchant claim what was bought: less, all, or more (a tip); 0: nothing more',
  )
    .option('--purchase <id>', 'CardTransaction:… (default: the newest of the card)')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { purchase?: string }) =>
      clearPurchase(await openShell(options), id, amount, options.purchase),
    )
  add('return <card> <amount>', 'let the merchant give back, at most what was claimed')
    .option('--purchase <id>', 'CardTransaction:… (default: the newest of the card)')
    .addHelpText('after', MERCHANT)
    .action(async (id: string, amount: string, options: ShellOptions & { purchase?: string }) =>
      returnPurchase(await openShell(options), id, amount, options.purchase),
    )
}
