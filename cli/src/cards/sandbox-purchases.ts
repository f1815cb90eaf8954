import { type CardPurchase, CountersignError } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { findCurrency, parseAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { formatProgramCall } from '../terminal/program-words.ts'
import { describePurchase } from './words.ts'

/** `countersign card use` */
export async function useCard(shell: Shell, id: string, amount: string, descriptor: string): Promise<void> {
  const { currency } = await shell.countersign.cards.get(id)
  const body = {
    amount: requireAmount(amount, currency),
    currency: { code: currency },
    merchant: { descriptor, mcc: '5814', country: 'US' },
  }
  const call = shell.countersign.call('sandbox_card_authorization', { params: { id }, body })
  printPurchase(shell, (await call.catch(throwDecline)).body)
}

/** `countersign card clear` */
export async function clearPurchase(
  shell: Shell,
  id: string,
  amount: string,
  purchase: string | undefined,
): Promise<void> {
  const call = shell.countersign.call(
    'sandbox_card_clearing',
    await prepareMovement(shell, id, amount, purchase),
  )
  const { body } = await call.catch(throwDecline)
  printPurchase(shell, await settlePurchase(shell, body))
}

/** `countersign card return` */
export async function returnPurchase(
  shell: Shell,
  id: string,
  amount: string,
  purchase: string | undefined,
): Promise<void> {
  const call = shell.countersign.call(
    'sandbox_card_return',
    await prepareMovement(shell, id, amount, purchase),
  )
  printPurchase(shell, (await call.catch(throwDecline)).body)
}

async function prepareMovement(
  { countersign }: Shell,
  id: string,
  amount: string,
  purchase: string | undefined,
) {
  const { currency } = await countersign.cards.get(id)
  const cardTransactionId = purchase ?? (await findNewestPurchase(countersign, id))
  return { params: { id }, body: { cardTransactionId, amount: requireAmount(amount, currency) } }
}

async function findNewestPurchase(countersign: Shell['countersign'], id: string): Promise<string> {
  const [newest] = (await countersign.cards.transactions(id, { limit: 1 })).data
  if (!newest) throw new Failure('This card has not been used yet.')
  return newest.id
}

/** Runs background jobs, then reads the purchase again: a background job pulls the amount above the hold. */
async function settlePurchase({ countersign }: Shell, purchase: CardPurchase): Promise<CardPurchase> {
  if (!purchase.pullSummary.pendingCount) return purchase
  await countersign.call('sandbox_clock_advance', { body: { seconds: 0 } })
  for await (const candidate of countersign.cards.transactions(purchase.cardId))
    if (candidate.id === purchase.id) return candidate
  return purchase
}

function requireAmount(text: string, code: string): bigint {
  const currency = findCurrency(code)
  const amount = parseAmount(text, currency)
  if (amount !== undefined) return amount
  throw new Failure(
    `The amount must be in ${code}, such as 12.50, with at most ${currency.decimals} decimal places, not "${text}".`,
  )
}

/**
 * Throws a decline as a Failure. If no source could pay, the error suggests that a delegated key may be
 * missing.
 */
function throwDecline(error: unknown): never {
  if (!(error instanceof CountersignError)) throw error
  const { code, message, status } = error
  if (code === 'NOT_FOUND')
    throw new Failure(
      'This server is not a sandbox: authorizations and clearings come from the card network.',
    )
  if (status !== 403 || !code.startsWith('CARD_')) throw error
  const hint =
    code === 'CARD_INSUFFICIENT_FUNDS'
      ? ` An embedded wallet pays only after its holder has authorized a delegated key: ${formatProgramCall()} card delegate`
      : ''
  throw new Failure(`${code}: ${message}${hint}`)
}

function printPurchase(shell: Shell, purchase: CardPurchase): void {
  printResult(shell, purchase, describePurchase(purchase))
}
