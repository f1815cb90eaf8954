import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBank } from '@countersign/connectors/example-bank/start'
import { BIC, type CellName } from '@countersign/connectors/two-cells/bridge'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { freePort } from '../../../../test/ports.testing.ts'
import { Client, type Credentials, type Reply, until } from '../../worlds/client.testing.ts'
import { serveRates } from '../../worlds/production/production.testing.ts'
import { PERSON } from '../../worlds/records/onboarding.testing.ts'
import {
  ensureServerBuilt,
  openPlace,
  type Place,
  run,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

const MAIN = fileURLToPath(new URL('../../../../connectors/dist/two-cells/main.js', import.meta.url))

const buildSecret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`
const BRIDGE_SECRETS: Readonly<Record<CellName, string>> = {
  north: buildSecret(3),
  south: buildSecret(4),
}
const BANK_SECRET = buildSecret(5)

/** Builds two rails: the house bank serves SEPA, and the bridge serves SEPA_INSTANT. */
function buildRails(bank: string, bridge: string): object[] {
  const buildServes = (paymentRails: string[]) => [
    { direction: 'OUT', accountTypes: ['EUR_ACCOUNT'], paymentRails, currencies: ['EUR'] },
    { direction: 'IN', accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
  ]
  const buildHttpRail = (name: string, url: string, env: string, networks: string[]) => ({
    ...{ kind: 'http', name, url, secret: { env }, serves: buildServes(networks), timeoutSeconds: 2 },
  })
  return [
    buildHttpRail('house-bank', bank, 'HOUSE_BANK_SECRET', ['SEPA']),
    buildHttpRail('bridge', bridge, 'BRIDGE_SECRET', ['SEPA_INSTANT']),
  ]
}

interface Cell {
  readonly client: Client
  readonly place: Place
  readonly env: Readonly<Record<string, string>>
  readonly bankUrl: string
}

/** Two servers in production, each with a house bank, and the bridge between them as a process. */
class TwoCells {
  readonly cells: Readonly<Record<CellName, Cell>>
  readonly ports: Readonly<Record<CellName, number>>
  readonly #events: Readonly<Record<CellName, string>>
  readonly #folder: string
  readonly #closers: (() => Promise<unknown>)[]
  #bridge: ChildProcess | undefined

  static async open(): Promise<TwoCells> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-two-cells-'))
    const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
    const ports = { north: await freePort(), south: await freePort() }
    const north = await openCell(ports.north, BRIDGE_SECRETS.north, closers)
    const south = await openCell(ports.south, BRIDGE_SECRETS.south, closers)
    const world = new TwoCells({ north, south }, ports, folder, closers)
    await world.startBridge()
    return world
  }

  private constructor(
    cells: TwoCells['cells'],
    ports: TwoCells['ports'],
    folder: string,
    closers: (() => Promise<unknown>)[],
  ) {
    this.cells = cells
    this.ports = ports
    this.#folder = folder
    this.#closers = closers
    const events = ({ client }: Cell) => new URL('/rail-events/bridge', client.baseUrl).href
    this.#events = { north: events(cells.north), south: events(cells.south) }
  }

  /** Starts the bridge, which continues from its journal. */
  async startBridge(): Promise<void> {
    const args = (['north', 'south'] as const).flatMap((cell) => [
      ...[`--${cell}-port`, String(this.ports[cell]), `--${cell}-events`, this.#events[cell]],
    ])
    const { north, south } = BRIDGE_SECRETS
    const env = { ...process.env, NORTH_BRIDGE_SECRET: north, SOUTH_BRIDGE_SECRET: south }
    const child = spawn(process.execPath, [MAIN, '--data', this.#folder, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#bridge = child
    await until(
      () => this.readPosition().catch(() => undefined),
      (position) => position !== undefined || child.exitCode !== null,
    )
  }

  /** Kills the bridge before it can write anything, and starts it again. */
  async killBridge(): Promise<void> {
    await this.#endBridge()
    await this.startBridge()
  }

  async #endBridge(): Promise<void> {
    const child = this.#bridge
    if (!child || child.exitCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  /** Reads the amounts that the bridge owes each cell, in cents. */
  async readPosition(): Promise<Record<CellName, string>> {
    return (await fetch(`http://127.0.0.1:${this.ports.north}/bridge/position`)).json()
  }

  /** Closes the day of both cells, and returns its date. */
  async closeDay(): Promise<string> {
    const closed = await fetch(`http://127.0.0.1:${this.ports.north}/bridge/days/close`, { method: 'POST' })
    return (await closed.json()).date
  }

  /** Pays into an account at the house bank from outside. */
  async payIn(cell: CellName, iban: string, amount: number): Promise<void> {
    const body = JSON.stringify({ account: iban, amount: String(amount) })
    const headers = { 'Content-Type': 'application/json' }
    const paid = await fetch(`${this.cells[cell].bankUrl}/bank/deposits`, { method: 'POST', headers, body })
    if (!paid.ok) throw new Error(await paid.text())
  }

  /** Reconciles a day with the bridge, as the operator does. */
  async reconcile(cell: CellName, date: string) {
    const { place, env, client } = this.cells[cell]
    const { code, stderr } = await run(
      place,
      ['reconciliation', 'run', '--rail', 'bridge', '--date', date],
      env,
    )
    if (code !== 0) throw new Error(stderr)
    const { data } = (
      await client.get(`/reconciliations?rail=bridge&currency=EUR&startDate=${date}&endDate=${date}`)
    ).body
    return data[0]
  }

  async close(): Promise<void> {
    await this.#endBridge()
    for (const close of this.#closers.reverse()) await close()
  }
}

