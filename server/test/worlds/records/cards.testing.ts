import {
  CARD_TRANSACTION_TRANSITIONS,
  type CardTransactionEvent,
  type CardTransactionState,
} from '@countersign/contract/states/card-states'
import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newCustomer,
  newPlatform,
  type Reply,
  type SignedIn,
  sendSigned,
  signIn,
} from '../client.testing.ts'

export type Card = Reply['body']
export type Purchase = Reply['body']

/** Creates an ACTIVE card on a USD account with 1,000.00. Its holder is signed in. */
export async function newCardPlatform(more: Record<string, unknown> = {}) {
  const client = await newPlatform()
  const holder = await newCustomer(client)
  await fund(client, holder.usd, 100_000)
  const card = await newCard(client, holder.id, [holder.usd], more)
  return { client, holder, card, session: await signIn(client, holder.wallet) }
}

export async function newCard(
  client: Client,
  cardholderId: string,
  fundingSources: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Card> {
  const { status, body } = await client.post('/cards', {
    cardholderId,
    form: 'VIRTUAL',
    fundingSources,
    ...more,
  })
  expect(status, toJson(body)).toBe(201)
  return readCard(client, body.id)
}

/** Runs all due jobs, then returns the card. */
export async function readCard(client: Client, id: string): Promise<Card> {
  await client.advance(0)
  return (await client.get(`/cards/${id}`)).body
}

export function use(
  client: Client,
  cardId: string,
  amount: number | bigint,
  more: { readonly descriptor?: string; readonly currency?: string; readonly mcc?: string | undefined } = {},
): Promise<Reply> {
  const { descriptor = 'COFFEE SHOP', currency = 'USD' } = more
  const mcc = 'mcc' in more ? more.mcc : '5814'
  return client.post(`/sandbox/cards/${cardId}/simulate/authorization`, {
    amount,
    currency: { code: currency },
    merchant: { descriptor, ...(mcc ? { mcc } : {}), country: 'US' },
  })
}

/** Makes a purchase that the card pays for. */
export async function used(...args: Parameters<typeof use>): Promise<Purchase> {
  const { status, body } = await use(...args)
  expect(status, toJson(body)).toBe(200)
  return body
}

export function clear(client: Client, { id, cardId }: Purchase, amount: number | bigint): Promise<Reply> {
  return client.post(`/sandbox/cards/${cardId}/simulate/clearing`, { cardTransactionId: id, amount })
}

export function giveBack(client: Client, { id, cardId }: Purchase, amount: number | bigint): Promise<Reply> {
  return client.post(`/sandbox/cards/${cardId}/simulate/return`, { cardTransactionId: id, amount })
}

/** Runs all due jobs, then returns the purchase. */
export async function now(client: Client, { id, cardId }: Purchase): Promise<Purchase> {
  await client.advance(0)
  const { body } = await client.get(`/cards/${cardId}/transactions?limit=100`)
  return body.data.find((purchase: Purchase) => purchase.id === id)
}

export function update(
  client: Client,
  session: Pick<SignedIn, 'stamp'>,
  cardId: string,
  change: { readonly state?: string; readonly fundingSources?: readonly string[] },
): Promise<Reply> {
  return sendSigned(client, session, 'PATCH', `/cards/${cardId}`, change)
}

/** Reads the available and total balance of an account. */
export async function balances(
  client: Client,
  customerId: string,
  accountId: string,
): Promise<[bigint, bigint]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&limit=100`)
  const { balance, totalBalance } = body.data.find(({ id }: Reply['body']) => id === accountId)
  return [BigInt(balance.amount), BigInt(totalBalance.amount)]
}

/** Merchants whose claims are pulled immediately, after 30 seconds, and never. */
export const SHOPS = ['SHOP', 'SHOP 005', 'SHOP 006'] as const
export type Shop = (typeof SHOPS)[number]

const PULL_AFTER_MS = 30_000
const EXPIRES_AFTER_MS = 7 * 24 * 3600 * 1000

interface Pull {
  readonly dueAtMs: number
  readonly fromHold: bigint
  readonly above: bigint
}

/** A purchase in the model. Amounts are in the smallest unit, times are on the platform's clock. */
export interface ModelPurchase {
  readonly id: string
  readonly shop: Shop
  readonly authorized: bigint
  /** The maximum total of its claims. The merchants are restaurants, which may claim a fifth more. */
  readonly cap: bigint
  readonly expiresAtMs: number
  state: CardTransactionState
  unclaimed: bigint
  captured: bigint
  isHeld: boolean
  pending: Pull[]
  settled: bigint[]
  pulled: bigint[]
  returned: bigint[]
  uncollected: bigint
  forgiven: bigint
}

export const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/**
 * A model of a card on one account, in about twenty rules. It is written from the documented behavior, not
 * from the code.
 */
export class CardModel {
  card: 'ACTIVE' | 'FROZEN' | 'CLOSED' = 'ACTIVE'
  total: bigint
  readonly purchases: ModelPurchase[] = []

  constructor(funds: bigint) {
    this.total = funds
  }

  /**
   * Returns the held amount of a purchase: everything not captured yet, until nothing of it can be claimed or pulled.
   */
  static heldFor({ isHeld, authorized, captured }: ModelPurchase): bigint {
    return isHeld ? authorized - captured : 0n
  }

  get held(): bigint {
    return sum(this.purchases.map(CardModel.heldFor))
  }

  get available(): bigint {
    return this.total - this.held
  }

  /** Returns the code of a decline, or undefined if the card pays. */
  declines(amount: bigint): string | undefined {
    if (this.card === 'FROZEN') return 'CARD_PAUSED'
    if (this.card === 'CLOSED') return 'CARD_CLOSED'
    return amount > this.available ? 'CARD_INSUFFICIENT_FUNDS' : undefined
  }

  authorize(id: string, shop: Shop, amount: bigint, nowMs: number): void {
    this.purchases.push({
      id,
      shop,
      authorized: amount,
      cap: amount + amount / 5n,
      expiresAtMs: nowMs + EXPIRES_AFTER_MS,
      state: 'AUTHORIZED',
      unclaimed: amount,
      captured: 0n,
      isHeld: true,
      pending: [],
      settled: [],
      pulled: [],
      returned: [],
      uncollected: 0n,
      forgiven: 0n,
    })
  }

  /** True if the merchant may claim this amount. */
  mayClear(purchase: ModelPurchase, amount: bigint): boolean {
    return findNextState(purchase, amount === 0n ? 'expire' : selectClearEvent(purchase, amount)) !== null
  }

  clear(purchase: ModelPurchase, amount: bigint, nowMs: number): void {
    if (amount === 0n) {
      this.#expire(purchase)
      return
    }
    const event = selectClearEvent(purchase, amount)
    purchase.state = findNextState(purchase, event)!
    const left = purchase.cap - sum(purchase.settled)
    const within = amount <= left ? amount : left > 0n ? left : 0n
    if (within < amount) purchase.state = findNextState(purchase, 'pull_fail')!
    purchase.uncollected += amount - within
    const fromHold = within < purchase.unclaimed ? within : purchase.unclaimed
    purchase.unclaimed = event === 'clear_rest' ? 0n : purchase.unclaimed - fromHold
    purchase.settled.push(amount)
    const dueAtMs = nowMs + (purchase.shop === 'SHOP 005' ? PULL_AFTER_MS : 0)
    if (fromHold > 0n) purchase.pending.push({ dueAtMs, fromHold, above: 0n })
    if (within > fromHold) purchase.pending.push({ dueAtMs, fromHold: 0n, above: within - fromHold })
  }

  /** Returns the code of a refusal, or undefined if the amount can be returned. */
  refusesReturn(purchase: ModelPurchase, amount: bigint): string | undefined {
    const left = sum(purchase.settled) - sum(purchase.returned)
    if (purchase.pending.length > 0) return 'INVALID_STATE_TRANSITION'
    if (findNextState(purchase, selectReturnEvent(purchase, amount)) === null)
      return 'INVALID_STATE_TRANSITION'
    return amount > left ? 'AMOUNT_OUT_OF_RANGE' : undefined
  }

  giveBack(purchase: ModelPurchase, amount: bigint): void {
    const event = selectReturnEvent(purchase, amount)
    purchase.state = findNextState(purchase, event)!
    const forgiven = amount < purchase.uncollected ? amount : purchase.uncollected
    purchase.uncollected -= forgiven
    purchase.forgiven += forgiven
    purchase.returned.push(amount)
    this.total += amount - forgiven
    if (event === 'return_rest') purchase.unclaimed = 0n
    releaseHold(purchase)
  }

  /** Runs everything that is due by then, in order. */
  runUntil(nowMs: number): void {
    const due = this.purchases.flatMap((purchase) => [
      ...purchase.pending.map((pull) => ({ dueAtMs: pull.dueAtMs, run: () => this.#pull(purchase, pull) })),
      { dueAtMs: purchase.expiresAtMs, run: () => purchase.unclaimed > 0n && this.#expire(purchase) },
    ])
    due.sort((a, b) => a.dueAtMs - b.dueAtMs)
    for (const { dueAtMs, run } of due) if (dueAtMs <= nowMs) run()
  }

  #pull(purchase: ModelPurchase, pull: Pull): void {
    purchase.pending = purchase.pending.filter((other) => other !== pull)
    const amount = pull.fromHold + pull.above
    if (purchase.shop === 'SHOP 006' || pull.above > this.available) {
      purchase.state = findNextState(purchase, 'pull_fail')!
      purchase.uncollected += amount
    } else {
      purchase.pulled.push(amount)
      purchase.captured += pull.fromHold
      this.total -= amount
    }
    releaseHold(purchase)
  }

  #expire(purchase: ModelPurchase): void {
    purchase.state = findNextState(purchase, 'expire')!
    purchase.unclaimed = 0n
    releaseHold(purchase)
  }
}

/** Releases a hold once nothing of it can be claimed or pulled. */
function releaseHold(purchase: ModelPurchase): void {
  if (purchase.unclaimed === 0n && purchase.pending.every(({ fromHold }) => fromHold === 0n))
    purchase.isHeld = false
}

function findNextState({ state }: ModelPurchase, event: CardTransactionEvent): CardTransactionState | null {
  return CARD_TRANSACTION_TRANSITIONS[state][event]
}

function selectClearEvent(purchase: ModelPurchase, amount: bigint): CardTransactionEvent {
  return sum(purchase.settled) + amount >= purchase.authorized ? 'clear_rest' : 'clear_part'
}

function selectReturnEvent(purchase: ModelPurchase, amount: bigint): CardTransactionEvent {
  return amount === sum(purchase.settled) - sum(purchase.returned) ? 'return_rest' : 'return_part'
}
