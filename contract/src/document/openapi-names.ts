import type { TSchema } from 'typebox'
import * as accountChanges from '../accounts/account-changes.ts'
import * as accountFields from '../accounts/account-fields.ts'
import * as accountTypes from '../accounts/account-types.ts'
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

/** The modules whose schemas have the same name in the document as in the code. */
const MODULES: readonly object[] = [
  accountFields,
  accountTypes,
  address,
  beneficiaries,
  discoveries,
  externalAccounts,
  accountChanges,
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
 * The schemas with different names in the document and in the code, because a word has a second meaning or a
 * table is meant.
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

/**
 * Names of shared schemas and of those that their place would name badly, each by one place where it is used.
 */
const SHARED: Readonly<Record<string, TSchema>> = {
  AgentApprovalRule: at(agentPolicy.AgentDecision, 'because', 'items'),
  AgentDenialRule: at(agentPolicy.AgentDecision, 'rule'),
  AuthChallenge: credentials.credentials.credential_challenge.responses[200],
  ColombianDocumentType: at(beneficiaries.IndividualBeneficiaryWithDocument, 'documentType'),
  ExplanationStepKind: at(explanations.ExplanationStep, 'step'),
  Institution: at(discoveries.InstitutionList, 'data', 'items'),
  LockedCurrencySide: at(quotes.QuoteRequest, 'lockedCurrencySide'),
  NoteRequest: deposits.DepositReturnRequest,
  PasskeyConfigUpdate: at(config.PlatformConfigUpdateRequest, 'passkeyConfig'),
  InvitationConfigUpdate: at(config.PlatformConfigUpdateRequest, 'invitationConfig'),
  SandboxConfigUpdate: at(config.PlatformConfigUpdateRequest, 'sandboxConfig'),
  RiskConfigUpdate: at(config.PlatformConfigUpdateRequest, 'riskConfig'),
  UmaProviderConfigUpdate: at(config.PlatformConfigUpdateRequest, 'umaProviderConfig'),
  PurposeOfPayment: at(quotes.QuoteRequest, 'purposeOfPayment'),
  RejectionRequest: receipts.RejectPaymentRequest,
  RetainedData: at(erasures.CustomerErasure, 'keeps', 'items'),
  SandboxMagicValueFamilyName: at(sandbox.MagicValueFamily, 'family'),
  BeneficialOwnerDecisionKind: at(
    verifications.VerificationDecisionRequest,
    'beneficialOwners',
    'items',
    'decision',
  ),
  BeneficialOwnerDecision: at(verifications.VerificationDecisionRequest, 'beneficialOwners', 'items'),
  VerificationDecider: at(verifications.VerificationDecision, 'decidedBy'),
  VerificationDecisionKind: at(verifications.VerificationDecision, 'decision'),
  VerificationRequestKind: at(verifications.VerificationDecisionRequest, 'decision'),
  VerificationStatus: at(verifications.Verification, 'verificationStatus'),
  AgentActionType: at(agentActions.AgentAction, 'type'),
  AgentDecisionOutcome: at(agentPolicy.AgentDecision, 'outcome'),
  BankOrMobilePaymentRail: at(info('GHS_ACCOUNT'), 'paymentRails', 'items'),
  SepaPaymentRail: at(info('EUR_ACCOUNT'), 'paymentRails', 'items'),
  SgdPaymentRail: at(info('SGD_ACCOUNT'), 'paymentRails', 'items'),
  UsdPaymentRail: at(info('USD_ACCOUNT'), 'paymentRails', 'items'),
  BankTransferPaymentRail: at(info('AED_ACCOUNT'), 'paymentRails', 'items'),
  GbpPaymentRail: at(info('GBP_ACCOUNT'), 'paymentRails', 'items'),
  MobileMoneyPaymentRail: at(info('KES_ACCOUNT'), 'paymentRails', 'items'),
  PixPaymentRail: at(info('BRL_ACCOUNT'), 'paymentRails', 'items'),
  SpeiPaymentRail: at(info('MXN_ACCOUNT'), 'paymentRails', 'items'),
  SwiftPaymentRail: at(info('SWIFT_ACCOUNT'), 'paymentRails', 'items'),
  UpiPaymentRail: at(info('INR_ACCOUNT'), 'paymentRails', 'items'),
  Beneficiary: at(info('USD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithAddress: at(info('AED_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithDocument: at(info('COP_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithPhoneAndAddress: at(info('JMD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithPhoneAndResidence: at(info('GTQ_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithRegistration: at(info('CAD_ACCOUNT'), 'beneficiary'),
  BeneficiaryWithResidence: at(info('EUR_ACCOUNT'), 'beneficiary'),
  BeneficialOwnerRole: at(owners.BeneficialOwner, 'roles', 'items'),
  BusinessType: at(businessInfo.BusinessInfo, 'businessType'),
  ClientPublicKeyRequest,
  RecordName,
  ContactVerificationStatus: at(customers.ContactVerification, 'email'),
  CustomerTokenPermission: at(customerTokens.CustomerToken, 'permissions', 'items'),
  CustomerType: at(customers.customers.customer_list.query, 'customerType'),
  DepositSender: at(deposits.Deposit, 'sender'),
  DocumentLink: documents.documents.document_link.responses[201],
  DocumentSide: at(documents.CustomerDocument, 'side'),
  EntityType: at(businessInfo.BusinessInfo, 'entityType'),
  Environment: at(memberSessions.MemberIdentity, 'platform', 'mode'),
  EventDeliveryStatus: at(webhooks.PlatformEvent, 'deliveryStatus'),
  AccountChangeStatus: at(accountChanges.AccountChange, 'status'),
  MandateStatus: at(mandates.Mandate, 'status'),
  MandateType: at(mandates.Mandate, 'mandateType'),
  FundsHoldStatus: at(fundsHolds.FundsHold, 'status'),
  VelocityPeriod: at(riskConfig.VelocityLimit, 'period'),
  VelocitySubject: at(riskConfig.VelocityLimit, 'subject'),
  EventType: at(webhooks.PlatformEvent, 'type'),
  HttpMethod: at(requestLog.LoggedRequest, 'method'),
  IdentificationType: at(owners.BeneficialOwnerPersonalInfo, 'idType'),
  IncomingFailureReason: at(transactions.IncomingTransaction, 'failureReason'),
  ChartAccountKind: at(chartOfAccounts.ChartEntry, 'kind'),
  ChartAccountType: at(chartOfAccounts.ChartEntry, 'type'),
  JournalDateFormat: at(chartOfAccounts.ChartOfAccounts, 'dateFormat'),
  LedgerTransferExplanation: ledgerBooks.ledger_transfer_explain.responses[200],
  LedgerAccountReference: at(ledger.LedgerTransfer, 'debit'),
  MatchAccount: at(reconciliationMatches.ReconciliationMatchRequest, 'difference', 'account'),
  MatchDifference: at(reconciliationMatches.ReconciliationMatchRequest, 'difference'),
  MonthlyTransactionCount: at(businessInfo.BusinessInfo, 'expectedMonthlyTransactionCount'),
  MonthlyTransactionVolume: at(businessInfo.BusinessInfo, 'expectedMonthlyTransactionVolume'),
  PasskeyTransport: at(registration.PasskeyAttestation, 'transports', 'items'),
  PaymentStatus: at(quotes.Quote, 'status'),
  Permission: at(tokens.ApiToken, 'permissions', 'items'),
  PaymentDecisionStatus: at(paymentDecisions.PaymentDecision, 'status'),
  PaymentEvidence: at(paymentDecisions.PaymentDecision, 'evidence'),
  PaymentOutcome: at(paymentDecisions.PaymentDecision, 'outcome'),
  PaymentReversal: at(paymentDecisions.PaymentDecision, 'reversal'),
  PaymentReversalStatus: at(paymentDecisions.PaymentDecision, 'reversal', 'status'),
  NotificationChannel: at(memberNotifications.MemberNotifications, 'channel'),
  NotificationTopic: at(memberNotifications.MemberNotifications, 'topics', 'items'),
  OwnAccountStatus: at(ownMoney.OwnAccount, 'status'),
  OwnAccountPurpose: at(ownMoney.OwnAccount, 'purpose'),
  TreasuryMovementStatus: at(treasury.TreasuryMovement, 'status'),
  EvmNetwork: at(treasury.TreasuryMovement, 'network'),
  TreasuryKeyStatus: at(treasury.TreasuryKey, 'status'),
  TreasuryDirection: at(treasury.TreasuryMovement, 'direction'),
  PlatformWithdrawalStatus: at(ownMoney.PlatformWithdrawal, 'status'),
  WithdrawalSource: at(ownMoney.PlatformWithdrawal, 'source'),
  PaymentScheduleStatus: at(paymentSchedules.PaymentSchedule, 'status'),
  PaymentOccurrenceStatus: at(paymentSchedules.PaymentOccurrence, 'status'),
  BusinessDayConvention: at(paymentSchedules.PaymentSchedule, 'businessDays'),
  BusinessDayCalendar: at(paymentSchedules.PaymentSchedule, 'calendar'),
  MissedPaymentRule: at(paymentSchedules.PaymentSchedule, 'ifMissed'),
  PaymentScheduleRule: at(paymentSchedules.PaymentSchedule, 'rule'),
  PayoutBatchStatus: at(payoutBatches.PayoutBatch, 'status'),
  PayoutLineStatus: at(payoutBatches.PayoutLine, 'status'),
  PixKeyType: at(info('BRL_ACCOUNT'), 'pixKeyType'),
  PolicyReplayOutcomes: at(policyReplay.PolicyReplay, 'counts', 'was'),
  PurposeOfAccount: at(businessInfo.BusinessInfo, 'purposeOfAccount'),
  RailEventReason: at(railEvents.RailEvent, 'reason'),
  RateDetails: at(transactions.OutgoingTransaction, 'rateDetails'),
  ReconciliationLedger: at(reconciliations.Reconciliation, 'ledger'),
  ReconciliationMatchStatus: at(reconciliationMatches.ReconciliationMatch, 'status'),
  ReconciliationStatement: at(reconciliations.Reconciliation, 'statement'),
  ReconciliationStatus: at(reconciliations.Reconciliation, 'status'),
  SandboxVerification: at(config.SandboxConfig, 'verification'),
  StatementFormat: at(statements.statements.statement_get.query, 'format'),
  StatusClass: at(requestLog.requests.request_list.query, 'statusClass'),
  SortOrder: at(fees.fees.platform_fee_list.query, 'sortOrder'),
  TransactionDirection: at(transactions.IncomingTransaction, 'direction'),
  TransactionStatus: at(transactions.IncomingTransaction, 'status'),
  TransactionType: at(overview.TransactionStatistic, 'type'),
  UmaProviderMode: at(config.UmaProviderConfig, 'mode'),
  UserVerification: at(config.PasskeyConfig, 'userVerification'),
  WebhookEndpointDisabledReason: at(webhookEndpoints.WebhookEndpoint, 'disabledReason'),
  WebhookEndpointStatus: at(webhookEndpoints.WebhookEndpoint, 'status'),
  WebhookPayload: at(webhookEndpoints.WebhookEndpoint, 'payload'),
  WalletExport: internalAccounts.wallets.internal_account_export.responses[200],
  XafRegion: at(info('XAF_ACCOUNT'), 'region'),
  XofRegion: at(info('XOF_ACCOUNT'), 'region'),
}

/** The schemas with their own names. If two have one shape, the first name stands for both. */
export const GIVEN_NAMES: readonly (readonly [string, TSchema])[] = [
  ...Object.entries(DOCUMENT_NAMES),
  ...Object.entries(SHARED),
  ...MODULES.flatMap((module) => Object.entries<unknown>({ ...module }).filter(isNamedSchema)),
  ...ofAccountTypes(accountTypes.EXTERNAL_ACCOUNT_INFO, 'Info'),
  ...ofAccountTypes(accountTypes.EXTERNAL_ACCOUNT_CREATE_INFO, 'CreateInfo'),
  ...ofAccountTypes(accountTypes.PAYMENT_ACCOUNT_INFO, 'PaymentInfo'),
]

/** The schema at a place inside of another: names of properties, and `items` for the elements of a list. */
function at(schema: TSchema | undefined, ...path: readonly string[]): TSchema {
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

function ofAccountTypes(members: ReadonlyMap<string, TSchema>, suffix: string): [string, TSchema][] {
  return [...members].map(([name, schema]) => [`${pascalCase(name)}${suffix}`, schema])
}

/** `USD_ACCOUNT` → `UsdAccount`. */
function pascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}
