import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toEventSigningId } from '@countersign/contract/connectors/protocol'
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
  openScreeningService,
  type ScreeningService,
  startAddressProvider,
} from '../../worlds/records/screenings.testing.ts'

const HIT = { outcome: 'HIT', list: 'OFAC', detail: 'Cluster 7' }
const FAILURE = { status: 500, text: 'no' }

const PROVIDER_SECRET_NAME = 'ADDRESS_PROVIDER_SECRET'

let world: Production
let addressProvider: AddressProvider
let provider: ScreeningService
let screeningFolder: string
let screeningFile: string
let customerId: string
let account: InternalAccount

beforeAll(async () => {
  ;[addressProvider, provider] = await Promise.all([startAddressProvider(), openScreeningService()])
  screeningFolder = await mkdtemp(join(tmpdir(), 'countersign-screening-'))
  screeningFile = join(screeningFolder, 'addresses.txt')
  await writeFile(screeningFile, '# none yet\n')
  const settings = {
    SCREENING_FILE: screeningFile,
    SCREENING_URL: provider.url,
    SCREENING_SECRET: provider.secret,
  }
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
  await until(readBalance, (found) => found === 100_000)
})
afterAll(async () => {
  await world.close()
  await Promise.all([addressProvider.close(), provider.close(), rm(screeningFolder, { recursive: true })])
})
beforeEach(() => {
  provider.answer = CLEAR
  provider.asked.length = 0
})

async function readBalance(): Promise<number> {
  const path = `/customers/internal-accounts?customerId=${customerId}&currency=EUR`
  return Number((await world.client.get(path)).body.data[0].balance.amount)
}

let addressCount = 0
/** An address that no other test uses. */
const newAddress = () => `0x${String(++addressCount).padStart(40, '0')}`

async function newWallet(address: string): Promise<string> {
  const accountInfo = { accountType: 'BASE_WALLET', address }
  const reply = await world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USDC',
    accountInfo,
  })
  expect(reply.status).toBe(201)
  return reply.body.id
}

