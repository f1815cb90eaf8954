import type { EventType } from '@countersign/contract/events/events'
import type { Countersign } from '@countersign/sdk'
import { Failure } from '../terminal/failure.ts'
import { OWN_MONEY_STEPS } from './own-money-steps.ts'

/** Existing records for a trigger to use. If omitted, new ones are created. */
export interface TriggerIds {
  readonly customer?: string
  readonly account?: string
}

interface Steps {
  readonly label: string
  readonly run: (countersign: Countersign, ids: TriggerIds) => Promise<unknown>
}

/** In the smallest unit of US dollars. */
const AMOUNT = 1_000n

const STEPS_BY_TYPE = {
  'CUSTOMER.KYC_APPROVED': { label: 'a person whose check succeeds', run: addPerson('Trigger Person') },
  'CUSTOMER.KYC_REJECTED': { label: 'a person whose check fails', run: addPerson('Trigger Person 002') },
  'CUSTOMER.KYC_PENDING': { label: 'a person whose check is pending', run: addPerson('Trigger Person 001') },
  'CUSTOMER.KYB_APPROVED': { label: 'a business whose check succeeds', run: addBusiness('814') },
  'CUSTOMER.KYB_REJECTED': { label: 'a business whose check fails', run: addBusiness('002') },
  'CUSTOMER.KYB_PENDING': { label: 'a business whose check is pending', run: addBusiness('001') },
  'INCOMING_PAYMENT.COMPLETED': { label: 'an incoming payment that arrives', run: receivePayment },
  'OUTGOING_PAYMENT.PROCESSING': { label: 'a payment to a bank account that starts', run: payQuote('814') },
  'OUTGOING_PAYMENT.COMPLETED': { label: 'a payment to a bank account that arrives', run: payQuote('814') },
  'OUTGOING_PAYMENT.FAILED': { label: 'a payment that the bank refuses', run: payQuote('004') },
  'OUTGOING_PAYMENT.REFUND_COMPLETED': {
    label: 'a refused payment whose money is returned',
    run: payQuote('004'),
  },
  'OUTGOING_PAYMENT.REFUND_FAILED': {
    label: 'a refused payment whose money cannot be returned',
    run: payQuote('007'),
  },
  'DEPOSIT.SUSPENDED': { label: 'incoming money that matches no account', run: createUnmatchedDeposit },
  'DEPOSIT.RETURNED': {
    label: 'incoming money that matches no account and is returned',
    run: async (countersign) => {
      const { id } = await createUnmatchedDeposit(countersign)
      await countersign.deposits.return(id, {})
    },
  },
  'DEPOSIT.CORRECTED': {
    label: 'incoming money that matches no account and is written off',
    run: async (countersign) => {
      const { id } = await createUnmatchedDeposit(countersign)
      await countersign.deposits.writeOff(id, { reason: 'Trigger' })
    },
  },
  'DEPOSIT.REVERSED': {
    label: 'incoming money that the bank reverses',
    run: async (countersign) => {
      const { id } = await createUnmatchedDeposit(countersign)
      await countersign.sandbox.reverseDeposit(id)
    },
  },
  'INTERNAL_ACCOUNT.BALANCE_UPDATED': {
    label: 'an account that is funded',
    run: async (countersign, ids) =>
      countersign.sandbox.fund((await findOrCreatePayer(countersign, ids)).accountId, { amount: AMOUNT }),
  },
  'OUTGOING_PAYMENT.PENDING': { label: 'a quote that waits to be executed', run: createQuote('814') },
  'OUTGOING_PAYMENT.EXPIRED': { label: 'a quote that expires', run: expireQuote },
  'OUTGOING_PAYMENT.REFUND_PENDING': { label: 'a refused payment whose refund begins', run: payQuote('004') },
  'OUTGOING_PAYMENT.FUNDING_RETURNED': {
    label: 'a payment from a bank account whose holder disputes it',
    run: disputePayment,
  },
  'INCOMING_PAYMENT.FAILED': { label: 'an incoming transfer that the bank refuses', run: failPull },
  'INCOMING_PAYMENT.RETURNED': { label: 'a credited deposit that the bank reverses', run: reverseDeposit },
  'SCREENING.WAITING': { label: 'money from a listed address', run: depositFromListedAddress },
  'SCREENING.DECIDED': { label: 'money from a listed address that is released', run: releaseScreening },
  'VERIFICATION.RESOLVE_ERRORS': {
    label: 'a verification with missing information',
    run: createVerification,
  },
  'BULK_UPLOAD.COMPLETED': { label: 'a customer file with one row', run: importCustomer },
  'PAYOUT_BATCH.CHECKED': { label: 'a batch of one payout that is checked', run: createCheckedBatch },
  'PAYOUT_BATCH.COMPLETED': { label: 'a batch of one payout that is sent', run: executeBatch },
  'PAYMENT_SCHEDULE.UPCOMING': { label: 'a scheduled payment that is due in an hour', run: createSchedule },
  'PAYMENT_SCHEDULE.SENT': { label: 'a scheduled payment that is sent', run: paySchedule(true) },
  'PAYMENT_SCHEDULE.FAILED': { label: 'a scheduled payment without funds', run: paySchedule(false) },
  'EXTERNAL_ACCOUNT.CHANGE_REPORTED': {
    label: 'a changed account number reported by a bank',
    run: reportAccountChange,
  },
  'EXTERNAL_ACCOUNT.CHANGE_DECIDED': {
    label: 'a changed account number that is applied',
    run: async (countersign, ids) => {
      const externalAccountId = await reportAccountChange(countersign, ids)
      for await (const { id } of countersign.accountChanges.list({ externalAccountId, status: 'PENDING' }))
        await countersign.accountChanges.apply(id, { reason: 'Trigger' })
    },
  },
  'CARD.STATE_CHANGE': { label: 'a new card that becomes active', run: createCard },
  'MEMBER_ROLE.CHANGED': {
    label: 'a new role for team members',
    run: async (countersign) =>
      countersign.memberRoles.create({ name: `Trigger ${Date.now()}`, permissions: ['VIEW'] }),
  },
  ...OWN_MONEY_STEPS,
  'AGENT_ACTION.PENDING_APPROVAL': { label: 'an agent that requests a payment', run: requestApproval },
} as const satisfies { readonly [Type in EventType]?: Steps }

