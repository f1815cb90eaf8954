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

/** The available and total balance of an account. */
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
  /** The maximum total of its claims. Its merchants are restaurants, which may claim a fifth more. */
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
   * The held amount of a purchase: everything not captured yet, until nothing of it can be claimed or pulled.
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

  /** The code of a decline, or undefined if the card pays. */
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
  mayClear(one: ModelPurchase, amount: bigint): boolean {
    return stateAfter(one, amount === 0n ? 'expire' : clearEvent(one, amount)) !== null
  }

  clear(one: ModelPurchase, amount: bigint, nowMs: number): void {
    if (amount === 0n) {
      this.#expire(one)
      return
    }
    const event = clearEvent(one, amount)
    one.state = stateAfter(one, event)!
    const left = one.cap - sum(one.settled)
    const within = amount <= left ? amount : left > 0n ? left : 0n
    if (within < amount) one.state = stateAfter(one, 'pull_fail')!
    one.uncollected += amount - within
    const fromHold = within < one.unclaimed ? within : one.unclaimed
    one.unclaimed = event === 'clear_rest' ? 0n : one.unclaimed - fromHold
    one.settled.push(amount)
    const dueAtMs = nowMs + (one.shop === 'SHOP 005' ? PULL_AFTER_MS : 0)
    if (fromHold > 0n) one.pending.push({ dueAtMs, fromHold, above: 0n })
    if (within > fromHold) one.pending.push({ dueAtMs, fromHold: 0n, above: within - fromHold })
  }

  /** The code of a refusal, or undefined if the amount can be returned. */
  refusesReturn(one: ModelPurchase, amount: bigint): string | undefined {
    const left = sum(one.settled) - sum(one.returned)
    if (one.pending.length > 0) return 'INVALID_STATE_TRANSITION'
    if (stateAfter(one, returnEvent(one, amount)) === null) return 'INVALID_STATE_TRANSITION'
    return amount > left ? 'AMOUNT_OUT_OF_RANGE' : undefined
  }

  giveBack(one: ModelPurchase, amount: bigint): void {
    const event = returnEvent(one, amount)
    one.state = stateAfter(one, event)!
    const forgiven = amount < one.uncollected ? amount : one.uncollected
    one.uncollected -= forgiven
    one.forgiven += forgiven
    one.returned.push(amount)
    this.total += amount - forgiven
    if (event === 'return_rest') one.unclaimed = 0n
    free(one)
  }

  /** Does everything that has become due by then, in order. */
  runUntil(nowMs: number): void {
    const due = this.purchases.flatMap((one) => [
      ...one.pending.map((pull) => ({ dueAtMs: pull.dueAtMs, run: () => this.#pull(one, pull) })),
      { dueAtMs: one.expiresAtMs, run: () => one.unclaimed > 0n && this.#expire(one) },
    ])
    due.sort((a, b) => a.dueAtMs - b.dueAtMs)
    for (const { dueAtMs, run } of due) if (dueAtMs <= nowMs) run()
  }

  #pull(one: ModelPurchase, pull: Pull): void {
    one.pending = one.pending.filter((other) => other !== pull)
    const amount = pull.fromHold + pull.above
    if (one.shop === 'SHOP 006' || pull.above > this.available) {
      one.state = stateAfter(one, 'pull_fail')!
      one.uncollected += amount
    } else {
      one.pulled.push(amount)
      one.captured += pull.fromHold
      this.total -= amount
    }
    free(one)
  }

  #expire(one: ModelPurchase): void {
    one.state = stateAfter(one, 'expire')!
    one.unclaimed = 0n
    free(one)
  }
}

/** Releases a hold once nothing of it can be claimed or pulled. */
function free(one: ModelPurchase): void {
  if (one.unclaimed === 0n && one.pending.every(({ fromHold }) => fromHold === 0n)) one.isHeld = false
}

function stateAfter({ state }: ModelPurchase, event: CardTransactionEvent): CardTransactionState | null {
  return CARD_TRANSACTION_TRANSITIONS[state][event]
}

function clearEvent(one: ModelPurchase, amount: bigint): CardTransactionEvent {
  return sum(one.settled) + amount >= one.authorized ? 'clear_rest' : 'clear_part'
}

function returnEvent(one: ModelPurchase, amount: bigint): CardTransactionEvent {
  return amount === sum(one.settled) - sum(one.returned) ? 'return_rest' : 'return_part'
}
