import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { camtFile, readMessageId } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

/** Sample files of one case each, into which a test fills its own references, payments and accounts. */

const VECTORS = new URL('../../../../../shared/vectors/bank-made/', import.meta.url)
const isAbsent = !existsSync(VECTORS)
const readVector = (name: string, replace: Readonly<Record<string, string>>) =>
  Object.entries(replace).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(new URL(name, VECTORS), 'utf8'),
  )

async function send(
  bank: FileBank,
  customerId: string,
  accountId: string,
  amount: number,
  accountInfo: object,
) {
  const currency = 'iban' in accountInfo ? 'EUR' : 'USD'
  const payee = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency,
    accountInfo,
  })
  expect(payee.status, JSON.stringify(payee.body)).toBe(201)
  const source = { accountId }
  const transfer = await bank.world.client.post('/transfer-out', {
    source,
    destination: { accountId: payee.body.id },
    amount,
  })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  const { text } = await bank.takeFile()
  const waitForStatus = (status: string) =>
    until(
      async () => (await bank.world.client.get(`/transactions/${transfer.body.id}`)).body,
      (found) => found.status === status,
    )
  return { text, waitForStatus }
}

describe.skipIf(isAbsent)('on a SEPA rail', () => {
  let bank: FileBank
  beforeAll(async () => {
    bank = await openFileBank('SEPA')
  })
  afterAll(() => bank.close())

  const newFundedCustomer = async () => {
    const { customerId, account } = await bank.customer()
    const transactions = [{ amount: '100.00', debtor: 'Ada', text: findDepositReference(account) }]
    const entry = {
      amount: '100.00',
      direction: 'CRDT',
      servicerReference: `F-${customerId}`,
      transactions,
    } as const
    await bank.put(
      `funds-${customerId.slice(-6)}.xml`,
      camtFile({ id: customerId.slice(-12), entries: [entry] }),
    )
    await bank.waitForBalance(customerId, 10_000n)
    return { customerId, account }
  }
  const payee = {
    accountType: 'EUR_ACCOUNT',
    iban: 'FR1420041010050500013M02606',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Zoe Muller', countryOfResidence: 'FR' },
  }
  const readIds = (text: string) => ({
    instructionId: /<InstrId>(.*?)</.exec(text)?.[1] ?? '',
    endToEndId: /<EndToEndId>(.*?)</.exec(text)?.[1] ?? '',
  })

  test('a debit that includes a charge of the bank completes the payment, and the charge is recorded', async () => {
    const { customerId, account } = await newFundedCustomer()
    const { text, waitForStatus } = await send(bank, customerId, account.id, 229, payee)
    const { instructionId, endToEndId } = readIds(text)
    const replace = { '1ec9125a6529818186d4bc2d4373ac24': instructionId, CS5C8CA66858C8: endToEndId }
    expect(await bank.put('charge.xml', readVector('camt053-debit-with-charge.xml', replace))).toBe('done')
    await waitForStatus('COMPLETED')
    const { data } = (await bank.world.client.get('/reconciliations?startDate=2027-12-13&endDate=2027-12-13'))
      .body
    expect(data[0].statement).toMatchObject({ entryCount: 2, charged: 50 })
  })

  test('a debit with the end-to-end id only in its text completes the payment', async () => {
    const { customerId, account } = await newFundedCustomer()
    const { text, waitForStatus } = await send(bank, customerId, account.id, 301, payee)
    const replace = { CSA0F2D35122A6: readIds(text).endToEndId }
    expect(await bank.put('eref.xml', readVector('camt053-own-debit-eref-in-text.xml', replace))).toBe('done')
    await waitForStatus('COMPLETED')
  })

  test.each([
    ['pain002-PATC.xml', 'PENDING', 249],
    ['pain002-001-11.xml', 'FAILED', 263],
  ])('the status report %s leaves its payment %s without a person', async (name, status, amount) => {
    const { customerId, account } = await newFundedCustomer()
    const before = (await bank.world.listWaitingReports()).length
    const { text, waitForStatus } = await send(bank, customerId, account.id, amount, payee)
    const message = readMessageId(text)
    const { instructionId, endToEndId } = readIds(text)
    const report = readVector(name, {})
      .replace(/<OrgnlMsgId>.*?</, `<OrgnlMsgId>${message}<`)
      .replace(/<OrgnlInstrId>.*?</, `<OrgnlInstrId>${instructionId}<`)
      .replace(/<OrgnlEndToEndId>.*?</, `<OrgnlEndToEndId>${endToEndId}<`)
    expect(await bank.put(name, report)).toBe('done')
    await waitForStatus(status)
    expect((await bank.world.listWaitingReports()).length).toBe(before)
  })
})

