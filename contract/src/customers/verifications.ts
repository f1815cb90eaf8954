import { Type } from 'typebox'
import { endpoint, KIB } from '../core/endpoint.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { OneOfWords, Page, Pattern, Prose, pageQuery, Tag, Text, Timestamp } from '../core/schema.ts'
import { VERIFICATION_STATES } from '../states/customer-states.ts'
import { DOCUMENT_TYPES } from './documents.ts'

export const VERIFICATION_ERROR_TYPES = [
  'MISSING_FIELD',
  'INVALID_FIELD',
  'MISSING_LEGAL_PRESENCE_DOCUMENT',
  'MISSING_CONTROL_STRUCTURE_DOCUMENT',
  'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
  'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
  'MISSING_IDENTITY_DOCUMENT',
  'INVALID_DOCUMENT',
  'EXPIRED_DOCUMENT',
  'POOR_QUALITY_DOCUMENT',
  'SUSPECTED_FRAUD_DOCUMENT',
  'WRONG_DOCUMENT_TYPE',
  'INCOMPLETE_DOCUMENT',
  'UNREADABLE_DOCUMENT',
  'DOCUMENT_VERIFICATION_FAILED',
  'APPLICANT_SANCTIONED',
  'APPLICANT_FRAUD',
  'APPLICANT_CRIMINAL_RECORD',
  'APPLICANT_REJECTED',
  'MISSING_BENEFICIAL_OWNER',
] as const

/** A missing or incorrect value, and its place. */
export const VerificationError = Type.Object({
  resourceId: IdOfAny(
    ['Customer', 'BeneficialOwner', 'Document'],
    'The customer, beneficial owner or document to correct',
  ),
  type: OneOfWords(VERIFICATION_ERROR_TYPES),
  reason: Prose(500),
  field: Type.Optional(Text(255, { description: 'The path of the field, like businessInfo.taxId' })),
  acceptedDocumentTypes: Type.Optional(
    Type.Array(OneOfWords(DOCUMENT_TYPES), {
      minItems: 1,
      maxItems: DOCUMENT_TYPES.length,
      uniqueItems: true,
      description: 'One document of one of these types is needed',
    }),
  ),
})

/** The verification of a customer, which is a person (KYC) or a business (KYB). */
export const Verification = Type.Object({
  id: Id('Verification'),
  customerId: Id('Customer'),
  verificationStatus: OneOfWords(VERIFICATION_STATES),
  errors: Type.Array(VerificationError, {
    description: 'Everything that must be resolved; empty while it is IN_PROGRESS and once it is APPROVED',
  }),
  submission: Type.Integer({
    minimum: 0,
    description: 'The number of submissions so far. A decision can state the submission to which it applies',
  }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const VERIFICATION_DECISIONS = ['APPROVE', 'REJECT', 'REQUEST_INFORMATION'] as const

/** The limit of the database column. */
const SUBMISSIONS_MAX = 2_147_483_647

const ownerOutcomes = Type.Optional(
  Type.Array(
    Type.Object({
      beneficialOwnerId: Id('BeneficialOwner'),
      decision: OneOfWords(['APPROVE', 'REJECT']),
    }),
    {
      maxItems: 100,
      description: 'Decisions on individual beneficial owners. Approving the business approves the others',
    },
  ),
)
const submissionOfDecision = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: SUBMISSIONS_MAX,
    description: 'The reviewed submission. Default: the newest',
  }),
)
const Reason = Prose(500, { description: 'Required for REJECT. Visible to the platform' })
const RequestedErrors = Type.Array(VerificationError, {
  minItems: 1,
  maxItems: 50,
  description: 'Required for REQUEST_INFORMATION: the data that the customer must provide or replace',
})

export const VerificationDecisionRequest = Type.Object({
  decision: OneOfWords(VERIFICATION_DECISIONS),
  reason: Type.Optional(Reason),
  errors: Type.Optional(RequestedErrors),
  beneficialOwners: ownerOutcomes,
  submission: submissionOfDecision,
})

/** The possible authors of a decision. */
export const DECIDERS = ['TOKEN', 'MEMBER', 'OPERATOR', 'PROVIDER', 'SANDBOX'] as const

/** A decision with its author and time. Kept permanently. */
export const VerificationDecision = Type.Object({
  id: Id('VerificationDecision'),
  verificationId: Id('Verification'),
  submission: Type.Integer({ minimum: 0 }),
  decision: OneOfWords([...VERIFICATION_DECISIONS, 'REFER', 'REOPEN']),
  reason: Type.Optional(Type.String()),
  errors: Type.Array(VerificationError),
  decidedBy: Type.Object({
    type: OneOfWords(DECIDERS),
    id: Type.Optional(
      Type.String({
        description: "The id of the token or the member; for a provider's decision, the id of its event",
      }),
    ),
  }),
  createdAt: Timestamp(),
})

const verificationPath = Type.Object({ verificationId: PathId })
const TAG = 'Verifications'

