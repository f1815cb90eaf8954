import { randomInt } from 'node:crypto'
import type { Countersign } from '@countersign/sdk'

const AMOUNT = 1_000n

/** Steps that trigger hold, withdrawal and account verification events. They need no existing customer. */
export const OWN_MONEY_STEPS = {
  'FUNDS_HOLD.HELD': { label: 'money pulled from a bank account and held', run: holdPull },
  'FUNDS_HOLD.RELEASED': {
    label: 'pulled money released after its holding period',
    run: async (countersign: Countersign) => {
      const { releaseAt } = await holdPull(countersign)
      await countersign.sandbox.advanceClock({ to: releaseAt })
    },
  },
  'FUNDS_HOLD.LIFTED': {
    label: 'pulled money whose hold is lifted',
    run: async (countersign: Countersign) => {
      const { id } = await holdPull(countersign)
      await countersign.fundsHolds.lift(id, { reason: 'Trigger' })
    },
  },
  'FUNDS_HOLD.RETURNED': {
    label: 'pulled money that the bank returns during its holding period',
    run: async (countersign: Countersign) => {
      const { transactionId: paymentId } = await holdPull(countersign)
      await countersign.sandbox.reportRailEvent({ type: 'pull.returned', paymentId, message: 'R01' })
    },
  },
  'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED': {
    label: 'two micro-deposits that verify a bank account',
    run: verifyAccount,
  },
  'PLATFORM_WITHDRAWAL.AWAITING_APPROVAL': {
    label: "a withdrawal of the platform's own capital awaiting approval",
    run: (countersign: Countersign) => withdraw(countersign, '789', true),
  },
  'PLATFORM_WITHDRAWAL.SENT': {
    label: "a sent withdrawal of the platform's own capital",
    run: (countersign: Countersign) => withdraw(countersign, '789'),
  },
  'PLATFORM_WITHDRAWAL.COMPLETED': {
    label: "a completed withdrawal of the platform's own capital",
    run: (countersign: Countersign) => withdraw(countersign, '789'),
  },
  'PLATFORM_WITHDRAWAL.FAILED': {
    label: "a withdrawal of the platform's own capital refused by the bank",
    run: (countersign: Countersign) => withdraw(countersign, '004'),
  },
  'PLATFORM_WITHDRAWAL.CANCELED': {
    label: "a canceled withdrawal of the platform's own capital",
    run: async (countersign: Countersign) =>
      countersign.withdrawals.cancel((await withdraw(countersign, '789', true)).id),
  },
} as const

/**
 * Creates a platform bank account with a number that ends in `suffix`. Also returns the platform's own
 * dollar account.
 */
async function prepareAccounts(countersign: Countersign, suffix: string) {
  const bank = await countersign.platformExternalAccounts.create({
    currency: 'USD',
    accountInfo: {
      ...buildAccountNumbers(suffix),
      beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Trigger Ltd' },
    },
  })
  return { bankId: bank.id, ownId: await findOwnAccount(countersign) }
}

function buildAccountNumbers(suffix: string) {
  const accountNumber = `${randomInt(100_000_000, 1_000_000_000)}${suffix}`
  return { accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '021000021' } as const
}

async function findOwnAccount(countersign: Countersign): Promise<string> {
  const [account] = (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data
  if (!account) throw new Error('The platform has no US dollar account.')
  return account.id
}

/** Starts to verify a new customer's bank account. */
async function verifyAccount(countersign: Countersign) {
  const fullName = 'Trigger Person'
  const customer = await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName, region: 'US' })
  const bank = await countersign.externalAccounts.create({
    customerId: customer.id,
    currency: 'USD',
    accountInfo: { ...buildAccountNumbers('789'), beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName } },
  })
  await countersign.sandbox.fund(await findOwnAccount(countersign), { amount: AMOUNT })
  await countersign.accountVerifications.create({ externalAccountId: bank.id })
}

/** Pulls money while a hold rule is configured, then restores the previous rules. */
async function holdPull(countersign: Countersign) {
  const { bankId, ownId } = await prepareAccounts(countersign, '789')
  const { riskConfig } = await countersign.config.get()
  const rule = { bankingDays: 1, currency: 'USD' }
  await countersign.config.update({ riskConfig: { fundsHolds: [rule] } })
  try {
    const transfer = await countersign.transfers.in({
      source: { accountId: bankId },
      destination: { accountId: ownId },
      amount: AMOUNT,
    })
    await countersign.sandbox.advanceClock({ seconds: 1 })
    const [hold] = (await countersign.fundsHolds.list({ transactionId: transfer.id })).data
    if (!hold) throw new Error(`Transfer ${transfer.id} was not held.`)
    return hold
  } finally {
    await countersign.config.update({ riskConfig: { fundsHolds: riskConfig.fundsHolds } })
  }
}

async function withdraw(countersign: Countersign, suffix: string, needsApproval = false) {
  const { bankId, ownId } = await prepareAccounts(countersign, suffix)
  await countersign.sandbox.fund(ownId, { amount: AMOUNT })
  const account = await countersign.ownAccounts.create({ externalAccountId: bankId, reason: 'Trigger' })
  return countersign.withdrawals.create({
    ownAccountId: account.id,
    source: 'OWN_CAPITAL',
    amount: AMOUNT,
    reason: 'Trigger',
    needsApproval,
  })
}
