import type { TSchema } from 'typebox'
import {
  EXTERNAL_ACCOUNT_CREATE_INFO,
  EXTERNAL_ACCOUNT_INFO,
  ExternalAccountCreateInfo,
  ExternalAccountInfo,
  PAYMENT_ACCOUNT_INFO,
  PaymentAccountInfo,
} from '../accounts/account-types.ts'
import { Address } from '../accounts/address.ts'
import * as beneficiaries from '../accounts/beneficiaries.ts'
import { DiscoveryListResponse } from '../accounts/discoveries.ts'
import {
  ExternalAccount,
  ExternalAccountCreateRequest,
  PlatformExternalAccountCreateRequest,
} from '../accounts/external-accounts.ts'
import { InternalAccount } from '../accounts/internal-accounts.ts'
import { PaymentInstructions } from '../accounts/payment-instructions.ts'
import * as stablecoinAccounts from '../accounts/stablecoin-accounts.ts'
import * as agentActions from '../agents/agent-actions.ts'
import * as agentPolicy from '../agents/agent-policy.ts'
import * as agents from '../agents/agents.ts'
import * as registration from '../auth/credential-registration.ts'
import * as credentials from '../auth/credentials.ts'
import * as checkpoints from '../books/checkpoints.ts'
import * as cards from '../cards/cards.ts'
import { DelegatedKey, DelegatedKeyCreateRequest } from '../cards/delegated-keys.ts'
import { Currency, CurrencyAmount } from '../core/currencies.ts'
import { PaymentRail } from '../core/rails.ts'
import { AuthMethodType, AuthSignedRequestChallenge, SignedRequestChallenge } from '../core/signed-retry.ts'
import * as owners from '../customers/beneficial-owners.ts'
import { BusinessInfo, BusinessInfoResponse, BusinessInfoUpdate } from '../customers/business-info.ts'
import { ContactVerificationConfirmRequest } from '../customers/contact-verification.ts'
import * as imports from '../customers/customer-imports.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'
import * as customers from '../customers/customers.ts'
import { CustomerDocument, DocumentType } from '../customers/documents.ts'
import { KycLinkCreateRequest, KycLinkResponse, KycProvider } from '../customers/kyc-links.ts'
import * as verifications from '../customers/verifications.ts'
import * as webhookBodies from '../events/webhook-bodies.ts'
import * as webhooks from '../events/webhooks.ts'
import { ExchangeRate, ExchangeRateFees } from '../payments/exchange-rates.ts'
import { Fee, FeeBalance } from '../payments/fees.ts'
import * as invitations from '../payments/invitations.ts'
import { Position } from '../payments/positions.ts'
import * as quotes from '../payments/quotes.ts'
import { IncomingRateDetails, OutgoingRateDetails } from '../payments/rate-details.ts'
import * as receipts from '../payments/receipts.ts'
import * as receivers from '../payments/receivers.ts'
import * as reconciliations from '../payments/reconciliations.ts'
import * as transactions from '../payments/transactions.ts'
import { UmaProvider } from '../payments/uma-providers.ts'
import {
  EstimateCryptoWithdrawalFeeRequest,
  EstimateCryptoWithdrawalFeeResponse,
} from '../payments/withdrawal-fees.ts'
import * as audit from '../platforms/audit-events.ts'
import {
  CardConfig,
  EmbeddedWalletConfig,
  InvitationConfig,
  OauthConfig,
  PasskeyConfig,
  PlatformConfig,
  PlatformConfigUpdateRequest,
  PlatformCurrencyConfig,
  UmaProviderConfig,
} from '../platforms/config.ts'
import * as memberPasskeys from '../platforms/member-passkeys.ts'
import * as memberSessions from '../platforms/member-sessions.ts'
import * as members from '../platforms/members.ts'
import * as requestLog from '../platforms/request-log.ts'
import { ApiToken, ApiTokenCreateRequest } from '../platforms/tokens.ts'
import { InboxMessage } from '../sandbox/inbox.ts'
import {
  MagicValue,
  MagicValueFamily,
  SandboxClock,
  SandboxClockAdvanceRequest,
  SandboxFundRequest,
  SandboxReset,
} from '../sandbox/sandbox.ts'
import * as sandboxCards from '../sandbox/sandbox-cards.ts'

/** `USD_ACCOUNT` → `UsdAccount`. */
function pascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}

function ofAccountTypes(members: ReadonlyMap<string, TSchema>, suffix: string): [string, TSchema][] {
  return [...members].map(([name, schema]) => [`${pascalCase(name)}${suffix}`, schema])
}