/** Pays euros to a wallet. Returns the id of the transaction. */
async function payWallet(wallet: string): Promise<string> {
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

const payAddress = async (address: string) => payWallet(await newWallet(address))

const readStatus = async (id: string) => (await world.client.get(`/transactions/${id}`)).body.status
const waitForStatus = (id: string, status: string) =>
  until(
    () => readStatus(id),
    (found) => found === status,
  )
const waitForScreening = (subject: string) =>
  until(
    async () => {
      const { data } = (await world.client.get('/screenings?limit=100')).body
      return data.find((one: Record<string, string>) => [one.transactionId, one.depositId].includes(subject))
    },
    (found) => found !== undefined,
  )

test('an unlisted address is paid once, after one screening request that names the payment', async () => {
  const address = newAddress()
  const id = await payAddress(address)
  await waitForStatus(id, 'COMPLETED')
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
  expect(await waitForScreening(id)).toMatchObject({ status: 'CLEAR', network: 'BASE', address })
})

test('a screening result is stored before the rail gets the payment', async () => {
  const storedStates: unknown[] = []
  addressProvider.arrives = async (id) => {
    const { rows } = await world.service.app.db.query<{ state: string }>(
      'SELECT state FROM screenings WHERE transaction_id = $1',
      [id.slice(-36)],
    )
    storedStates.push(rows)
  }
  await waitForStatus(await payAddress(newAddress()), 'COMPLETED')
  addressProvider.arrives = async () => {}
  expect(storedStates).toEqual([[{ state: 'CLEAR' }]])
})

test('a payment with a hit at the provider waits until a person releases it', async () => {
  provider.answer = HIT
  const id = await payAddress(newAddress())
  const screening = await waitForScreening(id)
  expect(screening).toMatchObject({ status: 'WAITING', list: 'OFAC', detail: 'Cluster 7' })
  provider.answer = CLEAR
  await world.client.post(`/screenings/${screening.id}/release`)
  await waitForStatus(id, 'COMPLETED')
  expect(addressProvider.paid.filter((one) => one === id)).toHaveLength(1)
  expect(provider.asked).toHaveLength(1)
})

test('a rejected or cancelled payment never reaches the rail, and is refunded', async () => {
  provider.answer = HIT
  const before = await readBalance()
  const [rejected, cancelled] = [await payAddress(newAddress()), await payAddress(newAddress())]
  const screening = await waitForScreening(rejected)
  const { id: second } = await waitForScreening(cancelled)
  expect((await world.client.post(`/screenings/${screening.id}/reject`)).status).toBe(200)
  expect((await world.client.post(`/transactions/${cancelled}/cancel`)).status).toBe(200)
  await waitForStatus(rejected, 'FAILED')
  await waitForStatus(cancelled, 'FAILED')
  expect(await readBalance()).toBe(before)
  expect(addressProvider.paid).not.toContain(rejected)
  expect(addressProvider.paid).not.toContain(cancelled)
  const { body } = await world.client.get(`/screenings/${second}`)
  expect(body).toMatchObject({ status: 'REJECTED', note: 'The platform has canceled the payment' })
  const { rows } = await world.service.app.db.query<{ state: string }>(
    'SELECT state FROM rail_payments WHERE payment_id = ANY ($1) ORDER BY created_at',
    [[rejected.slice(-36), cancelled.slice(-36)]],
  )
  expect(rows.map(({ state }) => state)).toEqual(['FAILED', 'CANCELLED'])
})

test('no payment is sent or lost while screening is unavailable, and payments continue afterwards', async () => {
  provider.answer = 'hangs'
  const before = await readBalance()
  const id = await payAddress(newAddress())
  const failed = /countersign_screenings_total\{outcome="FAILED"\} [1-9]/
  await until(
    () => world.service.app.metrics.text(async () => true),
    (metrics) => failed.test(metrics),
  )
  expect(await readStatus(id)).toBe('PROCESSING')
  expect(await readBalance()).toBe(before - 1_000)
  expect(addressProvider.paid).not.toContain(id)
  expect((await world.client.get('/screenings?status=WAITING')).body.data).toEqual([])
  provider.answer = CLEAR
  await waitForStatus(id, 'COMPLETED')
  expect(addressProvider.paid.filter((one) => one === id)).toHaveLength(1)
})

test('a deposit report whose sender cannot be screened returns 503, and changes nothing', async () => {
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
  const sendReport = async () => {
    const headers = {
      'Content-Type': 'application/json',
      'connector-version': '1',
      ...buildStandardHeaders(
        [parseWebhookSecret(BANK_SECRET)!],
        toEventSigningId('example-bank', event.id),
        body,
        new Date(),
      ),
    }
    const url = `${world.service.app.origin()}/rail-events/example-bank`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  const countDeposits = async () => (await world.client.get('/deposits?limit=100')).body.data.length
  const before = await countDeposits()
  expect(await sendReport()).toBe(503)
  expect(await countDeposits()).toBe(before)
  provider.answer = CLEAR
  expect([await sendReport(), await sendReport()]).toEqual([200, 200])
  expect(await countDeposits()).toBe(before + 1)
})

test('a deposit whose sender cannot be screened is reported again until it is screened', async () => {
  provider.answer = FAILURE
  const before = await readBalance()
  const sender = newAddress()
  await world.paidIn(account, '700', { depositId: 'judged-late', sender: { accountIdentifier: sender } })
  await until(
    async () => provider.asked.length,
    (times) => times > 1,
  )
  expect(await readBalance()).toBe(before)
  provider.answer = HIT
  const deposit = await until(
    async () =>
      (await world.client.get('/deposits?status=SUSPENSE')).body.data.find(
        (one: { railReference: string }) => one.railReference === 'judged-late',
      ),
    (found) => found !== undefined,
  )
  expect(deposit).toMatchObject({ status: 'SUSPENSE', reason: 'SCREENING_HIT' })
  const screening = await waitForScreening(deposit.id)
  expect(screening).toMatchObject({ status: 'WAITING', network: 'EVM', address: sender })
  await world.client.post(`/screenings/${screening.id}/release`)
  await until(readBalance, (found) => found === before + 700)
})

test('an address in the file is a hit without a request as soon as the file lists it', async () => {
  const wallet = await newWallet(`0x${'ab'.repeat(20)}`)
  await waitForStatus(await payWallet(wallet), 'COMPLETED')
  expect(provider.asked).toHaveLength(1)
  await writeFile(screeningFile, `0x${'AB'.repeat(20)}, Mixer\n`)
  expect(await waitForScreening(await payWallet(wallet))).toMatchObject({ list: 'file', detail: 'Mixer' })
  expect(provider.asked).toHaveLength(1)
})

test('an invalid screening file is reported with its line, and changes nothing', async () => {
  const address = newAddress()
  await writeFile(screeningFile, `${address}\n`)
  await world.service.reloadScreening()
  await writeFile(screeningFile, `${newAddress()}\n0x123\n`)
  await expect(world.service.reloadScreening()).rejects.toThrow(
    /^SCREENING_FILE: line 2 has an address with 0x/,
  )
  expect((await waitForScreening(await payAddress(address))).status).toBe('WAITING')
})

test('two concurrent screenings of one payment store one result', async () => {
  provider.answer = HIT
  const { app } = world.service
  const platform = await app.read.selectFrom('platforms').selectAll().executeTakeFirstOrThrow()
  const op = createOp(app, platform, { kind: 'job', jobId: 'test' })
  const request = {
    network: 'BASE',
    address: newAddress(),
    direction: 'PAY',
    amount: 1n,
    currency: 'USDC',
    subject: op.newId('Transaction'),
  } as const
  const runs = await Promise.all([screen(op, request), screen(op, request)])
  const results = await Promise.all(runs.map(({ writes }) => app.committer.commit(writes)))
  expect(results.map(({ done }) => done).sort()).toEqual([false, true])
  expect((await findScreeningBySubject(op, 'PAY', request.subject))?.state).toBe('WAITING')
})
