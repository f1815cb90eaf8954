import type { EndpointName } from '@countersign/contract/api'
import type { IdKind } from '@countersign/contract/core/ids'
import { POLICY } from '../records/agents.testing.ts'
import { informationRequest, ownerOf } from '../records/onboarding.testing.ts'
import { withdrawal } from '../records/payouts.testing.ts'
import { movement } from '../records/treasury.testing.ts'
import type { Json } from './schemas.testing.ts'

/** The meaning of a path parameter: a record's id, the receiver at an UMA address, or a code. */
export type ParamKind = IdKind | 'Business' | 'UmaAddress' | 'DeviceCode' | 'InvitationCode'

/** The ids of records, by kind. */
export type Ids = Readonly<Partial<Record<ParamKind, string>>>

const buildRestrictions = ({ InternalAccount, ExternalAccount }: Ids) => ({
  accountRestrictions: {
    allowedAccountIds: [InternalAccount!],
    allowedExternalAccountIds: [ExternalAccount!],
    accountRules: [{ accountId: ExternalAccount!, executionMode: 'AUTO' }],
  },
})

const buildSimulation = ({ InternalAccount, ExternalAccount }: Ids) => ({
  type: 'TRANSFER_OUT',
  amount: 100,
  currency: 'USD',
  sourceAccountId: InternalAccount!,
  destinationAccountId: ExternalAccount!,
})

