import { Type } from 'typebox'
import { Plain } from './sensitivity.ts'

/**
 * All kinds of record ids and their numbers. An id is `<Kind>:<UUIDv7>` (specification, conventions). The
 * last byte of the UUID is the number of the kind, so the 16 bytes identify the kind as well; numbers range
 * from 1 to 255 and are never changed or reused.
 */
export const ID_KINDS = {
  Platform: 1,
  Token: 2,
  Customer: 3,
  CustomerImport: 4,
  BeneficialOwner: 5,
  Verification: 6,
  VerificationDecision: 7,
  Document: 8,
  InternalAccount: 9,
  ExternalAccount: 10,
  StablecoinProviderAccount: 11,
  AuthMethod: 12,
  Session: 13,
  Request: 14,
  Quote: 15,
  Transaction: 16,
  LedgerTransfer: 17,
  Card: 18,
  CardTransaction: 19,
  DelegatedKey: 20,
  Agent: 21,
  AgentAction: 22,
  AgentDecision: 23,
  File: 24,
  DocumentRead: 25,
  Event: 26,
  Message: 27,
  WebhookSecret: 28,
  Deposit: 37,
  RailEvent: 38,
  LedgerAccount: 33,
  RailStatement: 40,
  StatementEntry: 41,
  Screening: 46,
  CustomerToken: 48,
  Member: 49,
  MemberSession: 50,
  MemberPasskey: 51,
  AuditEvent: 52,
  LedgerCheckpoint: 55,
  WebhookEndpoint: 56,
  PaymentDecision: 57,
  PayoutBatch: 60,
  PayoutLine: 61,
  PaymentSchedule: 64,
  PaymentOccurrence: 65,
  ReconciliationMatch: 62,
  OwnAccount: 67,
  PlatformWithdrawal: 68,
  TreasuryMovement: 76,
  TreasuryKey: 77,
  FundsHold: 70,
  MemberRole: 72,
  ClientMoneyReport: 73,
  AccountChange: 74,
  Mandate: 78,
  AccountVerification: 79,
} as const

/** Kinds of ids that callers never see. They share the numbering above. */
export const INTERNAL_ID_KINDS = {
  Job: 29,
  Challenge: 30,
  DeviceCode: 31,
  KycLink: 32,
  IdToken: 34,
  RailPayment: 36,
  BankFile: 39,
  DepositAccount: 45,
  ChainRecord: 47,
  LoggedRequest: 53,
  WebhookReceipt: 66,
  MatchItem: 63,
} as const

/** The number for invitations, whose id is a plain code instead of a kind with a UUID. */
export const INVITATION_NUMBER = 35

export type IdKind = keyof typeof ID_KINDS
export type InternalIdKind = keyof typeof INTERNAL_ID_KINDS

/** The schema of a reference to a record of one kind, in a body, query or response. */
export function Id(kind: IdKind, description?: string) {
  return Type.String({
    pattern: `^${kind}:[0-9A-Za-z-]{1,64}$`,
    maxLength: 96,
    patternText: `an id of the form ${kind}:…`,
    sensitivity: 'plain',
    ...(description ? { description } : {}),
  })
}

/** The schema of a reference to a record of one of several kinds. */
export function IdOfAny(kinds: readonly IdKind[], description?: string) {
  return Type.String({
    pattern: `^(?:${kinds.join('|')}):[0-9A-Za-z-]{1,64}$`,
    maxLength: 96,
    patternText: `an id of the form ${kinds.map((kind) => `${kind}:…`).join(' or ')}`,
    sensitivity: 'plain',
    ...(description ? { description } : {}),
  })
}

/** The schema of a record id in a path. It accepts any string, because a malformed id must return 404. */
export const PathId = Plain(Type.String({ minLength: 1, maxLength: 255, wellFormed: true }))