async function openCell(bridge: number, secret: string, closers: (() => Promise<unknown>)[]): Promise<Cell> {
  const place = await openPlace('ready')
  closers.push(place.remove)
  const rates = await serveRates()
  closers.push(rates.close)
  const [port, bankPort] = [await freePort(), await freePort()]
  const railsFile = join(place.dataDir, 'rails.json')
  const bankUrl = `http://127.0.0.1:${bankPort}`
  await writeFile(railsFile, JSON.stringify({ rails: buildRails(bankUrl, `http://127.0.0.1:${bridge}`) }))
  const env = {
    ...{ COUNTERSIGN_MODE: 'production', COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY, LOG_LEVEL: 'error' },
    ...{ RAILS_FILE: railsFile, RATES_URL: rates.url, PORT: String(port) },
    ...{ HOUSE_BANK_SECRET: BANK_SECRET, BRIDGE_SECRET: secret },
  }
  const created = await run(place, ['platform', 'create', '--name', 'Cell', '--regulated'], env)
  if (created.code !== 0) throw new Error(created.stderr)
  const credentials: Credentials = JSON.parse(created.stdout)
  const bank = await startBank({
    ...{ port: bankPort, folder: join(place.dataDir, 'bank'), secrets: BANK_SECRET },
    events: `http://127.0.0.1:${port}/rail-events/house-bank`,
    behaviour: { settleDelayMs: 20 },
  })
  closers.push(bank.close)
  const server = await ServerProcess.ready(place, env)
  return { client: new Client(credentials, server.baseUrl), place, env, bankUrl }
}

/** A euro account of a customer or the platform, with its IBANs at the house bank and at the bridge. */
interface Account {
  readonly customerId: string | undefined
  readonly id: string
  readonly house: string
  readonly bridge: string
}

async function newCustomerAccount(client: Client): Promise<Account> {
  const { status, body } = await client.post('/customers', { ...PERSON, currencies: ['EUR'] })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return findAccount(client, body.id)
}

async function findAccount(client: Client, customerId?: string): Promise<Account> {
  const path = customerId
    ? `/customers/internal-accounts?customerId=${customerId}`
    : '/platform/internal-accounts?'
  const { body } = await until(
    () => client.get(`${path}&currency=EUR`),
    ({ body }) => body.data?.[0]?.fundingPaymentInstructions?.length === 2,
  )
  const { id, fundingPaymentInstructions } = body.data[0]
  const infos: Reply['body'][] = fundingPaymentInstructions.map(
    (instruction: Reply['body']) => instruction.accountOrWalletInfo,
  )
  const findIban = (isBridge: boolean) => infos.find(({ swiftCode }) => (swiftCode === BIC) === isBridge).iban
  return { customerId, id, house: findIban(false), bridge: findIban(true) }
}

async function readBalance(client: Client, { id, customerId }: Account): Promise<number> {
  const path = customerId
    ? `/customers/internal-accounts?customerId=${customerId}`
    : '/platform/internal-accounts?'
  const { data } = (await client.get(`${path}&currency=EUR`)).body
  return data.find((account: Reply['body']) => account.id === id).balance.amount
}

/** Pays from an account to an external IBAN, and returns the id of the transaction. */
async function pay(
  client: Client,
  from: Account,
  iban: string,
  amount: number,
  paymentRail: 'SEPA' | 'SEPA_INSTANT',
): Promise<string> {
  const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' }
  const accountInfo = { accountType: 'EUR_ACCOUNT', iban, beneficiary }
  const path = from.customerId ? '/customers/external-accounts' : '/platform/external-accounts'
  const owner = from.customerId ? { customerId: from.customerId } : {}
  const existing = await client.get(`${path}?${new URLSearchParams({ ...owner, currency: 'EUR' })}`)
  const account: Reply['body'] | undefined = existing.body.data?.find(
    (external: Reply['body']) => external.accountInfo.iban === iban,
  )
  const { id: accountId } =
    account ?? (await client.post(path, { ...owner, currency: 'EUR', accountInfo })).body
  const { status, body } = await client.post('/transfer-out', {
    source: { accountId: from.id },
    destination: { accountId, paymentRail },
    amount,
  })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.id
}