/** Bodies that endpoints accept, with the ids of a world. `unique` is a new number for each call. */
export const BODIES: Partial<Record<EndpointName, (ids: Ids, unique: number) => Json>> = {
  config_update: () => ({}),
  token_create: (_, unique) => ({ name: `Token ${unique}`, permissions: ['VIEW'] }),
  member_invite: (_, unique) => ({
    name: 'Grace Hopper',
    email: `grace.hopper.${unique}@example.com`,
    permissions: ['VIEW', 'APPROVE'],
  }),
  member_role_create: (_, unique) => ({ name: `Night shift ${unique}`, permissions: ['VIEW', 'APPROVE'] }),
  member_role_update: (_, unique) => ({ name: `Day shift ${unique}` }),
  member_me_update: () => ({ notifications: { intervalMinutes: 60 } }),
  member_update: () => ({ name: 'Grace Hopper' }),
  customer_create: () => ({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }),
  customer_update: () => ({ customerType: 'INDIVIDUAL', fullName: 'Ada King' }),
  customer_external_account_create: ({ Customer }, unique) => ({
    customerId: Customer!,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${1_000_000_000 + unique}999`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  }),
  platform_external_account_create: (_, unique) => ({
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${2_000_000_000 + unique}999`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Lovelace Ltd' },
    },
  }),
  credential_challenge: () => ({}),
  credential_verify: () => ({ type: 'EMAIL_OTP', encryptedOtpBundle: '{}' }),
  quote_create: ({ Customer, InternalAccount, ExternalAccount }) => ({
    source: { sourceType: 'ACCOUNT', accountId: InternalAccount!, customerId: Customer! },
    destination: { destinationType: 'ACCOUNT', accountId: ExternalAccount! },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1000,
  }),
  transfer_in: ({ InternalAccount, ExternalAccount }) => ({
    source: { accountId: ExternalAccount! },
    destination: { accountId: InternalAccount! },
    amount: 100,
  }),
  transfer_out: ({ InternalAccount, ExternalAccount }) => ({
    source: { accountId: InternalAccount! },
    destination: { accountId: ExternalAccount! },
    amount: 100,
  }),
  payout_batch_create: (_, unique) => ({
    name: 'Payroll',
    lines: [
      {
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: `${3_000_000_000 + unique}999`,
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
        },
        currency: 'USD',
        amount: 100,
        reference: 'salary-1',
      },
    ],
  }),
  payout_file_create: () => ({ name: 'Payroll' }),
  own_account_create: ({ ExternalAccount }) => ({
    externalAccountId: ExternalAccount!,
    reason: 'Our account at the house bank',
  }),
  platform_withdrawal_create: ({ OwnAccount }) => withdrawal(OwnAccount!, 1),
  treasury_movement_create: ({ OwnAccount }) => movement(OwnAccount!, 1),
  treasury_key_create: () => ({ rail: 'sandbox', reason: 'A year is over' }),
  sandbox_treasury_return: ({ OwnAccount }) => ({ ownAccountId: OwnAccount!, amount: 1 }),
  payment_schedule_create: ({ InternalAccount, ExternalAccount }) => ({
    name: 'Rent',
    source: { accountId: InternalAccount! },
    destination: { accountId: ExternalAccount! },
    amount: 100,
    rule: { type: 'MONTHLY', day: 31 },
    businessDays: 'PRECEDING',
    startDate: '2032-01-01',
  }),
  payment_schedule_skip: () => ({}),
  payout_batch_execute: () => ({ totals: [{ currency: 'USD', amount: 100 }] }),
  chart_of_accounts_replace: () => ({
    accounts: [{ kind: 'CUSTOMERS', code: '2000', name: 'Client money', type: 'LIABILITY' }],
  }),
  client_money_report_create: () => ({ date: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) }),
  beneficial_owner_create: ({ Business }) => ownerOf(Business!, { ownershipPercentage: 0 }),
  beneficial_owner_update: () => ({ ownershipPercentage: 0 }),
  verification_create: ({ Customer }) => ({ customerId: Customer! }),
  verification_decide: ({ Business }) => informationRequest(Business!),
  document_create: ({ Customer }) => ({ documentHolder: Customer!, documentType: 'PASSPORT', country: 'DE' }),
  agent_create: ({ Customer, ...ids }) => ({
    name: 'Shopper',
    customerId: Customer!,
    policy: { ...POLICY, ...buildRestrictions(ids) },
  }),
  agent_update: () => ({}),
  agent_policy_update: buildRestrictions,
  agent_policy_simulate: buildSimulation,
  agent_policy_replay: () => ({ policy: { spendingLimits: { dailyLimit: 50_000 } } }),
  webhook_endpoint_create: () => ({ url: 'https://example.com/hook' }),
  webhook_endpoint_update: () => ({ description: 'Books' }),
  webhook_endpoint_replay: () => ({ startDate: new Date(Date.now() - 3_600_000).toISOString() }),
  webhook_secret_create: () => ({ formerValidSeconds: 3600 }),
  event_replay: () => ({ startDate: new Date(Date.now() - 3_600_000).toISOString() }),
  agent_me_policy_simulate: buildSimulation,
  agent_me_external_account_create: (ids, unique) => BODIES.customer_external_account_create!(ids, unique),
  agent_me_quote_create: (ids, unique) => BODIES.quote_create!(ids, unique),
  agent_me_transfer_in: (ids, unique) => BODIES.transfer_in!(ids, unique),
  agent_me_transfer_out: (ids, unique) => BODIES.transfer_out!(ids, unique),
  card_create: ({ Customer, InternalAccount }) => ({
    cardholderId: Customer!,
    form: 'VIRTUAL',
    fundingSources: [InternalAccount!],
  }),
  card_update: ({ InternalAccount }) => ({ fundingSources: [InternalAccount!] }),
  delegated_key_create: ({ Card, InternalAccount }) => ({
    cardId: Card!,
    internalAccountId: InternalAccount!,
    nickname: 'Spending',
  }),
  stablecoin_account_link: (_, unique) => ({
    provider: 'BRALE',
    apiClientId: `client ${unique}.999`,
    apiClientSecret: 'secret',
  }),
  invitation_create: ({ UmaAddress }) => ({ inviterUma: UmaAddress! }),
  invitation_claim: ({ UmaAddress }) => ({ inviteeUma: UmaAddress! }),
  sandbox_card_authorization: () => ({
    amount: 100,
    currency: { code: 'USD' },
    merchant: { descriptor: 'COFFEE SHOP' },
  }),
  sandbox_card_clearing: ({ CardTransaction }) => ({ cardTransactionId: CardTransaction!, amount: 100 }),
  sandbox_card_return: ({ CardTransaction }) => ({ cardTransactionId: CardTransaction!, amount: 100 }),
  sandbox_send: ({ Quote }) => ({ quoteId: Quote!, currencyCode: 'USD' }),
  // Without an account or a reference, the deposit waits in suspense.
  sandbox_deposit: () => ({ amount: 100, currency: 'USD' }),
  sandbox_example_bank: () => ({ currency: 'USD' }),
  sandbox_rail_event: () => ({ type: 'payment.returned', paymentId: 'other', message: 'Closed' }),
  transaction_decide: () => ({ outcome: 'RETURNED', reason: 'Seen', evidence: { note: 'Seen' } }),
  deposit_assign: ({ InternalAccount }) => ({ accountId: InternalAccount! }),
  deposit_split: () => ({ amounts: [60, 40], reason: 'Two invoices' }),
  deposit_write_off: () => ({ reason: 'Nobody claims it' }),
  deposit_adjust: () => ({ amount: 4_970, reason: 'The bank has kept a charge' }),
  reconciliation_match_create: ({ StatementEntry, Deposit }) => ({
    rail: 'model-bank',
    currency: 'EUR',
    statementEntryIds: [StatementEntry!],
    paymentIds: [Deposit!],
    difference: { amount: -30, account: 'costs' },
    reason: 'The bank has kept a charge',
  }),
  card_freeze: () => ({ reason: 'The phone was stolen' }),
  card_freeze_lift: () => ({ reason: 'The phone was found' }),
  mandate_create: ({ ExternalAccount }) => ({
    externalAccountId: ExternalAccount!,
    signedOn: '2026-02-27',
  }),
  mandate_cancel: () => ({ reason: 'The customer has asked by letter' }),
  account_verification_create: ({ ExternalAccount }) => ({ externalAccountId: ExternalAccount! }),
  account_verification_confirm: () => ({ amounts: [7, 43] }),
  account_change_apply: () => ({ reason: 'The payee has confirmed it' }),
  account_change_dismiss: () => ({ reason: 'The payee knows nothing of it' }),
  funds_hold_lift: () => ({ reason: 'A customer of many years' }),
  reconciliation_match_undo: () => ({ reason: 'It was another deposit' }),
  sandbox_account_fund: () => ({ amount: 100 }),
  sandbox_uma_receive: ({ Customer }) => ({
    senderUmaAddress: '$grace@bank.example',
    customerId: Customer!,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 100,
  }),
  sandbox_clock_advance: () => ({ seconds: 0 }),
}
