import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventSigningId } from '@countersign/contract/connectors/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildStandardHeaders, parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { findScreeningBySubject, screen } from '../../../src/money/screenings/screenings.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  type InternalAccount,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'
import {
  type AddressProvider,
  CLEAR,
  type ScreeningService,
  screeningService,
  startAddressProvider,
} from '../../worlds/records/screenings.testing.ts'

const HIT = { outcome: 'HIT', list: 'OFAC', detail: 'Cluster 7' }
const FAILURE = { status: 500, text: 'no' }

const PROVIDER_SECRET_NAME = 'ADDRESS_PROVIDER_SECRET'

let world: Production
let addressProvider: AddressProvider
let provider: ScreeningService
let folder: string
let file: string
let customerId: string
let account: InternalAccount

beforeAll(async () => {
  ;[addressProvider, provider] = await Promise.all([startAddressProvider(), screeningService()])
  folder = await mkdtemp(join(tmpdir(), 'countersign-screening-'))
  file = join(folder, 'addresses.txt')
  await writeFile(file, '# none yet\n')
  const settings = { SCREENING_FILE: file, SCREENING_URL: provider.url, SCREENING_SECRET: provider.secret }
  world = await openProduction({}, settings)
  process.env[PROVIDER_SECRET_NAME] = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  await world.setRails([
    exampleBank(world.bank.url),
    {
      kind: 'http',
      name: 'address-provider',
      url: addressProvider.url,
      secret: { env: PROVIDER_SECRET_NAME },
      serves: [{ direction: 'OUT', accountTypes: ['BASE_WALLET'], currencies: ['USDC'] }],
    },
  ])
  customerId = await world.newApproved()
  account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, '100000')
  await until(balance, (found) => found === 100_000)
})
afterAll(async () => {
  await world.close()
  await Promise.all([addressProvider.close(), provider.close(), rm(folder, { recursive: true })])
})
beforeEach(() => {
  provider.answer = CLEAR
  provider.asked.length = 0
})

async function balance(): Promise<number> {
  const path = `/customers/internal-accounts?customerId=${customerId}&currency=EUR`
  return Number((await world.client.get(path)).body.data[0].balance.amount)
}

let made = 0
/** An address that no other test has. */
const newAddress = () => `0x${String(++made).padStart(40, '0')}`

async function newWallet(address: string): Promise<string> {
  const accountInfo = { accountType: 'BASE_WALLET', address }
  const made = await world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USDC',
    accountInfo,
  })
  expect(made.status).toBe(201)
  return made.body.id
}

/** A payment of euros to a wallet, which is executed. */
async function paidTo(wallet: string): Promise<string> {
  const { status, body } = await world.client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: account.id },
    destination: { destinationType: 'ACCOUNT', accountId: wallet },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000,
    immediatelyExecute: true,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.transactionId
}

const paid = async (address: string) => paidTo(await newWallet(address))

const statusOf = async (id: string) => (await world.client.get(`/transactions/${id}`)).body.status
const ended = (id: string, status: string) =>
  until(
    () => statusOf(id),
    (found) => found === status,
  )
const screeningOf = (subject: string) =>
  until(
    async () => {
      const { data } = (await world.client.get('/screenings?limit=100')).body
      return data.find((one: Record<string, string>) => [one.transactionId, one.depositId].includes(subject))
    },
    (found) => found !== undefined,
  )

test('an unlisted address is paid once, after one screening request that names the payment', async () => {
  const address = newAddress()
  const id = await paid(address)
  await ended(id, 'COMPLETED')
  expect(addressProvider.paid.filter((one) => one === id)).toHaveLength(1)
  expect(provider.asked).toEqual([
    {
      network: 'BASE',
      address,
      direction: 'PAY',
      amount: { value: expect.stringMatching(/^\d+$/), currency: 'USDC' },
      subject: id,
      webhookId: `${id}.PAY`,
    },
  ])
  expect(await screeningOf(id)).toMatchObject({ status: 'CLEAR', network: 'BASE', address })
})

test('a screening result is stored before the rail gets the payment', async () => {
  const kept: unknown[] = []
  addressProvider.arrives = async (id) => {
    const { rows } = await world.service.app.db.query<{ state: string }>(
      'SELECT state FROM screenings WHERE transaction_id = $1',
      [id.slice(-36)],
    )
    kept.push(rows)
  }
  await ended(await paid(newAddress()), 'COMPLETED')
  addressProvider.arrives = async () => {}
  expect(kept).toEqual([[{ state: 'CLEAR' }]])
})

test('a hit of the provider waits for a person, who releases it', async () => {
  provider.answer = HIT
  const id = await paid(newAddress())
  const screening = await screeningOf(id)
  expect(screening).toMatchObject({ status: 'WAITING', list: 'OFAC', detail: 'Cluster 7' })
  provider.answer = CLEAR
  await world.client.post(`/screenings/${screening.id}/release`)
  await ended(id, 'COMPLETED')
  expect(addressProvider.paid.filter((one) => one === id)).toHaveLength(1)
  expect(provider.asked).toHaveLength(1)
})

