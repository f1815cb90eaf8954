import { type CardPurchase, CountersignError } from '@countersign/sdk'
import { type Shell, say } from '../connection/shell.ts'
import { currencyOf, parseAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { programWords } from '../terminal/program-words.ts'
import { describePurchase } from './words.ts'

/** `countersign card use` */
export async function useCard(shell: Shell, id: string, amount: string, descriptor: string): Promise<void> {
  const { currency } = await shell.countersign.cards.get(id)
  const body = {
    amount: amountOf(amount, currency),
    currency: { code: currency },
    merchant: { descriptor, mcc: '5814', country: 'US' },
  }
  const call = shell.countersign.call('sandbox_card_authorization', { params: { id }, body })
  sayPurchase(shell, (await call.catch(refusal)).body)
}

/** `countersign card clear` */
export async function clearPurchase(
  shell: Shell,
  id: string,
  amount: string,
  purchase: string | undefined,
): Promise<void> {
  const call = shell.countersign.call('sandbox_card_clearing', await moveOf(shell, id, amount, purchase))
  const { body } = await call.catch(refusal)
  sayPurchase(shell, await settlePurchase(shell, body))
}

/** `countersign card return` */
export async function returnPurchase(
  shell: Shell,
  id: string,
  amount: string,
  purchase: string | undefined,
): Promise<void> {
  const call = shell.countersign.call('sandbox_card_return', await moveOf(shell, id, amount, purchase))
  sayPurchase(shell, (await call.catch(refusal)).body)
}

async function moveOf({ countersign }: Shell, id: string, amount: string, purchase: string | undefined) {
  const { currency } = await countersign.cards.get(id)
  const cardTransactionId = purchase ?? (await newestOf(countersign, id))
  return { params: { id }, body: { cardTransactionId, amount: amountOf(amount, currency) } }
}

async function newestOf(countersign: Shell['countersign'], id: string): Promise<string> {
  const [newest] = (await countersign.cards.transactions(id, { limit: 1 })).data
  if (!newest) throw new Failure('This card has not been used yet.')
  return newest.id
}

/** The purchase after background jobs: a claim above the hold is pulled afterwards. */
async function settlePurchase({ countersign }: Shell, purchase: CardPurchase): Promise<CardPurchase> {
  if (!purchase.pullSummary.pendingCount) return purchase
  await countersign.call('sandbox_clock_advance', { body: { seconds: 0 } })
  for await (const one of countersign.cards.transactions(purchase.cardId))
    if (one.id === purchase.id) return one
  return purchase
}

function amountOf(text: string, code: string): bigint {
  const currency = currencyOf(code)
  const amount = parseAmount(text, currency)
  if (amount !== undefined) return amount
  throw new Failure(
    `An amount of ${code} must be like 12.50, with at most ${currency.decimals} decimal places, not "${text}".`,
  )
}

/** A decline is a response to the merchant. If no source could pay, a delegated key may be missing. */
function refusal(error: unknown): never {
  if (!(error instanceof CountersignError)) throw error
  const { code, message, status } = error
  if (code === 'NOT_FOUND')
    throw new Failure('This server is not a sandbox: authorizations and claims come from the card network.')
  if (status !== 403 || !code.startsWith('CARD_')) throw error
  const hint =
    code === 'CARD_INSUFFICIENT_FUNDS'
      ? ` An embedded wallet pays only after its holder has authorized a delegated key: ${programWords()} card delegate`
      : ''
  throw new Failure(`${code}: ${message}${hint}`)
}

function sayPurchase(shell: Shell, purchase: CardPurchase): void {
  say(shell, purchase, describePurchase(purchase))
}
