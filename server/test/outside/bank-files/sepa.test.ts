import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  buildPaymentStatus,
  buildStatusReport,
  buildZip,
  camtFile,
  listPayments,
  readMessageId,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

let statements = 0
/** Builds a statement of these entries with a new name and id. */
const buildStatement = (entries: readonly SampleEntry[]) => {
  statements += 1
  return [`stmt-${statements}.xml`, camtFile({ id: `STMT-${statements}`, entries })] as const
}

let deposits = 0
const buildDeposit = (reference: string, amount: string): SampleEntry => ({
  amount,
  direction: 'CRDT',
  servicerReference: `SVC-${++deposits}`,
  transactions: [{ amount, debtor: 'Ada Lovelace', text: `for ${reference}` }],
})

async function newFundedCustomer(amount = '1000.00') {
  const { customerId, account } = await bank.customer()
  expect(await bank.put(...buildStatement([buildDeposit(findDepositReference(account), amount)]))).toBe(
    'done',
  )
  return { customerId, account }
}

const externalAccounts = new Map<string, string>()

async function addExternalAccount(customerId: string): Promise<string> {
  const { body } = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: 'FR1420041010050500013M02606',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Zoë Müller', countryOfResidence: 'FR' },
    },
  })
  return body.id
}

async function send(customerId: string, accountId: string, amount: number, more: object = {}) {
  const payee = externalAccounts.get(customerId) ?? (await addExternalAccount(customerId))
  externalAccounts.set(customerId, payee)
  const transfer = await bank.world.client.post('/transfer-out', {
    source: { accountId },
    destination: { accountId: payee, ...more },
    amount,
  })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  return transfer.body.id as string
}

test('an incoming payment is credited by its reference, and an outgoing one is accepted, booked and refunded when it is returned', {
  tags: 'smoke',
}, async () => {
  const { customerId, account } = await newFundedCustomer()
  expect(JSON.stringify(account.fundingPaymentInstructions)).toContain(SEPA_IBAN)
  expect(await bank.balanceOf(customerId)).toBe(100_000n)

  const id = await send(customerId, account.id, 12_550)
  const file = await bank.takeFile()
  const [payment] = listPayments(file.text)
  expect(payment).toMatchObject({ amount: '125.50', name: 'Zoe Muller' })
  expect(await bank.world.readTransaction(id)).toMatchObject({ status: 'PENDING' })

  await bank.put(
    'accepted.xml',
    buildStatusReport(readMessageId(file.text), { ofFile: '<GrpSts>ACCP</GrpSts>' }),
  )
  expect((await bank.world.readTransaction(id)).status).toBe('PENDING')

  const debitEntry: SampleEntry = {
    amount: '125.50',
    direction: 'DBIT',
    transactions: [{ ...payment!, creditor: 'Zoe' }],
  }
  await bank.put(...buildStatement([debitEntry]))
  await bank.world.waitForStatus(id, 'COMPLETED')
  expect(await bank.balanceOf(customerId)).toBe(87_450n)

  const returnEntry: SampleEntry = {
    ...debitEntry,
    direction: 'CRDT',
    transactions: [{ ...payment!, creditor: 'Zoe', returnReason: 'AC04' }],
  }
  await bank.put(...buildStatement([returnEntry]))
  await bank.waitForBalance(customerId, 100_000n)
  expect(await bank.world.readTransaction(id)).toMatchObject({ refund: { status: 'COMPLETED' } })
})

test('a payment that the bank refuses fails and is refunded, while the other payment in its file completes', async () => {
  const { customerId, account } = await newFundedCustomer()
  const [first, second] = [
    await send(customerId, account.id, 10_000),
    await send(customerId, account.id, 20_000),
  ]
  const file = await bank.takeFile()
  const payments = listPayments(file.text)
  expect(payments.map(({ amount }) => amount)).toEqual(['100.00', '200.00'])
  const reason = '<StsRsnInf><Rsn><Cd>AC01</Cd></Rsn><AddtlInf>no such account</AddtlInf></StsRsnInf>'
  const statuses = [
    buildPaymentStatus(payments[0]!, 'RJCT', reason),
    buildPaymentStatus(payments[1]!, 'ACSC'),
  ].join('')
  const report = buildStatusReport(readMessageId(file.text), {
    ofFile: '<GrpSts>PART</GrpSts>',
    ofBatch: `<PmtInfSts>PART</PmtInfSts>${statuses}`,
  })
  // A bank may omit the id of the batch.
  await bank.put('part.xml', report.replace(/<OrgnlPmtInfId>.*?<\/OrgnlPmtInfId>/, ''))
  expect(await bank.world.waitForStatus(first, 'FAILED')).toMatchObject({
    failureReason: 'COUNTERPARTY_POST_TX_FAILED',
  })
  await bank.world.waitForStatus(second, 'COMPLETED')
  expect(await bank.balanceOf(customerId)).toBe(80_000n)
})

