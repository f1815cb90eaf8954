import type { ExternalAccountTypeName } from '@countersign/contract/accounts/account-types'
import type { KnownCurrency } from '@countersign/contract/core/currencies'
import type { Permission } from '@countersign/contract/core/endpoint'
import type { PaymentRailName } from '@countersign/contract/core/rails'
import type { Hex } from '../../base/formats/hex.ts'
import type { RateSummary } from '../../base/pricing/pricing.ts'
import type { AccountChangeTables } from './account-change.ts'
import type { ChartOfAccountsRow, ClientMoneyReportRow } from './accounting.ts'
import type { AgentTables } from './agent.ts'
import type { AuditTables } from './audit.ts'
import type { BankFileTables } from './bank-file.ts'
import type { CardPullSignatureRow, CardRow, CardTransactionRow, DelegatedKeyRow } from './card.ts'
import type { ChainTables } from './chain.ts'
import type { ContactCodeRow } from './contact.ts'
import type { CustomerTokenRow } from './customer-token.ts'
import type { DocumentReadRow, DocumentRow, StoredFileRow } from './document.ts'
import type { ErasureRow } from './erasure.ts'
import type { EventRecordRow, StoredEventRow } from './event.ts'
import type { CustomerImportErrorRow, CustomerImportRow } from './import.ts'
import type { JobRow } from './job.ts'
import type { KycLinkRow } from './kyc-link.ts'
import type { FxInFlightRow, LedgerAccountRow, LedgerLateEndRow, LedgerTransferRow } from './ledger.ts'
import type { InvitationAttemptsRow, InvitationRow, StablecoinAccountRow } from './look-up.ts'
import type { MandateTables } from './mandate.ts'
import type { MemberTables } from './member.ts'
import type { OwnMoneyTables } from './own-money.ts'
import type { PaymentScheduleTables } from './payment-schedule.ts'
import type { PayoutTables } from './payout.ts'
import type { LedgerCheckpointRow } from './proof.ts'
import type { RailFunding, RailTables } from './rail.ts'
import type {
  RailStatementEntryRow,
  RailStatementRow,
  ReconciliationMatchItemRow,
  ReconciliationMatchRow,
} from './reconciliation.ts'
import type { RiskTables } from './risk.ts'
import type { ScreeningRow } from './screening.ts'
import type { CodeFailuresRow, MessageCountRow, MessageRow, OtpChallengeRow } from './sign-in.ts'
import type { Stamped } from './stamped.ts'
import type {
  AccountDetails,
  BeneficiaryStatus,
  CustomerDetails,
  IncomingFailure,
  OutgoingFailure,
  StoredJson,
  StoredQuoteRequest,
  TransactionDetails,
} from './stored-documents.ts'
import type { BeneficialOwnerRow, VerificationDecisionRow, VerificationRow } from './verification.ts'
import type {
  UndeliveredEventRow,
  WebhookEndpointRow,
  WebhookFaultRow,
  WebhookReceiptRow,
} from './webhook-endpoint.ts'

/** The rows of the database as they are read (see `baseline/`). int8 is `bigint`, timestamptz is `Date`. */
export interface Tables
  extends AgentTables,
    AuditTables,
    BankFileTables,
    ChainTables,
    MandateTables,
    MemberTables,
    AccountChangeTables,
    OwnMoneyTables,
    PaymentScheduleTables,
    PayoutTables,
    RailTables,
    RiskTables {
  platforms: PlatformRow
  api_tokens: TokenRow
  customers: CustomerRow
  erasures: ErasureRow
  beneficial_owners: BeneficialOwnerRow
  verifications: VerificationRow
  verification_decisions: VerificationDecisionRow
  internal_accounts: InternalAccountRow
  external_accounts: ExternalAccountRow
  credentials: CredentialRow
  otp_challenges: OtpChallengeRow
  code_failures: CodeFailuresRow
  contact_codes: ContactCodeRow
  customer_imports: CustomerImportRow
  customer_import_errors: CustomerImportErrorRow
  kyc_links: KycLinkRow
  customer_tokens: CustomerTokenRow
  message_counts: MessageCountRow
  used_id_tokens: UsedIdTokenRow
  sessions: SessionRow
  signing_requests: SigningRequestRow
  quotes: QuoteRow
  fx_in_flight: FxInFlightRow
  transactions: TransactionRow
  events: StoredEventRow
  event_records: EventRecordRow
  jobs: JobRow
  invitations: InvitationRow
  invitation_attempts: InvitationAttemptsRow
  stablecoin_accounts: StablecoinAccountRow
  messages: MessageRow
  webhook_attempts: WebhookAttemptRow
  webhook_secrets: WebhookSecretRow
  webhook_endpoints: WebhookEndpointRow
  webhook_receipts: WebhookReceiptRow
  webhook_faults: WebhookFaultRow
  undelivered_events: UndeliveredEventRow
  idempotency_keys: IdempotencyRow
  data_keys: DataKeyRow
  enclave_secrets: EnclaveSecretRow
  cards: CardRow
  delegated_keys: DelegatedKeyRow
  card_transactions: CardTransactionRow
  card_pull_signatures: CardPullSignatureRow
  ledger_accounts: LedgerAccountRow
  ledger_transfers: LedgerTransferRow
  ledger_late_ends: LedgerLateEndRow
  ledger_checkpoints: LedgerCheckpointRow
  charts_of_accounts: ChartOfAccountsRow
  client_money_reports: ClientMoneyReportRow
  stored_files: StoredFileRow
  documents: DocumentRow
  document_reads: DocumentReadRow
  screenings: ScreeningRow
  rail_statements: RailStatementRow
  rail_statement_entries: RailStatementEntryRow
  reconciliation_matches: ReconciliationMatchRow
  reconciliation_match_items: ReconciliationMatchItemRow
}

