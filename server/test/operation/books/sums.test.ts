import { randomInt } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest'
import { Random } from '../../reliability/faults.testing.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { clear, giveBack, newCard, used } from '../../worlds/records/cards.testing.ts'
import {
  account,
  quoted,
  readAllRecords,
  readPlatformClock,
  rowsOf,
  statementOf,
  sum,
  to,
} from '../../worlds/records/payments.testing.ts'

/** The ledger's balance of every account, recorded at that time. */
interface Snapshot {
  readonly at: string
  readonly accounts: ReadonlyMap<string, { readonly posted: bigint; readonly held: bigint }>
}

const SEED = Number(process.env.RELIABILITY_SEED ?? randomInt(2 ** 31))
const STEPS = 60
const HOUR = 3600

let client: Client
let accounts: readonly string[]
const snapshots: Snapshot[] = []

const isInternal = (id: string) => id.startsWith('InternalAccount:')

async function takeSnapshot(): Promise<void> {
  await client.advance(1)
  const at = await readPlatformClock(client)
  const rows = await readAllRecords(client, '/ledger/accounts')
  const balances = rows.map(({ id, posted, held }: Reply['body']) => [
    id,
    { posted: BigInt(posted), held: BigInt(held) },
  ])
  snapshots.push({ at, accounts: new Map(balances as [string, { posted: bigint; held: bigint }][]) })
  await client.advance(1)
}

/** Makes all kinds of movements in random order, with time between them. */
async function runRandomMovements(random: Random): Promise<void> {
  const [ada, bob] = [await newCustomer(client), await newCustomer(client, { fullName: '=Bob' })]
  const session = await signIn(client, ada.wallet)
  const platformUsd = (await client.get('/platform/internal-accounts?currency=USD')).body.data[0].id
  accounts = [ada.usd, ada.eur, ada.wallet, bob.usd, platformUsd]
  await fund(client, ada.usd, 500_000)
  await fund(client, ada.wallet, 900_000_000)
  await fund(client, platformUsd, 300_000)
  const suffixes = ['789', '002', '003', '004', '005', '006', '007']
  const banks = await Promise.all(suffixes.map((suffix) => newBankAccount(client, ada.id, suffix)))
  const card = await newCard(client, ada.id, [ada.usd])
  // This hold stays throughout, whatever else is chosen.
  await used(client, card.id, 100)
  const purchases: Reply['body'][] = []
  const immediate = { immediatelyExecute: true }
  const pickAmount = () => 100 + random.below(2_000)
  const sendTransfer = (path: string, source: string, destination: string) =>
    client.post(path, {
      source: { accountId: source },
      destination: { accountId: destination },
      amount: pickAmount(),
    })
  const steps: (() => Promise<unknown>)[] = [
    () => fund(client, random.pick([ada.usd, bob.usd]), pickAmount()),
    () => sendTransfer('/transfer-out', ada.usd, random.pick(banks)),
    () => sendTransfer('/transfer-in', random.pick(banks), ada.usd),
    () =>
      quoted(client, account(ada.usd), to(random.pick(banks)), {
        ...immediate,
        lockedCurrencyAmount: pickAmount(),
      }),
    () => quoted(client, account(ada.usd), to(bob.usd), { ...immediate, lockedCurrencyAmount: pickAmount() }),
    () => quoted(client, account(ada.usd), to(ada.eur), { ...immediate, lockedCurrencyAmount: pickAmount() }),
    () =>
      quoted(client, account(platformUsd), to(bob.usd), { ...immediate, lockedCurrencyAmount: pickAmount() }),
    async () => {
      const quote = await quoted(client, account(ada.wallet), to(random.pick(banks)))
      const path = `/quotes/${quote.id}/execute`
      return random.chance(0.8) ? sendSigned(client, session, 'POST', path) : undefined
    },
    async () => purchases.push(await used(client, card.id, pickAmount())),
    async () => {
      const purchase = purchases.shift()
      if (!purchase) return
      // Clears half of a purchase more than a day after its authorization, and sometimes refunds it.
      await client.advance(30 * HOUR)
      const half = Math.floor(Number(purchase.authorizedAmount.amount) / 2)
      expect((await clear(client, purchase, half)).status).toBe(200)
      await client.advance(random.below(30 * HOUR))
      if (random.chance(0.5)) expect((await giveBack(client, purchase, half)).status).toBe(200)
    },
  ]
  for (let n = 0; n < STEPS; n++) {
    await random.pick(steps)()
    await client.advance(random.below(HOUR))
    if (n % 6 === 0) await takeSnapshot()
  }
  await client.advance(10 * 24 * HOUR)
  await takeSnapshot()
}