test('if the bank refuses a whole file, every payment in it is refunded', async () => {
  const { customerId, account } = await newFundedCustomer()
  const ids = [await send(customerId, account.id, 10_000), await send(customerId, account.id, 20_000)]
  const file = await bank.takeFile()
  await bank.put(
    'refused-file.xml',
    buildStatusReport(readMessageId(file.text), { ofFile: '<GrpSts>RJCT</GrpSts>' }),
  )
  for (const id of ids) await bank.world.waitForStatus(id, 'FAILED')
  expect(await bank.balanceOf(customerId)).toBe(100_000n)
})

test('a file that is booked as one sum completes every payment in it, and a different sum waits for a person', async () => {
  const { customerId, account } = await newFundedCustomer()
  const ids = [await send(customerId, account.id, 10_000), await send(customerId, account.id, 20_000)]
  const message = readMessageId((await bank.takeFile()).text)
  await bank.put(...buildStatement([{ amount: '299.99', direction: 'DBIT', batch: message }]))
  for (const id of ids) expect((await bank.world.readTransaction(id)).status).toBe('PENDING')
  await bank.put(...buildStatement([{ amount: '300.00', direction: 'DBIT', batch: message }]))
  for (const id of ids) await bank.world.waitForStatus(id, 'COMPLETED')
  const { body } = await bank.world.client.get('/rail-events?status=WAITING')
  expect(body.data.map(({ reason }: { reason: string }) => reason)).toContain('OTHER_AMOUNT')
})

test('the same file under two names takes effect once, and its money can be spent by an instant payment', async () => {
  const { customerId, account } = await bank.customer()
  const [name, text] = buildStatement([buildDeposit(findDepositReference(account), '50.00')])
  await bank.put(name, text)
  await bank.put(`again-${name}`, text)
  // The statement in a new file with different bytes.
  await bank.put(`anew-${name}`, text.replace('<GrpHdr>', '<GrpHdr><!-- again -->'))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance > 0n,
  )
  expect(await bank.balanceOf(customerId)).toBe(5_000n)
  await send(customerId, account.id, 1_000, { paymentRail: 'SEPA_INSTANT' })
  expect((await bank.takeFile()).text).toContain('<LclInstrm><Cd>INST</Cd></LclInstrm>')
})

test('a corrected statement under another id counts its deposits once', async () => {
  const { customerId, account } = await bank.customer()
  const firstDeposit = buildDeposit(findDepositReference(account), '50.00')
  // Another payment with the same text and amount has another reference of the bank.
  const otherDeposit = buildDeposit(findDepositReference(account), '50.00')
  expect(await bank.put(...buildStatement([firstDeposit]))).toBe('done')
  expect(await bank.put(...buildStatement([firstDeposit, otherDeposit]))).toBe('done')
  await bank.waitForBalance(customerId, 10_000n)
  const { data } = (await bank.world.client.get(`/deposits?accountId=${account.id}`)).body
  expect(data).toHaveLength(2)
})

test('an unreadable file is refused as a whole and shown to a person', async () => {
  const { customerId, account } = await bank.customer()
  const [name, text] = buildStatement([
    buildDeposit(findDepositReference(account), '50.00'),
    buildDeposit(findDepositReference(account), '60.00'),
  ])
  expect(await bank.put(`broken-${name}`, text.slice(0, text.lastIndexOf('</Ntry>')))).toBe('refused')
  expect(await bank.put('picture.png', Buffer.from('89504e470d0a1a0a', 'hex'))).toBe('refused')
  expect(await bank.balanceOf(customerId)).toBe(0n)
  const { body } = await bank.world.client.get('/rail-events?status=WAITING')
  const refusals = body.data.filter(({ type }: { type: string }) => type === 'file.refused')
  expect(refusals).toHaveLength(2)
  expect(JSON.stringify(refusals)).toContain('picture.png')
  // The complete file takes effect.
  expect(await bank.put(name, text)).toBe('done')
  await bank.waitForBalance(customerId, 11_000n)
})

