import { CARD_STATES } from '@countersign/contract/states/card-states'
import { type BodyInput, type CardRecord, NotIssuedError } from '@countersign/sdk'
import { printList, printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { formatProgramCall } from '../terminal/program-words.ts'
import { joinBlocks } from '../terminal/table.ts'
import { describeCard, describePurchase } from './words.ts'

/** The timeout for the issuer. Most issuers decide immediately. */
const ISSUE_TIMEOUT_MS = 3_000

/** `countersign card issue` */
export async function issueCard(
  shell: Shell,
  options: {
    readonly customer: string
    readonly accounts?: string
    readonly currency: string
    readonly platformCardId?: string
  },
): Promise<void> {
  const { cards } = shell.countersign
  const { customer, accounts, platformCardId } = options
  const body: BodyInput<'card_create'> = {
    cardholderId: customer,
    form: 'VIRTUAL',
    fundingSources: accounts === undefined ? await findAccounts(shell, options) : splitIds(accounts),
    ...(platformCardId === undefined ? {} : { platformCardId }),
  }
  const { id } = await cards.create(body)
  const card = await shell.countersign
    .waitForCard(id, { timeoutMs: ISSUE_TIMEOUT_MS })
    .catch((error: unknown) => {
      if (error instanceof NotIssuedError) return error.card
      throw error
    })
  printCard(shell, card)
  // The request succeeded but no card was issued. A nonzero exit code makes that visible to scripts.
  if (card.state === 'CLOSED') throw new Failure('The issuer has rejected the card.')
  if (card.state === 'PENDING_KYC')
    io().stderr.write(
      `The verification of the cardholder is pending. Check later: ${formatProgramCall()} card show ${id}\n`,
    )
  if (card.state === 'PROCESSING')
    io().stderr.write(
      `The issuer has not responded yet. Check later: ${formatProgramCall()} card show ${id}\n`,
    )
}

/** `countersign card list` */
export async function listCards(
  shell: Shell,
  { customer, state }: { readonly customer?: string; readonly state?: string },
): Promise<void> {
  const cardState = CARD_STATES.find((candidate) => candidate === state)
  if (state !== undefined && cardState === undefined)
    throw new Failure(`--state must be one of ${CARD_STATES.join(', ')}, not "${state}".`)
  const query = {
    ...(customer === undefined ? {} : { cardholderId: customer }),
    ...(cardState === undefined ? {} : { state: cardState }),
  }
  const list = shell.countersign.cards.list(query)
  await printList(shell, list, (cards) => joinBlocks(cards.map(describeCard)), 'There are no cards.')
}

/** `countersign card show` */
export async function showCard(shell: Shell, id: string): Promise<void> {
  printCard(shell, await shell.countersign.cards.get(id))
}

/** `countersign card transactions` */
export async function listPurchases(shell: Shell, id: string): Promise<void> {
  const list = shell.countersign.cards.transactions(id)
  const none = 'This card has not been used yet.'
  await printList(shell, list, (purchases) => joinBlocks(purchases.map(describePurchase)), none)
}

/** `countersign card freeze --for-safety` */
export async function freezeForSafety(
  shell: Shell,
  id: string,
  body: { readonly reason: string; readonly cardholderMayLift: boolean },
): Promise<void> {
  printCard(shell, await shell.countersign.cards.freeze(id, body))
}

/** `countersign card unfreeze --for-safety` */
export async function liftFreeze(shell: Shell, id: string, reason: string): Promise<void> {
  printCard(shell, await shell.countersign.cards.liftFreeze(id, { reason }))
}

export function printCard(shell: Shell, card: CardRecord): void {
  printResult(shell, card, describeCard(card))
}

/** Splits a comma-separated list of ids. */
export function splitIds(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

async function findAccounts(
  { countersign }: Shell,
  { customer, currency }: { readonly customer: string; readonly currency: string },
): Promise<string[]> {
  const query = { customerId: customer, currency: currency.toUpperCase() }
  const ids: string[] = []
  for await (const { id } of countersign.paginate('customer_internal_account_list', { query })) ids.push(id)
  if (ids.length === 0) throw new Failure(`${customer} has no account in ${query.currency}.`)
  return ids
}