test('a rejected or cancelled payment never reaches the rail, and is refunded', async () => {
  provider.answer = HIT
  const before = await balance()
  const [one, other] = [await paid(newAddress()), await paid(newAddress())]
  const screening = await screeningOf(one)
  const { id: second } = await screeningOf(other)
  expect((await world.client.post(`/screenings/${screening.id}/reject`)).status).toBe(200)
  expect((await world.client.post(`/transactions/${other}/cancel`)).status).toBe(200)
  await ended(one, 'FAILED')
  await ended(other, 'FAILED')
  expect(await balance()).toBe(before)
  expect(addressProvider.paid).not.toContain(one)
  expect(addressProvider.paid).not.toContain(other)
  const { body } = await world.client.get(`/screenings/${second}`)
  expect(body).toMatchObject({ status: 'REJECTED', note: 'The platform has canceled the payment' })
  const { rows } = await world.service.app.db.query<{ state: string }>(
    'SELECT state FROM rail_payments WHERE payment_id = ANY ($1) ORDER BY created_at',
    [[one.slice(-36), other.slice(-36)]],
  )
  expect(rows.map(({ state }) => state)).toEqual(['FAILED', 'CANCELLED'])
})

test('while screening is unavailable nothing is paid or lost, and payments continue afterwards', async () => {
  provider.answer = 'hangs'
  const before = await balance()
  const id = await paid(newAddress())
  const failed = /countersign_screenings_total\{outcome="FAILED"\} [1-9]/
  await until(
    () => world.service.app.metrics.text(async () => true),
    (metrics) => failed.test(metrics),
  )
  expect(await statusOf(id)).toBe('PROCESSING')
  expect(await balance()).toBe(before - 1_000)
  expect(addressProvider.paid).not.toContain(id)
  expect((await world.client.get('/screenings?status=WAITING')).body.data).toEqual([])
  provider.answer = CLEAR
  await ended(id, 'COMPLETED')
  expect(addressProvider.paid.filter((one) => one === id)).toHaveLength(1)
})

test('a report of a deposit whose sender cannot be screened returns 503, and changes nothing', async () => {
  provider.answer = FAILURE
  const event = {
    id: 'evt-unjudged',
    type: 'deposit.received',
    occurredAt: new Date().toISOString(),
    data: {
      depositId: 'unjudged',
      depositAccountId: 'nobody',
      amount: { value: '700', currency: 'EUR' },
      receivedAt: new Date().toISOString(),
      sender: { accountIdentifier: newAddress() },
    },
  }
  const body = Buffer.from(JSON.stringify(event))
  const told = async () => {
    const headers = {
      'Content-Type': 'application/json',
      'connector-version': '1',
      ...buildStandardHeaders(
        [parseWebhookSecret(BANK_SECRET)!],
        eventSigningId('example-bank', event.id),
        body,
        new Date(),
      ),
    }
    const url = `${world.service.app.origin()}/rail-events/example-bank`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  const deposits = async () => (await world.client.get('/deposits?limit=100')).body.data.length
  const before = await deposits()
  expect(await told()).toBe(503)
  expect(await deposits()).toBe(before)
  provider.answer = CLEAR
  expect([await told(), await told()]).toEqual([200, 200])
  expect(await deposits()).toBe(before + 1)
})

test('a deposit whose sender cannot be screened is reported again until it is screened', async () => {
  provider.answer = FAILURE
  const before = await balance()
  const sender = newAddress()
  await world.paidIn(account, '700', { depositId: 'judged-late', sender: { accountIdentifier: sender } })
  await until(
    async () => provider.asked.length,
    (times) => times > 1,
  )
  expect(await balance()).toBe(before)
  provider.answer = HIT
  const deposit = await until(
    async () =>
      (await world.client.get('/deposits?status=SUSPENSE')).body.data.find(
        (one: { railReference: string }) => one.railReference === 'judged-late',
      ),
    (found) => found !== undefined,
  )
  expect(deposit).toMatchObject({ status: 'SUSPENSE', reason: 'SCREENING_HIT' })
  const screening = await screeningOf(deposit.id)
  expect(screening).toMatchObject({ status: 'WAITING', network: 'EVM', address: sender })
  await world.client.post(`/screenings/${screening.id}/release`)
  await until(balance, (found) => found === before + 700)
})

test('an address of the file is a hit without a request, from the moment the file has it', async () => {
  const wallet = await newWallet(`0x${'ab'.repeat(20)}`)
  await ended(await paidTo(wallet), 'COMPLETED')
  expect(provider.asked).toHaveLength(1)
  await writeFile(file, `0x${'AB'.repeat(20)}, Mixer\n`)
  expect(await screeningOf(await paidTo(wallet))).toMatchObject({ list: 'file', detail: 'Mixer' })
  expect(provider.asked).toHaveLength(1)
})

test('an unusable file is reported with its line, and changes nothing', async () => {
  const address = newAddress()
  await writeFile(file, `${address}\n`)
  await world.service.reloadScreening()
  await writeFile(file, `${newAddress()}\n0x123\n`)
  await expect(world.service.reloadScreening()).rejects.toThrow(
    /^SCREENING_FILE: line 2 has an address with 0x/,
  )
  expect((await screeningOf(await paid(address))).status).toBe('WAITING')
})

test('two concurrent runs store one screening result, which the other run uses', async () => {
  provider.answer = HIT
  const { app } = world.service
  const platform = await app.read.selectFrom('platforms').selectAll().executeTakeFirstOrThrow()
  const op = createOp(app, platform, { kind: 'job', jobId: 'test' })
  const wanted = {
    network: 'BASE',
    address: newAddress(),
    direction: 'PAY',
    amount: 1n,
    currency: 'USDC',
    subject: op.newId('Transaction'),
  } as const
  const runs = await Promise.all([screen(op, wanted), screen(op, wanted)])
  const results = await Promise.all(runs.map(({ writes }) => app.committer.commit(writes)))
  expect(results.map(({ done }) => done).sort()).toEqual([false, true])
  expect((await findScreeningBySubject(op, 'PAY', wanted.subject))?.state).toBe('WAITING')
})