/** A platform without its config, which is cached separately (`App.withConfig`). */
export interface BarePlatformRow extends Stamped {
  id: string
  name: string
  /** Not covered by the version. */
  clock_offset_ms: bigint
  version: number
  /** Sandbox: when the platform was reset, and the platform that took over its tokens. */
  closed_at: Date | null
  successor_id: string | null
}

export interface PlatformRow extends BarePlatformRow {
  /** Covered by the version. */
  config: Readonly<Record<string, unknown>>
}

export interface TokenRow extends Stamped {
  id: string
  platform_id: string
  client_id: string
  name: string
  permissions: Permission[]
  secret_hash: Uint8Array
  deleted_at: Date | null
  /** The team member or token that created it. */
  maker_member_id: string | null
}

export interface CustomerRow extends Stamped {
  id: string
  platform_id: string
  platform_customer_id: string
  customer_type: 'INDIVIDUAL' | 'BUSINESS'
  verification_status: 'UNVERIFIED' | 'PENDING' | 'APPROVED' | 'REJECTED'
  region: string | null
  currencies: string[] | null
  email: string | null
  uma_address: string
  details: CustomerDetails
  version: number
  deleted_at: Date | null
  /** Null if verification is not required. */
  email_verification: 'PENDING' | 'VERIFIED' | null
  phone_verification: 'PENDING' | 'VERIFIED' | null
}

export interface InternalAccountRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string | null
  type: 'INTERNAL_FIAT' | 'INTERNAL_CRYPTO' | 'EMBEDDED_WALLET'
  currency: KnownCurrency
  status: 'PENDING' | 'ACTIVE' | 'CLOSED' | 'FROZEN'
  private_enabled: boolean
  spark_address: string | null
  /** The rail and address of a wallet on a chain. Null for a wallet on Spark. */
  chain_rail: string | null
  chain_address: Hex | null
  sealed_seed: Uint8Array | null
  /** Account details for incoming payments, from rails that have opened some for the account. */
  funding: readonly RailFunding[] | null
  /** Incremented when the wallet's set of credentials changes. */
  credentials_version: number
}

export interface ExternalAccountRow extends Stamped {
  id: string
  platform_id: string
  customer_id: string | null
  platform_account_id: string | null
  currency: string
  account_type: ExternalAccountTypeName
  account_info: AccountDetails
  fingerprint: string
  identifier: string
  status: 'PENDING' | 'ACTIVE' | 'UNDER_REVIEW' | 'INACTIVE'
  /** Why it became INACTIVE. */
  status_reason: string | null
  beneficiary_verification_status: BeneficiaryStatus | null
  verification_status: AccountChangeTables['account_verifications']['state'] | null
  default_uma_deposit: boolean
  /** The number of reported or decided changes to its details. */
  changes: number
  /** When a change of details was last applied. */
  details_changed_at: Date | null
  deleted_at: Date | null
}

export interface CredentialRow extends Stamped {
  id: string
  platform_id: string
  account_id: string
  type: 'OAUTH' | 'EMAIL_OTP' | 'SMS_OTP' | 'PASSKEY'
  nickname: string
  contact: string | null
  oidc_issuer: string | null
  oidc_audience: string | null
  oidc_subject: string | null
  webauthn_id: string | null
  webauthn_public_key: Uint8Array | null
  webauthn_sign_count: bigint | null
  current_challenge_id: string | null
  version: number
  revoked_at: Date | null
}

