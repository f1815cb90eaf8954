import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePublicKey, verifySignature } from '../../../src/base/crypto/p256.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import {
  type Client,
  fund,
  newCustomer,
  type Reply,
  type SignedIn,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balances,
  type Card,
  CardModel,
  clear,
  giveBack,
  type ModelPurchase,
  newCard,
  SHOPS,
  type Shop,
  sum,
  update,
  use,
} from '../../worlds/records/cards.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const RUNS = 4
const STEPS_MAX = 24
const FUNDS = 10_000n
const WEEK = 7 * 24 * 3600

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

const CHANGES = ['freeze', 'unfreeze', 'close'] as const

/** The possible steps, the most frequent first. `which` is taken modulo the number of purchases. */
type Step =
  | { readonly kind: 'authorize'; readonly shop: Shop; readonly amount: bigint }
  | { readonly kind: 'clear'; readonly which: number; readonly how: 'part' | 'rest' | 'above' | 'nothing' }
  | { readonly kind: 'return'; readonly which: number; readonly how: 'part' | 'rest' | 'above' }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'change'; readonly change: (typeof CHANGES)[number] }

const only = <const T>(value: T) => constantFrom(value)
const STEP: Arbitrary<Step> = oneof(
  {
    weight: 8,
    arbitrary: record({
      kind: only('authorize'),
      shop: constantFrom(...SHOPS),
      amount: bigInt({ min: 1n, max: 5_000n }),
    }),
  },
  {
    weight: 10,
    arbitrary: record({
      kind: only('clear'),
      which: nat(),
      how: constantFrom('part', 'part', 'rest', 'above', 'nothing'),
    }),
  },
  {
    weight: 6,
    arbitrary: record({ kind: only('return'), which: nat(), how: constantFrom('part', 'rest', 'above') }),
  },
  {
    weight: 4,
    arbitrary: record({ kind: only('wait'), seconds: constantFrom(15, 30, 30, WEEK) }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: only('change'),
      change: constantFrom('freeze', 'unfreeze', 'unfreeze', 'close'),
    }),
  },
)

test('the holds, balances, summaries, states and ledger entries of a card match a model after any steps', async () => {
  let runs = 0
  await assert(
    asyncProperty(array(STEP, { minLength: 8, maxLength: STEPS_MAX, size: 'max' }), async (steps) => {
      const run = await Run.open(await service.newPlatform(), runs++ % 2 === 0 ? 'usd' : 'wallet')
      for (const step of steps) await run.step(step)
      await run.expectBooks()
    }),
    // Shrinking would take equally long for each of its many attempts.
    { numRuns: RUNS, endOnFailure: true },
  )
})

/** The number of the payer's smallest units in one US cent. */
const UNITS = { usd: 1n, wallet: 10_000n } as const
type Payer = keyof typeof UNITS

/** A card that an account in USD or a wallet funds, and its model, which counts in USD. */
class Run {
  readonly #payer: Payer
  readonly #client: Client
  readonly #holder: Awaited<ReturnType<typeof newCustomer>>
  readonly #card: Card
  #session: SignedIn
  readonly #model = new CardModel(FUNDS)