/** The steps for each event type that can be triggered. */
export const TRIGGERS: { readonly [Type in EventType]?: Steps } = STEPS_BY_TYPE

const NEEDS_VERIFICATION = 'it needs a verification with all its data and documents: docs/customers.md'
const NEEDS_SIGNATURE = 'it needs the signature of a customer: docs/signing.md'

const REASONS: { readonly [Type in Exclude<EventType, keyof typeof STEPS_BY_TYPE>]: string } = {
  'VERIFICATION.APPROVED': NEEDS_VERIFICATION,
  'VERIFICATION.REJECTED': NEEDS_VERIFICATION,
  'VERIFICATION.IN_PROGRESS': NEEDS_VERIFICATION,
  'VERIFICATION.PENDING_MANUAL_REVIEW': NEEDS_VERIFICATION,
  'VERIFICATION.READY_FOR_VERIFICATION': NEEDS_VERIFICATION,
  'INTERNAL_ACCOUNT.STATUS_UPDATED': NEEDS_SIGNATURE,
  'CARD.FUNDING_SOURCE_CHANGE': NEEDS_SIGNATURE,
  'CUSTOMER.ERASED': 'it needs a customer who was deleted for PERSONAL_DATA_DAYS: docs/customers.md',
  'BULK_UPLOAD.FAILED': 'it needs a file that cannot be read to its end: docs/customers-import.md',
  TEST: 'it needs a webhookEndpoint: api POST /sandbox/webhooks/test',
  'INCOMING_PAYMENT.PENDING': 'it goes only to a webhookEndpoint',
  'INVITATION.CLAIMED': 'it needs invitationConfig.url in the configuration',
  'LEDGER.CHECKPOINT': 'the server sends it an hour after a transfer',
  'MEMBER.WORK_WAITING': 'it needs a member who has chosen webhooks: docs/members.md',
  'WEBHOOK_ENDPOINT.DISABLED': 'it needs a webhook endpoint that responds 410: docs/webhooks.md',
  'RECONCILIATION.DIFFERENT': 'it needs a statement of a bank that differs from the ledger',
  'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED': 'it needs a passkey whose counter decreases',
  'AUTH_CREDENTIAL.CODES_LOCKED': 'it needs someone to enter wrong sign-in codes',
}

/** Why each of the remaining event types cannot be triggered. */
export const WITHOUT_STEPS: { readonly [Type in EventType]?: string } = REASONS