/** Waits until a transaction has completed or failed, and returns it. */
async function waitForEnd(client: Client, id: string): Promise<Reply['body']> {
  const { body } = await until(
    () => client.get(`/transactions/${id}`),
    ({ body }) => ['COMPLETED', 'FAILED'].includes(body.status),
  )
  return body
}

let world: TwoCells
let north: Client
let south: Client
beforeAll(async () => {
  await ensureServerBuilt()
  world = await TwoCells.open()
  north = world.cells.north.client
  south = world.cells.south.client
})
afterAll(() => world?.close())

const waitForBalance = (client: Client, account: Awaited<ReturnType<typeof findAccount>>, amount: number) =>
  until(
    () => readBalance(client, account),
    (balance) => balance === amount,
  )

test('payments between two cells arrive once even if the connector is killed, and settle to zero on both sides', {
  tags: 'smoke',
}, async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 100_000)
  await waitForBalance(north, payer, 100_000)

  const first = await pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT')
  const otherPayments = Array.from({ length: 12 }, () =>
    pay(north, payer, payee.bridge, 1_000, 'SEPA_INSTANT'),
  )
  for (let kills = 0; kills < 3; kills++) await world.killBridge()
  const ids = [first, ...(await Promise.all(otherPayments))]
  await world.killBridge()
  for (const id of ids) expect((await waitForEnd(north, id)).status).toBe('COMPLETED')
  await waitForBalance(south, payee, 13_000)
  const refund = await pay(south, payee, payer.bridge, 3_000, 'SEPA_INSTANT')
  expect((await waitForEnd(south, refund)).status).toBe('COMPLETED')
  await waitForBalance(north, payer, 90_000)
  expect(await world.readPosition()).toEqual({ north: '-10000', south: '10000' })
  const deposits = (await south.get('/deposits?rail=bridge')).body.data
  expect(deposits.map(({ railReference }: { railReference: string }) => railReference).sort()).toEqual(
    ids.sort(),
  )

  // North pays its debt through the house banks, and south returns the same amount over the bridge.
  const [debtor, creditor] = [await findAccount(north), await findAccount(south)]
  await world.payIn('north', debtor.house, 10_000)
  await waitForBalance(north, debtor, 10_000)
  const payment = await pay(north, debtor, creditor.house, 10_000, 'SEPA')
  expect((await waitForEnd(north, payment)).status).toBe('COMPLETED')
  await world.payIn('south', creditor.house, 10_000)
  await waitForBalance(south, creditor, 10_000)
  const netting = await pay(south, creditor, debtor.bridge, 10_000, 'SEPA_INSTANT')
  expect((await waitForEnd(south, netting)).status).toBe('COMPLETED')
  await waitForBalance(north, debtor, 10_000)
  expect(await world.readPosition()).toEqual({ north: '0', south: '0' })

  const unsettledId = await pay(north, payer, payee.bridge, 2_500, 'SEPA_INSTANT')
  await waitForEnd(north, unsettledId)
  await waitForBalance(south, payee, 12_500)
  const date = await world.closeDay()
  for (const [cell, closingBalance] of [['north', -2_500] as const, ['south', 2_500] as const])
    expect(await world.reconcile(cell, date)).toMatchObject({
      status: 'BALANCED',
      differenceCount: 0,
      statement: { openingBalance: 0, closingBalance },
      ledger: { balance: closingBalance },
    })
})

test('a payment that the other cell cannot credit is refunded to its payer, even if the connector is killed', async () => {
  const payer = await newCustomerAccount(north)
  const payee = await newCustomerAccount(south)
  await world.payIn('north', payer.house, 5_000)
  await waitForBalance(north, payer, 5_000)
  const before = await world.readPosition()
  expect((await south.send('DELETE', `/customers/${payee.customerId}`)).status).toBe(200)

  const id = await pay(north, payer, payee.bridge, 5_000, 'SEPA_INSTANT')
  const { body } = await until(
    () => south.get('/deposits?status=SUSPENSE'),
    (reply) => reply.body.data.length > 0,
  )
  expect(body.data).toMatchObject([{ rail: 'bridge', railReference: id, reason: 'CUSTOMER_DELETED' }])
  await south.post(`/deposits/${body.data[0].id}/return`)
  await world.killBridge()
  await waitForBalance(north, payer, 5_000)
  expect(await waitForEnd(north, id)).toMatchObject({ status: 'FAILED' })
  expect(await world.readPosition()).toEqual(before)
})

test('a payment to an account number that the other cell does not have fails, and its payer is refunded', async () => {
  const payer = await newCustomerAccount(north)
  await world.payIn('north', payer.house, 700)
  await waitForBalance(north, payer, 700)
  const before = await world.readPosition()
  const id = await pay(north, payer, 'DE89370400440532013000', 700, 'SEPA_INSTANT')
  expect(await waitForEnd(north, id)).toMatchObject({ status: 'FAILED' })
  await waitForBalance(north, payer, 700)
  expect(await world.readPosition()).toEqual(before)
})