  static async open(client: Client, payer: Payer): Promise<Run> {
    const holder = await newCustomer(client)
    await fund(client, holder[payer], FUNDS * UNITS[payer])
    const card = await newCard(client, holder.id, [holder[payer]])
    const session = await signIn(client, holder.wallet)
    if (payer === 'wallet') {
      const keyRequest = { cardId: card.id, internalAccountId: holder.wallet, nickname: 'Spending' }
      const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)
      expect(key.status, toJson(key.body)).toBe(201)
    }
    return new Run(payer, client, holder, card, session)
  }

  private constructor(
    payer: Payer,
    client: Client,
    holder: Awaited<ReturnType<typeof newCustomer>>,
    card: Card,
    session: SignedIn,
  ) {
    this.#payer = payer
    this.#client = client
    this.#holder = holder
    this.#card = card
    this.#session = session
  }

  async step(step: Step): Promise<void> {
    await this.#do(step)
    if (step.kind !== 'wait') await this.#advance(0)
    await this.#expectSame(step)
  }

  async #do(step: Step): Promise<void> {
    const model = this.#model
    switch (step.kind) {
      case 'authorize': {
        const code = model.declines(step.amount)
        const reply = await use(this.#client, this.#card.id, step.amount, { descriptor: step.shop })
        if (code !== undefined) return expectRefused(reply, code, step)
        expectDone(reply, step)
        const { id, updatedAt } = reply.body
        return model.authorize(id, step.shop, step.amount, Date.parse(updatedAt))
      }
      case 'clear': {
        const purchase = this.#pick(step.which)
        if (!purchase) return
        const amount = chooseClaimAmount(purchase, step.how)
        const reply = await clear(this.#client, { id: purchase.id, cardId: this.#card.id }, amount)
        if (!model.mayClear(purchase, amount)) return expectRefused(reply, 'INVALID_STATE_TRANSITION', step)
        expectDone(reply, step)
        return model.clear(purchase, amount, Date.parse(reply.body.updatedAt))
      }
      case 'return': {
        const purchase = this.#pick(step.which)
        if (!purchase) return
        const left = sum(purchase.settled) - sum(purchase.returned)
        const amount = { part: left / 2n || 1n, rest: left || 1n, above: left + 1n }[step.how]
        const code = model.refusesReturn(purchase, amount)
        const reply = await giveBack(this.#client, { id: purchase.id, cardId: this.#card.id }, amount)
        if (code !== undefined) return expectRefused(reply, code, step)
        expectDone(reply, step)
        return model.giveBack(purchase, amount)
      }
      case 'wait':
        await this.#advance(step.seconds)
        // By then the session has ended.
        if (step.seconds === WEEK) this.#session = await signIn(this.#client, this.#holder.wallet)
        return
      case 'change': {
        const [from, to] = {
          freeze: [['ACTIVE'], 'FROZEN'],
          unfreeze: [['FROZEN'], 'ACTIVE'],
          close: [['ACTIVE', 'FROZEN'], 'CLOSED'],
        }[step.change] as [string[], CardModel['card']]
        const reply = await update(this.#client, this.#session, this.#card.id, { state: to })
        if (!from.includes(model.card)) return expectRefused(reply, 'INVALID_STATE_TRANSITION', step)
        expectDone(reply, step)
        model.card = to
      }
    }
  }

  #pick(which: number): ModelPurchase | undefined {
    const { purchases } = this.#model
    return purchases.length > 0 ? purchases[which % purchases.length] : undefined
  }

  async #advance(seconds: number): Promise<void> {
    const { status, body } = await this.#client.post('/sandbox/clock/advance', { seconds })
    expect(status, toJson(body)).toBe(200)
    this.#model.runUntil(Date.parse(body.now))
  }

  async #expectSame(step: Step): Promise<void> {
    const model = this.#model
    const units = UNITS[this.#payer]
    const [actualBalances, page, card] = await Promise.all([
      balances(this.#client, this.#holder.id, this.#holder[this.#payer]),
      this.#client.get(`/cards/${this.#card.id}/transactions?limit=100`),
      this.#client.get(`/cards/${this.#card.id}`),
    ])
    expect(
      {
        card: card.body.state,
        balances: actualBalances,
        purchases: page.body.data.map(summarize).sort(byId),
      },
      `after ${toJson(step)}`,
    ).toEqual({
      card: model.card,
      balances: [model.available * units, model.total * units],
      purchases: model.purchases.map((purchase) => summarizeModel(purchase, units)).sort(byId),
    })
  }

  /** Compares the ledger's rows with the model at the end of a run. */
  async expectBooks(): Promise<void> {
    const platformId = (await this.#client.get('/config')).body.id as string
    const { rows } = await service.app.db.query<{ id: string; account: string; amount: bigint }>(
      `SELECT e.cause_id AS id, coalesce(a.name || ' ' || a.currency, 'InternalAccount:' || a.id) AS account,
         sum(e.amount)::bigint AS amount
       FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
       WHERE e.platform_id = $1 AND a.platform_id = $1 AND e.cause = 'card_transaction' GROUP BY 1, 2`,
      [extractUuid(platformId)],
    )
    const sumEntries = (id: string, account: string) =>
      rows
        .filter((row) => row.id === id && row.account === account)
        .reduce((total, { amount }) => total + amount, 0n)
    const books = this.#model.purchases.map(({ id }) => ({
      id,
      account: sumEntries(id, this.#holder[this.#payer]),
      rail: sumEntries(id, 'rail USD'),
      receivables: sumEntries(id, 'receivables USD'),
    }))
    expect(books).toEqual(
      this.#model.purchases.map(({ id, settled, pulled, returned, uncollected, forgiven, pending }) => ({
        id,
        // A return of what could not be pulled does not go to the account.
        account: (sum(returned) - forgiven - sum(pulled)) * UNITS[this.#payer],
        rail: sum(settled) - sum(returned),
        receivables: -uncollected - sum(pending.map(({ fromHold, above }) => fromHold + above)),
      })),
    )
    const { rows: sums } = await service.app.db.query(
      `SELECT e.currency FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
       WHERE a.platform_id = $1 GROUP BY 1 HAVING sum(e.amount) <> 0`,
      [extractUuid(platformId)],
    )
    expect(sums, 'currencies whose entries do not sum to zero').toEqual([])
    const { rows: holds } = await service.app.db.query<{ held: bigint; pending: bigint }>(
      `SELECT a.held, coalesce(sum(h.amount), 0)::bigint AS pending
       FROM ledger_accounts a LEFT JOIN ledger_transfers h ON h.debit_account_id = a.id AND h.state = 'pending'
       WHERE a.id = $1 GROUP BY a.id`,
      [extractUuid(this.#holder[this.#payer])],
    )
    const held = this.#model.held * UNITS[this.#payer]
    expect(holds).toEqual([{ held, pending: held }])
    await this.#expectHolds(platformId)
    await this.#expectSignatures(platformId)
  }

  /** Expects each held amount to be the one pending transfer that its purchase names, or nothing. */
  async #expectHolds(platformId: string): Promise<void> {
    const { rows } = await service.app.db.query<{
      id: string
      held: bigint
      pending: bigint
      others: bigint
    }>(
      `SELECT t.id, t.held_amount AS held,
         coalesce(sum(h.amount) FILTER (WHERE h.id = t.hold_id), 0)::bigint AS pending,
         count(h.id) FILTER (WHERE h.id <> t.hold_id) AS others
       FROM card_transactions t LEFT JOIN ledger_transfers h ON h.cause_id = t.id AND h.state = 'pending'
       WHERE t.platform_id = $1 AND t.hold_id IS NOT NULL GROUP BY t.id ORDER BY t.id`,
      [extractUuid(platformId)],
    )
    const expected = this.#model.purchases.map((one) => {
      const held = CardModel.heldFor(one) * UNITS[this.#payer]
      return { id: one.id, held, pending: held, others: 0n }
    })
    expect(rows).toEqual(expected.sort(byId))
  }

  /** Expects a signature by the purchase's key for each pull from a wallet, and signed amounts that match the pulls. */
  async #expectSignatures(platformId: string): Promise<void> {
    const { rows } = await service.app.db.query<{
      id: string
      number: number
      statement: string
      signature: Uint8Array
      public_key: string
    }>(
      `SELECT s.card_transaction_id AS id, s.number, s.statement, s.signature, k.public_key
       FROM card_pull_signatures s JOIN card_transactions t ON t.id = s.card_transaction_id
       JOIN delegated_keys k ON k.id = s.delegated_key_id AND k.id = t.delegated_key_id
       WHERE s.platform_id = $1 ORDER BY s.number`,
      [extractUuid(platformId)],
    )
    for (const { id, number, statement, signature, public_key } of rows) {
      const key = parsePublicKey(public_key)!
      expect(verifySignature(key, Buffer.from(statement), signature)).toBe(true)
      expect(JSON.parse(statement)).toMatchObject({ cardTransaction: id, pull: number, currency: 'USDB' })
    }
    const listSignedAmounts = (id: string) =>
      rows.filter((row) => row.id === id).map(({ statement }) => BigInt(JSON.parse(statement).amount))
    for (const { id, pulled, cap } of this.#model.purchases) {
      const expected = this.#payer === 'wallet' ? pulled.map((amount) => amount * UNITS.wallet) : []
      // Pulls from the hold and above it that are due at the same moment come in any order.
      expect(sortAmounts(listSignedAmounts(id))).toEqual(sortAmounts(expected))
      expect(sum(pulled) <= cap).toBe(true)
    }
  }
}