export interface UsedIdTokenRow {
  /** Derived from the token and the platform where it was used. */
  id: string
  platform_id: string
  expires_at: Date
}

export interface SessionRow extends Stamped {
  id: string
  platform_id: string
  account_id: string
  credential_id: string
  public_key: string
  expires_at: Date
  revoked_at: Date | null
}

export interface SigningRequestRow {
  id: string
  platform_id: string
  account_id: string
  operation: string
  target: string
  body_hash: Uint8Array
  payload: string
  signer_public_key: string | null
  context: Record<string, unknown>
  expires_at: Date
  consumed_at: Date | null
  created_at: Date
  /** The session that signed, and the signature as sent. */
  session_id: string | null
  stamp: string | null
}

export interface QuoteRow extends Stamped {
  id: string
  platform_id: string
  /** Null if the platform itself pays. */
  customer_id: string | null
  state: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'EXPIRED'
  /**
   * An internal or external account. Null if the money is paid in after the quote is created
   * (REALTIME_FUNDING).
   */
  source_account_id: string | null
  /** The chain of a payment with real-time funding. */
  source_network: string | null
  /** An internal or external account. Null for a UMA address on another server. */
  destination_account_id: string | null
  destination_uma: string | null
  payment_rail: PaymentRailName | null
  sending_currency: KnownCurrency
  receiving_currency: KnownCurrency
  sending_amount: bigint
  receiving_amount: bigint
  fees: bigint
  pricing: StoredJson<RateSummary>
  request: StoredQuoteRequest
  signing_request_id: string | null
  transaction_id: string
  expires_at: Date
  /** The state of the pull from an external account. Null without a pull, or before it starts. */
  pull_state: 'PENDING' | 'PULLED' | 'FAILED' | 'RETURNED' | null
  /** The limit on the short position while the quote is counted in `fx_in_flight`, and otherwise null. */
  position_limit: bigint | null
}

export interface TransactionRow extends Stamped {
  id: string
  platform_id: string
  /** Null if the platform moves its own money. */
  customer_id: string | null
  /**
   * The kind of operation that created it. RECEIPT is money from outside, or from another internal account.
   */
  kind: 'QUOTE' | 'TRANSFER_IN' | 'TRANSFER_OUT' | 'RECEIPT'
  type: 'INCOMING' | 'OUTGOING'
  direction: 'CREDIT' | 'DEBIT'
  state: 'CREATED' | 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'REJECTED' | 'FAILED' | 'REFUNDED' | 'EXPIRED'
  source_account_id: string | null
  destination_account_id: string | null
  source_identifier: string | null
  destination_identifier: string | null
  sent_amount: bigint | null
  sent_currency: KnownCurrency | null
  received_amount: bigint | null
  received_currency: KnownCurrency | null
  fees: bigint | null
  quote_id: string | null
  hold_id: string | null
  payment_rail: PaymentRailName | null
  remittance_information: string | null
  description: string | null
  reference: string
  failure_reason: IncomingFailure | OutgoingFailure | null
  refund: RefundRow | null
  details: StoredJson<TransactionDetails>
  receipt_delivery_confirmed_at: Date | null
  agent_id: string | null
  settled_at: Date | null
}

/** The refund of undelivered money. Times are in ISO 8601. */
export interface RefundRow {
  reference: string
  status: 'PENDING' | 'COMPLETED' | 'FAILED'
  reason: 'TRANSACTION_FAILED' | 'USER_CANCELLATION' | 'TIMEOUT'
  initiatedAt: string
  settledAt?: string
}

export interface WebhookAttemptRow {
  event_id: string
  attempt: number
  platform_id: string
  url: string
  status: number | null
  error: string | null
  answer: string | null
  duration_ms: number
  created_at: Date
}

export interface WebhookSecretRow {
  id: string
  platform_id: string
  /** Null for the configured `webhookEndpoint`. */
  endpoint_id: string | null
  created_at: Date
  expires_at: Date | null
  /** The generation of the data key from which it is derived. */
  key_generation: number
}

export interface IdempotencyRow {
  /** The primary key, derived by the database from scope and key. */
  digest?: Uint8Array
  scope: string
  key: string
  platform_id: string
  request_hash: Uint8Array
  status: number
  body: string
  created_at: Date
  expires_at: Date
}

export interface DataKeyRow {
  generation: number
  sealed: Uint8Array
  created_at: Date
  resealed_at: Date | null
}

export interface EnclaveSecretRow {
  name: string
  sealed: Uint8Array
  created_at: Date
}