describe.skipIf(isAbsent)('on a rail with deposits from advices', () => {
  let bank: FileBank
  beforeAll(async () => {
    bank = await openFileBank('SEPA', { depositsFrom: 'ADVICES' })
  })
  afterAll(() => bank.close())

  test('a statement credit without an advice is credited when the day closes', async () => {
    const { customerId, account } = await bank.customer()
    const replace = { DE02120300000000202051: SEPA_IBAN, CS67A5BB06F4: findDepositReference(account) }
    expect(await bank.put('single.xml', readVector('camt053-single-on-advices-rail.xml', replace))).toBe(
      'done',
    )
    await bank.waitForBalance(customerId, 1_022n)
  })
})

describe.skipIf(isAbsent)('on an ACH rail', () => {
  let bank: FileBank
  beforeAll(async () => {
    bank = await openFileBank('ACH')
  })
  afterAll(() => bank.close())
  /** The account of the vectors in a field of 17 characters. */
  const OUR_ACCOUNT = { '0004477          ': '987654321        ' }

  test('a credit to another account has no effect but is recorded', async () => {
    const { customerId, account } = await bank.customer()
    const replace = { CSD59D3725E6: findDepositReference(account) }
    expect(await bank.put('other.ach', readVector('credit-to-another-account.ach', replace))).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(0n)
    const reports = await bank.world.listWaitingReports()
    expect(reports).toMatchObject([{ reason: 'OTHER_ACCOUNT', body: { data: { account: '99998888' } } }])
  })

  test('a CTX entry is credited by its identification number, and all of its addenda are stored', async () => {
    const { customerId, account } = await bank.customer()
    const replace = { CSD59D3725E6: findDepositReference(account), ...OUR_ACCOUNT }
    expect(await bank.put('ctx.ach', readVector('ctx-reference-as-id.ach', replace))).toBe('done')
    await bank.waitForBalance(customerId, 1_108n)
    const { data } = (await bank.world.client.get(`/deposits?accountId=${account.id}`)).body
    expect(data[0].references).toMatchObject([{ reference: findDepositReference(account) }])
    const { rows } = await bank.world.service.app.db.query<{ details: { texts: { text: string }[] } }>(
      `SELECT details FROM deposits WHERE amount = 1108`,
    )
    const storedText = rows[0]?.details.texts.map(({ text }) => text).join('') ?? ''
    for (let n = 0; n < 12; n++) if (n !== 9) expect(storedText).toContain(`INV${String(n).padStart(8, '0')}`)
  })

  test('an international entry waits for a person', async () => {
    expect(await bank.put('iat.ach', readVector('iat-credit.ach', {}))).toBe('done')
    const found = (await bank.world.listWaitingReports()).filter(
      ({ reason }: { reason: string }) => reason === 'UNREADABLE',
    )
    expect(found).toHaveLength(1)
  })

  test('a return without the reference matches the payment by trace and amount', async () => {
    const { customerId, account } = await bank.customer()
    const replace = { CSD59D3725E6: findDepositReference(account), ...OUR_ACCOUNT, '1108': '1109' }
    expect(await bank.put('funds.ach', readVector('ctx-reference-as-id.ach', replace))).toBe('done')
    await bank.waitForBalance(customerId, 1_109n)
    const { text } = await send(bank, customerId, account.id, 372, {
      accountType: 'USD_ACCOUNT',
      accountNumber: '1234567890',
      routingNumber: '011401533',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    })
    const trace = text
      .split('\n')
      .find((line) => line.startsWith('6'))
      ?.slice(79, 94)
    expect(
      await bank.put('back.ach', readVector('return-without-id.ach', { '231380100000002': trace ?? '' })),
    ).toBe('done')
    await bank.waitForBalance(customerId, 1_109n)
  })
})
