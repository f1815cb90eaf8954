import type { TSchema } from 'typebox'
import * as accountChanges from '../accounts/account-changes.ts'
import * as accountFields from '../accounts/account-fields.ts'
import * as accountTypes from '../accounts/account-types.ts'
import * as accountVerifications from '../accounts/account-verifications.ts'
import * as address from '../accounts/address.ts'
import * as beneficiaries from '../accounts/beneficiaries.ts'
import * as discoveries from '../accounts/discoveries.ts'
import * as externalAccounts from '../accounts/external-accounts.ts'
import * as internalAccounts from '../accounts/internal-accounts.ts'
import * as mandates from '../accounts/mandates.ts'
import * as paymentInstructions from '../accounts/payment-instructions.ts'
import * as stablecoinAccounts from '../accounts/stablecoin-accounts.ts'
import * as agentActions from '../agents/agent-actions.ts'
import * as agentPolicy from '../agents/agent-policy.ts'
import * as agents from '../agents/agents.ts'
import * as approvals from '../agents/approvals.ts'
import * as policyReplay from '../agents/policy-replay.ts'
import * as registration from '../auth/credential-registration.ts'
import * as credentials from '../auth/credentials.ts'
import * as customerTokens from '../auth/customer-tokens.ts'
import * as tokens from '../auth/tokens.ts'
import * as chartOfAccounts from '../books/chart-of-accounts.ts'
import * as checkpoints from '../books/checkpoints.ts'
import * as explanations from '../books/explanations.ts'
import * as ledger from '../books/ledger.ts'
import { ledgerBooks } from '../books/ledger-books.ts'
import * as statements from '../books/statements.ts'
import * as cards from '../cards/cards.ts'
import * as delegatedKeys from '../cards/delegated-keys.ts'
import * as railEvents from '../connectors/rail-events.ts'
import * as actors from '../core/actors.ts'
import * as currencies from '../core/currencies.ts'
import * as formats from '../core/formats.ts'
import * as rails from '../core/rails.ts'
import { RecordName } from '../core/record-names.ts'
import { ClientPublicKeyRequest } from '../core/schema.ts'
import * as signedRetry from '../core/signed-retry.ts'
import * as owners from '../customers/beneficial-owners.ts'
import * as businessInfo from '../customers/business-info.ts'
import * as contactVerification from '../customers/contact-verification.ts'
import * as imports from '../customers/customer-imports.ts'
import * as customerInfo from '../customers/customer-info.ts'
import * as customers from '../customers/customers.ts'
import * as documents from '../customers/documents.ts'
import * as erasures from '../customers/erasures.ts'
import * as kycLinks from '../customers/kyc-links.ts'
import * as verifications from '../customers/verifications.ts'
import * as eventStream from '../events/event-stream.ts'
import * as webhookBodies from '../events/webhook-bodies.ts'
import * as webhookEndpoints from '../events/webhook-endpoints.ts'
import * as webhookSecrets from '../events/webhook-secrets.ts'
import * as webhooks from '../events/webhooks.ts'
import * as audit from '../operation/audit-events.ts'
import * as clientMoney from '../operation/client-money.ts'
import * as memberRoles from '../operation/custom-roles.ts'
import * as depositCorrections from '../operation/deposit-corrections.ts'
import * as memberNotifications from '../operation/member-notifications.ts'
import * as overview from '../operation/overview.ts'
import * as ownMoney from '../operation/own-money.ts'
import * as paymentDecisions from '../operation/payment-decisions.ts'
import * as reconciliationMatches from '../operation/reconciliation-matches.ts'
import * as reconciliations from '../operation/reconciliations.ts'
import * as requestLog from '../operation/request-log.ts'
import * as search from '../operation/search.ts'
import * as treasury from '../operation/treasury.ts'
import * as deposits from '../payments/deposits.ts'
import * as exchangeRates from '../payments/exchange-rates.ts'
import * as fees from '../payments/fees.ts'
import * as fundsHolds from '../payments/funds-holds.ts'
import * as receipts from '../payments/incoming-payments.ts'
import * as invitations from '../payments/invitations.ts'
import * as paymentSchedules from '../payments/payment-schedules.ts'
import * as payoutBatches from '../payments/payout-batches.ts'
import * as positions from '../payments/positions.ts'
import * as quotes from '../payments/quotes.ts'
import * as rateDetails from '../payments/rate-details.ts'
import * as receivers from '../payments/receivers.ts'
import * as riskConfig from '../payments/risk-config.ts'
import * as screenings from '../payments/screenings.ts'
import * as transactions from '../payments/transactions.ts'
import * as transfers from '../payments/transfers.ts'
import * as umaProviders from '../payments/uma-providers.ts'
import * as withdrawalFees from '../payments/withdrawal-fees.ts'
import * as config from '../platforms/config.ts'
import * as memberPasskeys from '../platforms/member-passkeys.ts'
import * as memberSessions from '../platforms/member-sessions.ts'
import * as members from '../platforms/members.ts'
import * as faults from '../sandbox/faults.ts'
import * as inbox from '../sandbox/inbox.ts'
import * as sandbox from '../sandbox/sandbox.ts'
import * as sandboxCards from '../sandbox/sandbox-cards.ts'
import * as sandboxConsole from '../sandbox/sandbox-console.ts'
import * as sandboxDeposits from '../sandbox/sandbox-deposits.ts'
import * as sandboxExampleBanks from '../sandbox/sandbox-example-banks.ts'
import * as sandboxSend from '../sandbox/sandbox-send.ts'
import * as sandboxTreasury from '../sandbox/sandbox-treasury.ts'
import { isComponent } from './shape.ts'

