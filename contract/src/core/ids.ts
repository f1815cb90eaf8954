import { Type } from 'typebox'

/** Every kind of record id. An id is `<Kind>:<UUIDv7>` (specification, conventions). */
export const ID_KINDS = [
  'Platform',
  'Token',
  'Customer',
  'BeneficialOwner',
  'Verification',
  'VerificationDecision',
  'Document',
  'InternalAccount',
  'ExternalAccount',
  'StablecoinProviderAccount',
  'AuthMethod',
  'Session',
  'Request',
  'Quote',
  'Transaction',
  'LedgerTransfer',
  'Card',
  'CardTransaction',
  'DelegatedKey',
  'Agent',
  'AgentAction',
  'AgentDecision',
  'File',
  'Document',
  'DocumentRead',
  'Event',
  'Message',
  'WebhookSecret',
] as const

export type IdKind = (typeof ID_KINDS)[number]

/** The schema of a reference to a record of one kind, as it stands in a body, a query or an answer. */
export function Id(kind: IdKind, description?: string) {
  return Type.String({
    pattern: `^${kind}:[0-9A-Za-z-]{1,64}$`,
    maxLength: 96,
    inWords: `an id of the form ${kind}:…`,
    ...(description ? { description } : {}),
  })
}

/** The schema of a reference that may be to a record of one of several kinds. */
export function IdOfAny(kinds: readonly IdKind[], description?: string) {
  return Type.String({
    pattern: `^(?:${kinds.join('|')}):[0-9A-Za-z-]{1,64}$`,
    maxLength: 96,
    inWords: `an id of the form ${kinds.map((kind) => `${kind}:…`).join(' or ')}`,
    ...(description ? { description } : {}),
  })
}

/** The schema of a record id in a path: any text, because an id of another form is answered 404. */
export const PathId = Type.String({ minLength: 1, maxLength: 255, wellFormed: true })