/** Starts a customer's verification, or continues the open one (specification 4.7, 4.16). */
export const verification_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/verifications',
  tag: TAG,
  summary: 'Verify a customer',
  description:
    'Requests a decision on whether a customer may move money. Lists in errors everything that is ' +
    'missing, or submits the customer for a decision. While a verification is open, returns ' +
    'it, and submits it if nothing is missing any more. For a decided customer, returns the last one.',
  body: Type.Object({ customerId: Id('Customer') }),
  responses: { 200: Verification },
  errors: ['INVALID_INPUT', 'USER_NOT_FOUND', 'CUSTOMER_DELETED'],
})

export const verification_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/verifications',
  tag: TAG,
  summary: 'List verifications',
  description:
    'Lists verifications by customer and status, newest first unless `sortOrder` says otherwise. Use it to find open ones.',
  query: Type.Object({
    customerId: Type.Optional(Id('Customer')),
    verificationStatus: Type.Optional(OneOfWords(VERIFICATION_STATES)),
    ...namesQuery,
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
    ),
    ...pageQuery,
  }),
  responses: { 200: NamedPage(Verification) },
  errors: ['INVALID_INPUT'],
})

export const verification_csv = fileOfList(verification_list, 'verifications')

export const verification_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/verifications/{verificationId}',
  tag: TAG,
  summary: 'Read a verification',
  description: 'Shows the progress of a verification, with everything that is missing in errors.',
  params: verificationPath,
  responses: { 200: Verification },
  errors: ['VERIFICATION_NOT_FOUND'],
})

/** Records a reviewer's decision. */
export const verification_decide = endpoint({
  auth: 'platform',
  permission: 'REVIEW',
  method: 'POST',
  path: '/verifications/{verificationId}/decision',
  tag: TAG,
  summary: 'Decide a verification',
  description:
    "Records a manual decision on a submitted customer and changes the customer's status. APPROVE needs " +
    'a submitted customer without a rejected beneficial owner; it also approves pending owners. ' +
    'REQUEST_INFORMATION lists what the customer must provide; a document that it names can be replaced ' +
    'again. Of several concurrent decisions one succeeds; the others return 409.',
  params: verificationPath,
  body: VerificationDecisionRequest,
  bodyBytesMax: 256 * KIB,
  responses: { 200: Verification },
  errors: [
    'INVALID_INPUT',
    'VERIFICATION_NOT_FOUND',
    'CUSTOMER_DELETED',
    'BENEFICIAL_OWNER_REJECTED',
    'SUBMISSION_OUTDATED',
    'INVALID_STATE_TRANSITION',
  ],
})

export const verification_decision_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/verifications/{verificationId}/decisions',
  tag: TAG,
  summary: 'List the decisions of a verification',
  description:
    'Shows the decisions on a verification with author, time and reason, newest first. They are stored permanently.',
  params: verificationPath,
  query: Type.Object(pageQuery),
  responses: { 200: Page(VerificationDecision) },
  errors: ['INVALID_INPUT', 'VERIFICATION_NOT_FOUND'],
})

export const verifications = {
  verification_create,
  verification_list,
  verification_csv,
  verification_get,
  verification_decide,
  verification_decision_list,
}

const outcomeFields = {
  reason: Type.Optional(Prose(500)),
  errors: Type.Optional(RequestedErrors),
  beneficialOwners: ownerOutcomes,
}

/** The provider's result for a verification, immediate or later. `REFER` requests manual review. */
export const VerificationOutcome = Type.Object({
  decision: OneOfWords([...VERIFICATION_DECISIONS, 'REFER', 'WAIT'], 'WAIT: the outcome is reported later'),
  ...outcomeFields,
})

/** A provider's report of the outcome of a submission. */
export const VerificationProviderEvent = Type.Object({
  type: Tag('verification.decided'),
  eventId: Pattern('^[\\x21-\\x7e]{1,255}$', {
    patternText: '1 to 255 printable ASCII characters without a space',
  }),
  verificationId: Id('Verification'),
  submission: Type.Integer({ minimum: 1, maximum: SUBMISSIONS_MAX }),
  decision: OneOfWords([...VERIFICATION_DECISIONS, 'REFER']),
  ...outcomeFields,
})

/**
 * The verification provider reports an outcome, signed like a webhook. The route only exists if a provider is
 * configured. A repeated event gets the same response; an outcome for an older submission is rejected with
 * `SUBMISSION_OUTDATED`.
 */
export const verification_provider_event = endpoint({
  auth: 'verificationProvider',
  method: 'POST',
  path: '/verification-provider/events',
  tag: 'Verification provider',
  summary: 'Report an outcome',
  body: VerificationProviderEvent,
  bodyBytesMax: 256 * KIB,
  responses: { 200: Verification },
  errors: [
    'INVALID_SIGNATURE',
    'INVALID_INPUT',
    'VERIFICATION_NOT_FOUND',
    'CUSTOMER_DELETED',
    'BENEFICIAL_OWNER_REJECTED',
    'SUBMISSION_OUTDATED',
    'INVALID_STATE_TRANSITION',
  ],
})