/** Modules whose schemas have the same name in the document as in the code. */
const MODULES: readonly object[] = [
  accountFields,
  accountTypes,
  address,
  beneficiaries,
  discoveries,
  externalAccounts,
  accountChanges,
  accountVerifications,
  internalAccounts,
  mandates,
  paymentInstructions,
  stablecoinAccounts,
  agentActions,
  agentPolicy,
  agents,
  approvals,
  policyReplay,
  registration,
  credentials,
  customerTokens,
  tokens,
  chartOfAccounts,
  checkpoints,
  explanations,
  ledger,
  statements,
  cards,
  delegatedKeys,
  railEvents,
  currencies,
  formats,
  rails,
  signedRetry,
  owners,
  businessInfo,
  contactVerification,
  imports,
  customerInfo,
  customers,
  documents,
  erasures,
  kycLinks,
  verifications,
  eventStream,
  webhookBodies,
  webhookEndpoints,
  webhookSecrets,
  webhooks,
  actors,
  audit,
  clientMoney,
  overview,
  depositCorrections,
  paymentDecisions,
  reconciliationMatches,
  reconciliations,
  requestLog,
  search,
  deposits,
  exchangeRates,
  fees,
  fundsHolds,
  receipts,
  invitations,
  paymentSchedules,
  ownMoney,
  treasury,
  payoutBatches,
  positions,
  quotes,
  rateDetails,
  receivers,
  screenings,
  transactions,
  transfers,
  umaProviders,
  withdrawalFees,
  config,
  riskConfig,
  memberNotifications,
  memberPasskeys,
  memberRoles,
  memberSessions,
  members,
  faults,
  inbox,
  sandbox,
  sandboxCards,
  sandboxConsole,
  sandboxDeposits,
  sandboxTreasury,
  sandboxExampleBanks,
  sandboxSend,
]

/**
 * Schemas whose name in the document differs from the code, because the word has another meaning there or the
 * code has a table.
 */
const DOCUMENT_NAMES: Readonly<Record<string, TSchema>> = {
  AgentExecutionMode: agentPolicy.AgentExecutionModeWord,
  AgentPermission: agentPolicy.AgentPermissionWord,
  Document: documents.CustomerDocument,
  Event: webhooks.PlatformEvent,
  EventWithAttempts: webhooks.PlatformEventWithAttempts,
  InternalAccountStatusWebhook: webhookBodies.InternalAccountWebhook,
  QuoteDestinationAccount: quotes.AccountQuoteDestination,
  QuoteSourceAccount: quotes.AccountQuoteSource,
  QuoteSourceRealtimeFunding: quotes.RealtimeFundingQuoteSource,
  SandboxMagicValue: sandbox.MagicValue,
  SandboxMagicValueFamily: sandbox.MagicValueFamily,
  TransactionDestinationAccount: transactions.AccountTransactionDestination,
  TransactionDestinationUmaAddress: transactions.UmaAddressTransactionDestination,
  TransactionDestinationChainAddress: transactions.ChainAddressTransactionDestination,
  TransactionSourceAccount: transactions.AccountTransactionSource,
  TransactionSourceRealtimeFunding: transactions.RealtimeFundingTransactionSource,
  TransactionSourceUmaAddress: transactions.UmaAddressTransactionSource,
  OverviewWaiting: overview.Waiting,
  UmaAddressDestination: quotes.UmaAddressQuoteDestination,
}