interface Payer {
  readonly customerId: string
  readonly accountId: string
}

/** Returns the given customer and dollar account, or creates them. Throws Failure. */
async function findOrCreatePayer(
  countersign: Countersign,
  { customer, account }: TriggerIds,
): Promise<Payer> {
  if (account !== undefined && customer === undefined) {
    for await (const { id, customerId } of countersign.internalAccounts.list())
      if (id === account && customerId !== undefined) return { customerId, accountId: id }
    throw new Failure(`Customer account ${account} not found.`)
  }
  const customerId =
    customer ??
    (
      await countersign.customers.create({
        customerType: 'INDIVIDUAL',
        fullName: 'Trigger Person',
        region: 'US',
      })
    ).id
  if (account !== undefined) return { customerId, accountId: account }
  for await (const { id, type, balance } of countersign.internalAccounts.list({ customerId }))
    if (type === 'INTERNAL_FIAT' && balance.currency.code === 'USD') return { customerId, accountId: id }
  throw new Failure(`${customerId} has no US dollar account. Pass one with --account.`)
}

/**
 * Prepares a payment: a funded payer, and a bank account whose number ends in `suffix`, which selects the
 * outcome.
 */
async function preparePayment(countersign: Countersign, ids: TriggerIds, suffix: string) {
  const payer = await findOrCreatePayer(countersign, ids)
  await countersign.sandbox.fund(payer.accountId, { amount: 10n * AMOUNT })
  const { id: bankId } = await countersign.externalAccounts.create({
    customerId: payer.customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `000123456${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Trigger Person' },
    },
  })
  return { ...payer, bankId }
}

function createQuote(suffix: string) {
  return async (countersign: Countersign, ids: TriggerIds) => {
    const { accountId, bankId } = await preparePayment(countersign, ids, suffix)
    return countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId },
      destination: { destinationType: 'ACCOUNT', accountId: bankId },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: AMOUNT,
    })
  }
}

function payQuote(suffix: string): Steps['run'] {
  return async (countersign, ids) =>
    countersign.quotes.execute((await createQuote(suffix)(countersign, ids)).id)
}

/** Pays a bank account and then reports a changed account number for it. Returns the account's id. */
async function reportAccountChange(countersign: Countersign, ids: TriggerIds): Promise<string> {
  const { accountId, bankId } = await preparePayment(countersign, ids, '814')
  const { id } = await countersign.transfers.out({
    source: { accountId },
    destination: { accountId: bankId },
    amount: AMOUNT,
  })
  await countersign.sandbox.advanceClock({ seconds: 1 })
  await countersign.sandbox.reportRailEvent({
    type: 'account.changed',
    paymentId: id,
    code: 'C01',
    message: 'Trigger',
    changes: [{ field: 'accountNumber', value: '000123457814' }],
  })
  return bankId
}

/** Creates a batch with one payout from the platform's dollar account, and waits until it is checked. */
async function createCheckedBatch(countersign: Countersign) {
  const { id } = await countersign.payoutBatches.create({
    name: 'Trigger',
    lines: [
      {
        currency: 'USD',
        amount: AMOUNT,
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: '000123456814',
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Trigger Person' },
        },
      },
    ],
  })
  await countersign.sandbox.advanceClock({ seconds: 1 })
  return id
}

async function executeBatch(countersign: Countersign): Promise<void> {
  for (const { id } of (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data)
    await countersign.sandbox.fund(id, { amount: AMOUNT })
  const id = await createCheckedBatch(countersign)
  await countersign.payoutBatches.execute(id, { totals: [{ currency: 'USD', amount: AMOUNT }] })
  await countersign.sandbox.advanceClock({ seconds: 1 })
}

/**
 * Creates a schedule with a single payment from a customer's dollar account, and waits until the payment is
 * announced. Returns the time of the payment.
 */
async function createSchedule(countersign: Countersign, ids: TriggerIds, amount = AMOUNT): Promise<string> {
  const { accountId, bankId } = await preparePayment(countersign, ids, '814')
  const { upcoming } = await countersign.paymentSchedules.create({
    name: 'Trigger',
    source: { accountId },
    destination: { accountId: bankId },
    amount,
    rule: { type: 'DAILY' },
    count: 1,
  })
  await countersign.sandbox.advanceClock({ seconds: 1 })
  const [next] = upcoming
  if (!next) throw new Error('A daily schedule has a next date')
  return next.paysAt
}

function paySchedule(hasMoney: boolean): Steps['run'] {
  return async (countersign, ids) => {
    const amount = hasMoney ? AMOUNT : AMOUNT * 1000n
    await countersign.sandbox.advanceClock({ to: await createSchedule(countersign, ids, amount) })
  }
}

async function expireQuote(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { expiresAt } = await createQuote('814')(countersign, ids)
  await countersign.sandbox.advanceClock({ to: expiresAt })
}

/** Makes a payment that the bank reverses a minute later. */
async function disputePayment(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { accountId, bankId } = await preparePayment(countersign, ids, '006')
  await countersign.quotes.create({
    source: { sourceType: 'ACCOUNT', accountId: bankId },
    destination: { destinationType: 'ACCOUNT', accountId },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: AMOUNT,
    immediatelyExecute: true,
  })
  await countersign.sandbox.advanceClock({ seconds: 1 })
  await countersign.sandbox.advanceClock({ seconds: 60 })
}

async function failPull(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { accountId, bankId } = await preparePayment(countersign, ids, '004')
  await countersign.call('transfer_in', {
    body: { source: { accountId: bankId }, destination: { accountId }, amount: AMOUNT },
  })
}

async function reverseDeposit(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { accountId } = await findOrCreatePayer(countersign, ids)
  const { id } = await countersign.sandbox.deposit({ amount: AMOUNT, currency: 'USD', accountId })
  await countersign.sandbox.reverseDeposit(id)
}

function depositFromListedAddress(countersign: Countersign) {
  const accountIdentifier = `0x${'0'.repeat(36)}bad0`
  return countersign.sandbox.deposit({ amount: AMOUNT, currency: 'USDC', sender: { accountIdentifier } })
}

async function releaseScreening(countersign: Countersign): Promise<void> {
  const deposit = await depositFromListedAddress(countersign)
  for await (const { id, depositId } of countersign.screenings.list({ status: 'WAITING' }))
    if (depositId === deposit.id) await countersign.screenings.release(id)
}

async function createVerification(countersign: Countersign): Promise<void> {
  const { id } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Trigger Person 001',
  })
  await countersign.verifications.create({ customerId: id })
}

async function importCustomer(countersign: Countersign): Promise<void> {
  const rows = 'platformCustomerId,customerType,fullName\n,INDIVIDUAL,Trigger Person\n'
  await countersign.call('customer_import_create', {
    body: { file: new Blob([rows], { type: 'text/csv' }), fileName: 'trigger.csv' },
  })
}

function addPerson(fullName: string): Steps['run'] {
  return (countersign) => countersign.customers.create({ customerType: 'INDIVIDUAL', fullName })
}

/** The last characters of the registration number select the outcome of the check. */
function addBusiness(suffix: string): Steps['run'] {
  return (countersign) =>
    countersign.customers.create({
      customerType: 'BUSINESS',
      businessInfo: {
        legalName: 'Trigger Ltd',
        registrationNumber: `HRB 12${suffix}`,
        taxId: '12-3456789',
        incorporatedOn: '2020-01-15',
      },
    })
}

function createUnmatchedDeposit(countersign: Countersign) {
  return countersign.sandbox.deposit({ amount: AMOUNT, currency: 'USD', remittanceInformation: 'Trigger' })
}

async function receivePayment(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId } = await findOrCreatePayer(countersign, ids)
  await countersign.sandbox.receiveUma({
    senderUmaAddress: '$trigger@example.com',
    customerId,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: AMOUNT,
  })
}

async function createCard(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId, accountId } = await findOrCreatePayer(countersign, ids)
  await countersign.cards.create({ cardholderId: customerId, form: 'VIRTUAL', fundingSources: [accountId] })
}

async function requestApproval(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId, accountId, bankId } = await preparePayment(countersign, ids, '814')
  const { deviceCode } = await countersign.agents.create({
    name: 'Trigger',
    customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'APPROVAL_REQUIRED',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10n * AMOUNT },
    },
  })
  const { accessToken } = await countersign.agents.redeemDeviceCode(deviceCode.code)
  await countersign.withAccessToken(accessToken).me.transferOut({
    source: { accountId },
    destination: { accountId: bankId },
    amount: AMOUNT,
  })
}