describe('after a mixture of payments, refunds, purchases and holds', () => {
  beforeAll(async () => {
    client = await newPlatform()
    await runRandomMovements(new Random(SEED))
  })
  beforeEach(() => onTestFailed(() => console.error(`The same choices again: RELIABILITY_SEED=${SEED}`)))

  test("the balance of every account at a past time equals the ledger's balance then", async () => {
    expect(snapshots.length).toBeGreaterThan(8)
    for (const { at, accounts: balances } of snapshots) {
      const rows = await readAllRecords(client, `/ledger/accounts?asOf=${at}`)
      for (const { id, posted, held } of rows)
        expect({ at, id, posted: BigInt(posted), held: BigInt(held) }).toEqual({
          at,
          id,
          ...(balances.get(id) ?? { posted: 0n, held: 0n }),
        })
      const ledgerAccount = (await client.get(`/ledger/accounts/${accounts[0]}?asOf=${at}`)).body
      expect(BigInt(ledgerAccount.posted)).toBe(balances.get(accounts[0]!)!.posted)
    }
    const snapshotsWithHolds = snapshots.filter(({ accounts: balances }) =>
      [...balances.values()].some(({ held }) => held > 0n),
    )
    expect(snapshotsWithHolds.length).toBeGreaterThan(0)
  })

  test('the accounts of each currency sum to zero at every moment', async () => {
    for (const asOf of ['', ...snapshots.map(({ at }) => `?asOf=${at}`)]) {
      const sides = new Map<string, bigint>()
      for (const { currency, normalSide, posted } of await readAllRecords(
        client,
        `/ledger/accounts${asOf}`,
      )) {
        const sign = normalSide === 'credit' ? 1n : -1n
        sides.set(currency.code, (sides.get(currency.code) ?? 0n) + sign * BigInt(posted))
      }
      expect(sides.size).toBeGreaterThan(2)
      for (const [currency, total] of sides) expect([asOf, currency, total]).toEqual([asOf, currency, 0n])
    }
  })

  test('the statement of each period explains the change of the balance, as JSON and as CSV', {
    tags: 'long',
  }, async () => {
    for (const id of accounts)
      for (const [n, { at: to, accounts: after }] of snapshots.slice(1).entries()) {
        const { at: from, accounts: before } = snapshots[n]!
        const period = `&from=${from}&to=${to}`
        const statement = await statementOf(client, id, period)
        const opening = before.get(id)?.posted ?? 0n
        const { posted, held } = after.get(id)!
        expect(
          [statement.openingBalance, statement.closingBalance, statement.heldBalance].map(BigInt),
        ).toEqual([opening, posted, held])
        const amounts = statement.lines.map(({ amount }: Reply['body']) => amount)
        expect(sum(amounts)).toBe(posted - opening)
        expect(BigInt(statement.credits) - BigInt(statement.debits)).toBe(posted - opening)
        expect(sum(statement.holds.map(({ amount }: Reply['body']) => amount))).toBe(held)
        let balance = opening
        for (const line of statement.lines) {
          balance += BigInt(line.amount)
          expect(BigInt(line.balance)).toBe(balance)
          expect(line.at >= from && line.at < to).toBe(true)
        }
        const rows = await rowsOf(client, `/statements?accountId=${id}${period}&format=csv`)
        expect(sum(rows.map(({ units }) => units!))).toBe(posted - opening)
        expect(rows.filter(({ line }) => line === 'MOVEMENT').map(({ units }) => BigInt(units!))).toEqual(
          amounts.map(BigInt),
        )
      }
  })

  test('consecutive periods have every movement exactly once', { tags: 'long' }, async () => {
    for (const id of accounts) {
      const fullStatement = await statementOf(client, id)
      const bounds = [undefined, ...snapshots.map(({ at }) => at), undefined]
      const parts: unknown[] = []
      for (const [n, from] of bounds.slice(0, -1).entries()) {
        const until = bounds[n + 1]
        const period = `${from ? `&from=${from}` : ''}${until ? `&to=${until}` : ''}`
        parts.push(...(await statementOf(client, id, period)).lines)
      }
      expect(parts).toEqual(fullStatement.lines)
      expect(fullStatement.openingBalance).toBe(0)
      expect(BigInt(fullStatement.closingBalance)).toBe(snapshots.at(-1)!.accounts.get(id)!.posted)
    }
  })

  test('the transaction file sums to the transactions of the statements', async () => {
    for (const id of accounts) {
      const { lines } = await statementOf(client, id)
      const statementSum = sum(
        lines
          .filter(({ cause }: Reply['body']) => cause.type === 'transaction' || cause.type === 'quote')
          .map(({ amount }: Reply['body']) => amount),
      )
      const owner = (await client.get(`/ledger/accounts/${id}`)).body.owner
      const rows = await rowsOf(client, `/transactions.csv?accountIdentifier=${id}`)
      expect(sum(rows.map((row) => computeMovement(row, id, owner)))).toBe(statementSum)
      for (const { direction, units, amount, currency, sentUnits, receivedUnits, ...row } of rows) {
        const [ownUnits, ownCurrency] =
          direction === 'DEBIT' ? [`-${sentUnits}`, row.sentCurrency] : [receivedUnits, row.receivedCurrency]
        expect({ units, currency }).toEqual({ units: ownUnits, currency: ownCurrency })
        expect(amount!.startsWith('-')).toBe(direction === 'DEBIT')
        expect(amount!.replace(/^-/, '')).toBe(direction === 'DEBIT' ? row.sentAmount : row.receivedAmount)
      }
    }
  })

  test('the transfers of an account match its statement, and each names both accounts', async () => {
    for (const id of accounts.filter(isInternal)) {
      const { lines } = await statementOf(client, id)
      const transfers = await readAllRecords(client, `/ledger/transfers?accountId=${id}`)
      const posted = transfers.filter(({ state }) => state === 'posted')
      expect(posted.map((transfer) => transfer.id).sort()).toEqual(
        [...new Set(lines.map(({ transferId }: Reply['body']) => transferId))].sort(),
      )
      const signedAmounts = posted.map(({ credit, amount }) =>
        credit.accountId === id ? BigInt(amount.amount) : -BigInt(amount.amount),
      )
      expect(sum(signedAmounts)).toBe(sum(lines.map(({ amount }: Reply['body']) => amount)))
      for (const { debit, credit } of transfers) expect([debit.accountId, credit.accountId]).toContain(id)
    }
  })
})

/** Computes the effect of a transaction in the file on an account, according to docs/books.md. */
function computeMovement(row: Record<string, string>, accountId: string, owner: string): bigint {
  const isReceived = row.destinationAccountId === accountId && row.status === 'COMPLETED'
  if (row.direction === 'CREDIT') return isReceived ? BigInt(row.receivedUnits!) : 0n
  if (row.sourceAccountId === accountId) {
    const isGone = row.status === 'COMPLETED' || (row.refundStatus !== '' && row.refundStatus !== 'COMPLETED')
    return isGone ? -BigInt(row.sentUnits!) : 0n
  }
  // A payment between accounts of one owner has no second transaction for its arrival.
  return isReceived && row.customerId === owner ? BigInt(row.receivedUnits!) : 0n
}