const nouns = {
  Address,
  Agent: agents.Agent,
  AgentAccountRestrictions: agentPolicy.AgentAccountRestrictions,
  AgentAccountRule: agentPolicy.AgentAccountRule,
  AgentAction: agentActions.AgentAction,
  AgentActionRejectRequest: agents.AgentActionRejectRequest,
  AgentActionStatus: agentActions.AgentActionStatus,
  AgentActionWebhook: webhookBodies.AgentActionWebhook,
  AgentApprovalThresholds: agentPolicy.AgentApprovalThresholds,
  AgentCreateRequest: agents.AgentCreateRequest,
  AgentCreateResponse: agents.AgentCreateResponse,
  AgentDecision: agentPolicy.AgentDecision,
  AgentDecisionRecord: agents.AgentDecisionRecord,
  AgentDeviceCode: agents.AgentDeviceCode,
  AgentDeviceCodeRedeemResponse: agents.AgentDeviceCodeRedeemResponse,
  AgentDeviceCodeStatusResponse: agents.AgentDeviceCodeStatusResponse,
  AgentExecutionMode: agentPolicy.AgentExecutionModeWord,
  AgentPermission: agentPolicy.AgentPermissionWord,
  AgentPolicy: agentPolicy.AgentPolicy,
  AgentPolicySimulateRequest: agents.AgentPolicySimulateRequest,
  AgentPolicySimulateResponse: agents.AgentPolicySimulateResponse,
  AgentPolicyUpdateRequest: agentPolicy.AgentPolicyUpdateRequest,
  AgentSpendingLimits: agentPolicy.AgentSpendingLimits,
  AgentSpendingLimitsUpdate: agentPolicy.AgentSpendingLimitsUpdate,
  AgentTransferDetails: agentActions.AgentTransferDetails,
  AgentUpdateRequest: agents.AgentUpdateRequest,
  AgentUsage: agentPolicy.AgentUsage,
  ApiToken,
  ApiTokenCreateRequest,
  InvitedMember: members.InvitedMember,
  AuditEvent: audit.AuditEvent,
  LoggedRequest: requestLog.LoggedRequest,
  LoggedRequestSummary: requestLog.LoggedRequestSummary,
  Member: members.Member,
  MemberInvitation: members.MemberInvitation,
  MemberInviteRequest: members.MemberInviteRequest,
  MemberUpdateRequest: members.MemberUpdateRequest,
  CodeSignIn: memberSessions.CodeSignIn,
  LinkSignIn: memberSessions.LinkSignIn,
  MemberCodeRequest: memberSessions.MemberCodeRequest,
  MemberIdentity: memberSessions.MemberIdentity,
  MemberSession: memberSessions.MemberSession,
  MemberSignInChallenge: memberSessions.MemberSignInChallenge,
  MemberSignInRequest: memberSessions.MemberSignInRequest,
  PasskeySignIn: memberSessions.PasskeySignIn,
  MemberInvitationAcceptRequest: memberPasskeys.MemberInvitationAcceptRequest,
  MemberInvitationView: memberPasskeys.MemberInvitationView,
  MemberPasskey: memberPasskeys.MemberPasskey,
  MemberPasskeyOptions: memberPasskeys.MemberPasskeyOptions,
  MemberPasskeyRequest: memberPasskeys.MemberPasskeyRequest,
  ApprovePaymentRequest: receipts.ApprovePaymentRequest,
  AuthMethod: credentials.AuthMethod,
  AuthMethodType,
  AuthSession: credentials.AuthSession,
  AuthSignedRequestChallenge,
  BeneficialOwner: owners.BeneficialOwner,
  BeneficialOwnerCreateRequest: owners.BeneficialOwnerCreateRequest,
  BeneficialOwnerPersonalInfo: owners.BeneficialOwnerPersonalInfo,
  BeneficialOwnerPersonalInfoUpdate: owners.BeneficialOwnerPersonalInfoUpdate,
  BeneficialOwnerUpdateRequest: owners.BeneficialOwnerUpdateRequest,
  BulkCustomerImportErrorEntry: imports.BulkCustomerImportErrorEntry,
  BulkCustomerImportJob: imports.BulkCustomerImportJob,
  BulkCustomerImportJobAccepted: imports.BulkCustomerImportJobAccepted,
  Verification: verifications.Verification,
  VerificationDecision: verifications.VerificationDecision,
  VerificationDecisionRequest: verifications.VerificationDecisionRequest,
  VerificationError: verifications.VerificationError,
  VerificationWebhook: webhookBodies.VerificationWebhook,
  Document: CustomerDocument,
  DocumentType,
  BulkUploadWebhook: webhookBodies.BulkUploadWebhook,
  DepositWebhook: webhookBodies.DepositWebhook,
  ReconciliationWebhook: webhookBodies.ReconciliationWebhook,
  LedgerCheckpointWebhook: webhookBodies.LedgerCheckpointWebhook,
  BusinessBeneficiary: beneficiaries.BusinessBeneficiary,
  BusinessCustomer: customers.BusinessCustomer,
  BusinessCustomerCreateRequest: customers.BusinessCustomerCreateRequest,
  BusinessCustomerUpdateRequest: customers.BusinessCustomerUpdateRequest,
  BusinessInfo,
  BusinessInfoResponse,
  BusinessInfoUpdate,
  ContactVerification: customers.ContactVerification,
  ContactVerificationConfirmRequest,
  CredentialCreateRequest: registration.CredentialCreateRequest,
  EmailOtpCreateRequest: registration.EmailOtpCreateRequest,
  KycLinkCreateRequest,
  KycLinkResponse,
  KycProvider,
  OauthConfig,
  OauthCreateRequest: registration.OauthCreateRequest,
  PasskeyAttestation: registration.PasskeyAttestation,
  CardConfig,
  PasskeyConfig,
  PasskeyCreateRequest: registration.PasskeyCreateRequest,
  SmsOtpCreateRequest: registration.SmsOtpCreateRequest,
  CredentialVerifyRequest: credentials.CredentialVerifyRequest,
  CounterpartyFieldDefinition: receivers.CounterpartyFieldDefinition,
  CredentialWebhook: webhookBodies.CredentialWebhook,
  Card: cards.Card,
  CardCreateRequest: cards.CardCreateRequest,
  CardFundingSourceChangeWebhook: webhookBodies.CardFundingSourceChangeWebhook,
  CardMerchant: cards.CardMerchant,
  CardPullSummary: cards.CardPullSummary,
  CardRefundSummary: cards.CardRefundSummary,
  CardState: cards.CardState,
  CardStateChangeWebhook: webhookBodies.CardStateChangeWebhook,
  CardTransaction: cards.CardTransaction,
  CardUpdateRequest: cards.CardUpdateRequest,
  Currency,
  CurrencyAmount,
  CurrencyPreference: receivers.CurrencyPreference,
  Customer: customers.Customer,
  CustomerCreateRequest: customers.CustomerCreateRequest,
  CustomerInfoField,
  CustomerUpdateRequest: customers.CustomerUpdateRequest,
  CustomerWebhook: webhookBodies.CustomerWebhook,
  DeliveryAttempt: webhooks.DeliveryAttempt,
  DiscoveryListResponse,
  EmailOtpVerifyRequest: credentials.EmailOtpVerifyRequest,
  DelegatedKey,
  DelegatedKeyCreateRequest,
  EmbeddedWalletConfig,
  EstimateCryptoWithdrawalFeeRequest,
  EstimateCryptoWithdrawalFeeResponse,
  Event: webhooks.PlatformEvent,
  EventWithAttempts: webhooks.PlatformEventWithAttempts,
  ExchangeRate,
  ExchangeRateFees,
  ExternalAccount,
  ExternalAccountCreateInfo,
  ExternalAccountCreateRequest,
  ExternalAccountInfo,
  Fee,
  FeeBalance,
  IncomingPaymentApproval: webhookBodies.IncomingPaymentApproval,
  IncomingPaymentWebhook: webhookBodies.IncomingPaymentWebhook,
  IncomingPaymentWebhookData: webhookBodies.IncomingPaymentWebhookData,
  IncomingRateDetails,
  IncomingTransaction: transactions.IncomingTransaction,
  IndividualBeneficiary: beneficiaries.IndividualBeneficiary,
  IndividualBeneficiaryWithAddress: beneficiaries.IndividualBeneficiaryWithAddress,
  IndividualBeneficiaryWithDocument: beneficiaries.IndividualBeneficiaryWithDocument,
  IndividualBeneficiaryWithPhoneAndAddress: beneficiaries.IndividualBeneficiaryWithPhoneAndAddress,
  IndividualBeneficiaryWithPhoneAndResidence: beneficiaries.IndividualBeneficiaryWithPhoneAndResidence,
  IndividualBeneficiaryWithRegistration: beneficiaries.IndividualBeneficiaryWithRegistration,
  IndividualBeneficiaryWithResidence: beneficiaries.IndividualBeneficiaryWithResidence,
  IndividualCustomer: customers.IndividualCustomer,
  IndividualCustomerCreateRequest: customers.IndividualCustomerCreateRequest,
  IndividualCustomerUpdateRequest: customers.IndividualCustomerUpdateRequest,
  InboxMessage,
  InternalAccount,
  InternalAccountStatusWebhook: webhookBodies.InternalAccountWebhook,
  InvitationConfig,
  InvitationWebhook: webhookBodies.InvitationWebhook,
  OauthVerifyRequest: credentials.OauthVerifyRequest,
  OtpAuthChallenge: credentials.OtpAuthChallenge,
  OutgoingPaymentWebhook: webhookBodies.OutgoingPaymentWebhook,
  OutgoingRateDetails,
  OutgoingTransaction: transactions.OutgoingTransaction,
  PasskeyAssertion: credentials.PasskeyAssertion,
  PasskeyAuthChallenge: credentials.PasskeyAuthChallenge,
  PasskeyVerifyRequest: credentials.PasskeyVerifyRequest,
  PaymentAccountInfo,
  PaymentInstructions,
  PaymentRail,
  PlatformConfig,
  PlatformConfigUpdateRequest,
  PlatformCurrencyConfig,
  PlatformExternalAccountCreateRequest,
  Position,
  Quote: quotes.Quote,
  QuoteDestination: quotes.QuoteDestination,
  QuoteDestinationAccount: quotes.AccountQuoteDestination,
  QuoteRequest: quotes.QuoteRequest,
  QuoteSource: quotes.QuoteSource,
  QuoteSourceAccount: quotes.AccountQuoteSource,
  Reconciliation: reconciliations.Reconciliation,
  LedgerCheckpoint: checkpoints.LedgerCheckpoint,
  ReconciliationDifference: reconciliations.ReconciliationDifference,
  ReconciliationWithDifferences: reconciliations.ReconciliationWithDifferences,
  QuoteSourceRealtimeFunding: quotes.RealtimeFundingQuoteSource,
  ReceiverExternalAccountLookup: receivers.ReceiverExternalAccountLookup,
  ReceiverUmaLookup: receivers.ReceiverUmaLookup,
  Refund: transactions.Refund,
  RejectPaymentRequest: receipts.RejectPaymentRequest,
  SandboxCardAuthorizationRequest: sandboxCards.SandboxCardAuthorizationRequest,
  SandboxCardClearingRequest: sandboxCards.SandboxCardClearingRequest,
  SandboxCardReturnRequest: sandboxCards.SandboxCardReturnRequest,
  SandboxClock,
  SandboxClockAdvanceRequest,
  SandboxFundRequest,
  SandboxMagicValue: MagicValue,
  SandboxMagicValueFamily: MagicValueFamily,
  SandboxReset,
  SignedRequestChallenge,
  SmsOtpVerifyRequest: credentials.SmsOtpVerifyRequest,
  StablecoinProvider: stablecoinAccounts.StablecoinProvider,
  StablecoinProviderAccount: stablecoinAccounts.StablecoinProviderAccount,
  StablecoinProviderAccountLinkRequest: stablecoinAccounts.StablecoinProviderAccountLinkRequest,
  StablecoinProviderAccountStatus: stablecoinAccounts.StablecoinProviderAccountStatus,
  TestWebhookRequest: webhookBodies.TestWebhook,
  TestWebhookResponse: webhooks.WebhookTestResult,
  Transaction: transactions.Transaction,
  TransactionDestination: transactions.TransactionDestination,
  TransactionDestinationAccount: transactions.AccountTransactionDestination,
  TransactionDestinationUmaAddress: transactions.UmaAddressTransactionDestination,
  TransactionDestinationChainAddress: transactions.ChainAddressTransactionDestination,
  TransactionSource: transactions.TransactionSource,
  TransactionSourceAccount: transactions.AccountTransactionSource,
  TransactionSourceRealtimeFunding: transactions.RealtimeFundingTransactionSource,
  TransactionSourceUmaAddress: transactions.UmaAddressTransactionSource,
  UmaAddressDestination: quotes.UmaAddressQuoteDestination,
  UmaInvitation: invitations.UmaInvitation,
  UmaInvitationClaimRequest: invitations.UmaInvitationClaimRequest,
  UmaInvitationCreateRequest: invitations.UmaInvitationCreateRequest,
  UmaProvider,
  UmaProviderConfig,
  WebhookSecret: webhooks.WebhookSecret,
  WebhookSecretCreateRequest: webhooks.WebhookSecretCreateRequest,
}

/**
 * The schemas that the OpenAPI document names, each under the name it has there. Where two are the same, the first name
 * stands for both: a wallet has the same form in a request and in a record.
 */
export const NAMED_SCHEMAS: readonly (readonly [string, TSchema])[] = [
  ...Object.entries<TSchema>(nouns),
  ...ofAccountTypes(EXTERNAL_ACCOUNT_INFO, 'Info'),
  ...ofAccountTypes(EXTERNAL_ACCOUNT_CREATE_INFO, 'CreateInfo'),
  ...ofAccountTypes(PAYMENT_ACCOUNT_INFO, 'PaymentInfo'),
]