const info = (accountType: string) => accountTypes.EXTERNAL_ACCOUNT_INFO.get(accountType)

/** Names for schemas that are shared or would otherwise get a bad name, each with one place where it occurs. */
const SHARED: Readonly<Record<string, TSchema>> = {
  AgentApprovalRule: getNested(agentPolicy.AgentDecision, 'because', 'items'),
  AgentDenialRule: getNested(agentPolicy.AgentDecision, 'rule'),
  AuthChallenge: credentials.credentials.credential_challenge.responses[200],
  ColombianDocumentType: getNested(beneficiaries.IndividualBeneficiaryWithDocument, 'documentType'),
  ExplanationStepKind: getNested(explanations.ExplanationStep, 'step'),
  Institution: getNested(discoveries.InstitutionList, 'data', 'items'),
  LockedCurrencySide: getNested(quotes.QuoteRequest, 'lockedCurrencySide'),
  NoteRequest: deposits.DepositReturnRequest,
  PasskeyConfigUpdate: getNested(config.PlatformConfigUpdateRequest, 'passkeyConfig'),
  InvitationConfigUpdate: getNested(config.PlatformConfigUpdateRequest, 'invitationConfig'),
  SandboxConfigUpdate: getNested(config.PlatformConfigUpdateRequest, 'sandboxConfig'),
  RiskConfigUpdate: getNested(config.PlatformConfigUpdateRequest, 'riskConfig'),
  UmaProviderConfigUpdate: getNested(config.PlatformConfigUpdateRequest, 'umaProviderConfig'),
  PurposeOfPayment: getNested(quotes.QuoteRequest, 'purposeOfPayment'),
  RejectionRequest: receipts.RejectPaymentRequest,
  RetainedData: getNested(erasures.CustomerErasure, 'keeps', 'items'),
  SandboxMagicValueFamilyName: getNested(sandbox.MagicValueFamily, 'family'),
  BeneficialOwnerDecisionKind: getNested(
    verifications.VerificationDecisionRequest,
    'beneficialOwners',
    'items',
    'decision',
  ),
  BeneficialOwnerDecision: getNested(verifications.VerificationDecisionRequest, 'beneficialOwners', 'items'),
  VerificationDecider: getNested(verifications.VerificationDecision, 'decidedBy'),
  VerificationDecisionKind: getNested(verifications.VerificationDecision, 'decision'),
  VerificationRequestKind: getNested(verifications.VerificationDecisionRequest, 'decision'),
  VerificationStatus: getNested(verifications.Verification, 'verificationStatus'),
  AgentActionType: getNested(agentActions.AgentAction, 'type'),
  AgentDecisionOutcome: getNested(agentPolicy.AgentDecision, 'outcome'),
  BankOrMobilePaymentRail: getNested(info('GHS_ACCOUNT'), 'paymentRails', 'items'),
  SepaPaymentRail: getNested(info('EUR_ACCOUNT'), 'paymentRails', 'items'),
  SgdPaymentRail: getNested(info('SGD_ACCOUNT'), 'paymentRails', 'items'),
  UsdPaymentRail: getNested(info('USD_ACCOUNT'), 'paymentRails', 'items'),
  BankTransferPaymentRail: getNested(info('AED_ACCOUNT'), 'paymentRails', 'items'),
  GbpPaymentRail: getNested(info('GBP_ACCOUNT'), 'paymentRails', 'items'),
  MobileMoneyPaymentRail: getNested(info('KES_ACCOUNT'), 'paymentRails', 'items'),
  PixPaymentRail: getNested(info('BRL_ACCOUNT'), 'paymentRails', 'items'),
  SpeiPaymentRail: getNested(info('MXN_ACCOUNT'), 'paymentRails', 'items'),
  SwiftPaymentRail: getNested(info('SWIFT_ACCOUNT'), 'paymentRails', 'items'),
  UpiPaymentRail: getNested(info('INR_ACCOUNT'), 'paymentRails', 'items'),
  Beneficiary: getNested(info('USD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithAddress: getNested(info('AED_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithDocument: getNested(info('COP_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithPhoneAndAddress: getNested(info('JMD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithPhoneAndResidence: getNested(info('GTQ_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithRegistration: getNested(info('CAD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithResidence: getNested(info('EUR_ACCOUNT'), 'beneficiary'),
  BeneficialOwnerRole: getNested(owners.BeneficialOwner, 'roles', 'items'),
  BusinessType: getNested(businessInfo.BusinessInfo, 'businessType'),
  ClientPublicKeyRequest,
  RecordName,
  ContactVerificationStatus: getNested(customers.ContactVerification, 'email'),
  CustomerTokenPermission: getNested(customerTokens.CustomerToken, 'permissions', 'items'),
  CustomerType: getNested(customers.customers.customer_list.query, 'customerType'),
  DepositSender: getNested(deposits.Deposit, 'sender'),
  DocumentLink: documents.documents.document_link.responses[201],
  DocumentSide: getNested(documents.CustomerDocument, 'side'),
  EntityType: getNested(businessInfo.BusinessInfo, 'entityType'),
  Environment: getNested(memberSessions.MemberIdentity, 'platform', 'mode'),
  EventDeliveryStatus: getNested(webhooks.PlatformEvent, 'deliveryStatus'),
  AccountChangeStatus: getNested(accountChanges.AccountChange, 'status'),
  MandateStatus: getNested(mandates.Mandate, 'status'),
  MandateType: getNested(mandates.Mandate, 'mandateType'),
  FundsHoldStatus: getNested(fundsHolds.FundsHold, 'status'),
  VelocityPeriod: getNested(riskConfig.VelocityLimit, 'period'),
  VelocitySubject: getNested(riskConfig.VelocityLimit, 'subject'),
  EventType: getNested(webhooks.PlatformEvent, 'type'),
  HttpMethod: getNested(requestLog.LoggedRequest, 'method'),
  IdentificationType: getNested(owners.BeneficialOwnerPersonalInfo, 'idType'),
  IncomingFailureReason: getNested(transactions.IncomingTransaction, 'failureReason'),
  ChartAccountKind: getNested(chartOfAccounts.ChartEntry, 'kind'),
  ChartAccountType: getNested(chartOfAccounts.ChartEntry, 'type'),
  JournalDateFormat: getNested(chartOfAccounts.ChartOfAccounts, 'dateFormat'),
  LedgerTransferExplanation: ledgerBooks.ledger_transfer_explain.responses[200],
  LedgerAccountReference: getNested(ledger.LedgerTransfer, 'debit'),
  MatchAccount: getNested(reconciliationMatches.ReconciliationMatchRequest, 'difference', 'account'),
  MatchDifference: getNested(reconciliationMatches.ReconciliationMatchRequest, 'difference'),
  MonthlyTransactionCount: getNested(businessInfo.BusinessInfo, 'expectedMonthlyTransactionCount'),
  MonthlyTransactionVolume: getNested(businessInfo.BusinessInfo, 'expectedMonthlyTransactionVolume'),
  PasskeyTransport: getNested(registration.PasskeyAttestation, 'transports', 'items'),
  PaymentStatus: getNested(quotes.Quote, 'status'),
  Permission: getNested(tokens.ApiToken, 'permissions', 'items'),
  PaymentDecisionStatus: getNested(paymentDecisions.PaymentDecision, 'status'),
  PaymentEvidence: getNested(paymentDecisions.PaymentDecision, 'evidence'),
  PaymentOutcome: getNested(paymentDecisions.PaymentDecision, 'outcome'),
  PaymentReversalStatus: getNested(paymentDecisions.PaymentReversal, 'status'),
  NotificationChannel: getNested(memberNotifications.MemberNotifications, 'channel'),
  NotificationTopic: getNested(memberNotifications.MemberNotifications, 'topics', 'items'),
  OwnAccountStatus: getNested(ownMoney.OwnAccount, 'status'),
  OwnAccountPurpose: getNested(ownMoney.OwnAccount, 'purpose'),
  TreasuryMovementStatus: getNested(treasury.TreasuryMovement, 'status'),
  EvmNetwork: getNested(treasury.TreasuryMovement, 'network'),
  TreasuryKeyStatus: getNested(treasury.TreasuryKey, 'status'),
  TreasuryDirection: getNested(treasury.TreasuryMovement, 'direction'),
  PlatformWithdrawalStatus: getNested(ownMoney.PlatformWithdrawal, 'status'),
  WithdrawalSource: getNested(ownMoney.PlatformWithdrawal, 'source'),
  PaymentScheduleStatus: getNested(paymentSchedules.PaymentSchedule, 'status'),
  PaymentOccurrenceStatus: getNested(paymentSchedules.PaymentOccurrence, 'status'),
  BusinessDayConvention: getNested(paymentSchedules.PaymentSchedule, 'businessDays'),
  BusinessDayCalendar: getNested(paymentSchedules.PaymentSchedule, 'calendar'),
  MissedPaymentRule: getNested(paymentSchedules.PaymentSchedule, 'ifMissed'),
  PaymentScheduleRule: getNested(paymentSchedules.PaymentSchedule, 'rule'),
  PayoutBatchStatus: getNested(payoutBatches.PayoutBatch, 'status'),
  PayoutLineStatus: getNested(payoutBatches.PayoutLine, 'status'),
  PixKeyType: getNested(info('BRL_ACCOUNT'), 'pixKeyType'),
  PolicyReplayOutcomes: getNested(policyReplay.PolicyReplay, 'counts', 'was'),
  PurposeOfAccount: getNested(businessInfo.BusinessInfo, 'purposeOfAccount'),
  RailEventReason: getNested(railEvents.RailEvent, 'reason'),
  RateDetails: getNested(transactions.OutgoingTransaction, 'rateDetails'),
  ReconciliationLedger: getNested(reconciliations.Reconciliation, 'ledger'),
  ReconciliationMatchStatus: getNested(reconciliationMatches.ReconciliationMatch, 'status'),
  ReconciliationStatement: getNested(reconciliations.Reconciliation, 'statement'),
  ReconciliationStatus: getNested(reconciliations.Reconciliation, 'status'),
  SandboxVerification: getNested(config.SandboxConfig, 'verification'),
  StatementFormat: getNested(statements.statements.statement_get.query, 'format'),
  StatusClass: getNested(requestLog.requests.request_list.query, 'statusClass'),
  SortOrder: getNested(fees.fees.platform_fee_list.query, 'sortOrder'),
  TransactionDirection: getNested(transactions.IncomingTransaction, 'direction'),
  TransactionStatus: getNested(transactions.IncomingTransaction, 'status'),
  TransactionType: getNested(overview.TransactionStatistic, 'type'),
  UmaProviderMode: getNested(config.UmaProviderConfig, 'mode'),
  UserVerification: getNested(config.PasskeyConfig, 'userVerification'),
  WebhookEndpointDisabledReason: getNested(webhookEndpoints.WebhookEndpoint, 'disabledReason'),
  WebhookEndpointStatus: getNested(webhookEndpoints.WebhookEndpoint, 'status'),
  WebhookPayload: getNested(webhookEndpoints.WebhookEndpoint, 'payload'),
  WalletExport: internalAccounts.wallets.internal_account_export.responses[200],
  XafRegion: getNested(info('XAF_ACCOUNT'), 'region'),
  XofRegion: getNested(info('XOF_ACCOUNT'), 'region'),
}

/** All schemas with given names. If two have the same shape, the first name is used for both. */
export const GIVEN_NAMES: readonly (readonly [string, TSchema])[] = [
  ...Object.entries(DOCUMENT_NAMES),
  ...Object.entries(SHARED),
  ...MODULES.flatMap((module) => Object.entries<unknown>({ ...module }).filter(isNamedSchema)),
  ...nameAccountSchemas(accountTypes.EXTERNAL_ACCOUNT_INFO, 'Info'),
  ...nameAccountSchemas(accountTypes.EXTERNAL_ACCOUNT_CREATE_INFO, 'CreateInfo'),
  ...nameAccountSchemas(accountTypes.PAYMENT_ACCOUNT_INFO, 'PaymentInfo'),
]

/**
 * Returns the schema at a path inside another one. The path consists of property names, and `items` for list
 * items.
 */
function getNested(schema: TSchema | undefined, ...path: readonly string[]): TSchema {
  let node: TSchema | undefined = schema
  for (const step of path) {
    const { properties, items }: { properties?: Readonly<Record<string, TSchema>>; items?: TSchema } =
      node ?? {}
    node = step === 'items' ? items : properties?.[step]
  }
  if (!node) throw new Error(`No schema has ${path.join('.')}`)
  return node
}

function isNamedSchema(entry: [string, unknown]): entry is [string, TSchema] {
  const [name, value] = entry
  return /^[A-Z][a-z]/.test(name) && typeof value === 'object' && value !== null && isComponent(value)
}

function nameAccountSchemas(members: ReadonlyMap<string, TSchema>, suffix: string): [string, TSchema][] {
  return [...members].map(([name, schema]) => [`${toPascalCase(name)}${suffix}`, schema])
}

/** Converts `USD_ACCOUNT` to `UsdAccount`. */
function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}