function sortAmounts(amounts: readonly bigint[]): bigint[] {
  return amounts.toSorted((a, b) => (a < b ? -1 : 1))
}

function chooseClaimAmount(
  { authorized, settled }: ModelPurchase,
  how: (Step & { kind: 'clear' })['how'],
): bigint {
  const left = authorized - sum(settled)
  const rest = left > 0n ? left : 1n
  return { part: rest / 3n || 1n, rest, above: rest + authorized / 2n + 1n, nothing: 0n }[how]
}

function summarize(purchase: Reply['body']) {
  const { id, status, pullSummary, refundSummary, settlementSummary } = purchase
  const { pendingCount } = pullSummary
  const amounts = (summary: { count: number; totalAmount: number }) => [
    summary.count,
    BigInt(summary.totalAmount),
  ]
  return {
    id,
    status,
    pulls: [...amounts(pullSummary), pendingCount],
    returns: amounts(refundSummary),
    settlements: amounts(settlementSummary),
  }
}

function summarizeModel({ id, state, pulled, pending, returned, settled }: ModelPurchase, units: bigint) {
  return {
    id,
    status: state,
    pulls: [pulled.length, sum(pulled) * units, pending.length],
    returns: [returned.length, sum(returned)],
    settlements: [settled.length, sum(settled)],
  }
}

function byId(first: { id: string }, second: { id: string }): number {
  return first.id < second.id ? -1 : 1
}

function expectDone(reply: Reply, step: Step): void {
  expect(reply.status, `${toJson(step)} → ${toJson(reply.body)}`).toBe(200)
}

function expectRefused(reply: Reply, code: string, step: Step): void {
  expectError(reply, { code: code as Parameters<typeof expectError>[1]['code'], what: toJson(step) })
}