test('an unknown part of a statement waits for a person, and the rest of the day is credited', async () => {
  const { customerId, account } = await bank.customer()
  const [name, text] = buildStatement([
    buildDeposit('ODD-PART', '50.00'),
    buildDeposit(findDepositReference(account), '60.00'),
  ])
  expect(await bank.put(name, text.replace('<BookgDt><Dt>2', '<BookgDt><Dt>x'))).toBe('done')
  await bank.waitForBalance(customerId, 6_000n)
  const { body } = await bank.world.client.get('/rail-events?status=WAITING&limit=100')
  const waitingText = JSON.stringify(body.data, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  expect(waitingText).toContain('entry 1 has the date')
  expect(waitingText).toContain('ODD-PART')
})

test('a ZIP file as EBICS sends it takes effect, and an unreadable file in it waits', async () => {
  const { customerId, account } = await bank.customer()
  const [name, text] = buildStatement([buildDeposit(findDepositReference(account), '70.00')])
  const zip = buildZip([
    { name: 'notes-for-nobody.pdf', content: '%PDF-1.7' },
    { name, content: text },
  ])
  expect(await bank.put(`${name}.zip`, zip)).toBe('done')
  await bank.waitForBalance(customerId, 7_000n)
  const { body } = await bank.world.client.get('/rail-events?status=WAITING&limit=100')
  expect(
    JSON.stringify(body.data, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).toContain('notes-for-nobody.pdf')
})

test('an intraday report credits nothing, and the statement of the day credits the deposit', async () => {
  const { customerId, account } = await bank.customer()
  const [name, text] = buildStatement([buildDeposit(findDepositReference(account), '80.00')])
  const report = text
    .replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
    .replaceAll(/<(\/?)Stmt>/g, '<$1Rpt>')
    .replace('camt.053', 'camt.052')
  expect(await bank.put(`report-${name}`, report)).toBe('done')
  expect(await bank.balanceOf(customerId)).toBe(0n)
  expect(await bank.put(name, text)).toBe('done')
  await bank.waitForBalance(customerId, 8_000n)
})

test('an unknown debit and a return of another amount wait for a person', async () => {
  const { customerId, account } = await newFundedCustomer()
  const id = await send(customerId, account.id, 10_000)
  const [payment] = listPayments((await bank.takeFile()).text)
  await bank.put(
    ...buildStatement([
      { amount: '7.77', direction: 'DBIT' },
      {
        amount: '99.00',
        direction: 'CRDT',
        transactions: [{ ...payment!, amount: '99.00', returnReason: 'MS03' }],
      },
    ]),
  )
  expect((await bank.world.readTransaction(id)).status).toBe('PENDING')
  const { body } = await bank.world.client.get('/rail-events?status=WAITING&limit=100')
  const text = JSON.stringify(body.data, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  expect(text).toContain('-777')
  expect(text).toContain('9900')
})

test('a credit with the end-to-end id of a payment is a deposit unless the bank marks it as a return', async () => {
  const { customerId, account } = await newFundedCustomer()
  const id = await send(customerId, account.id, 10_700)
  const [payment] = listPayments((await bank.takeFile()).text)
  const { endToEndId } = payment!
  const entry = { amount: '107.00', direction: 'CRDT', servicerReference: 'E2E-1' } as const
  const details = { endToEndId, amount: '107.00', debtor: 'Zoe' }
  await bank.put(
    ...buildStatement([{ ...entry, direction: 'DBIT', transactions: [{ ...details, creditor: 'Zoe' }] }]),
  )
  await bank.world.waitForStatus(id, 'COMPLETED')
  await bank.put(...buildStatement([{ ...entry, servicerReference: 'E2E-2', transactions: [details] }]))
  const { data } = (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body
  expect(data.map(({ amount }: { amount: { amount: number } }) => amount.amount)).toContain(10_700)
  expect(await bank.balanceOf(customerId)).toBe(89_300n)
  expect(await bank.world.readTransaction(id)).not.toHaveProperty('refund')
  const returnDetails = { ...details, returnReason: 'AC04' }
  await bank.put(...buildStatement([{ ...entry, servicerReference: 'E2E-3', transactions: [returnDetails] }]))
  await bank.waitForBalance(customerId, 100_000n)
})
