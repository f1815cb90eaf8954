import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { UmaAddress, UmaAddressInput } from '../core/formats.ts'
import { PathId } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { Int64, OneOfWords, Text, Timestamp } from '../core/schema.ts'
import { INVITATION_TRANSITIONS } from '../states/customer-states.ts'

/** Without letters that are easily confused with a digit or another letter. */
export const INVITATION_CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 8 characters contain 40 bits. */
export const INVITATION_CODE_CHARACTERS = 8
/** The number of wrong codes that a platform may try, and the time after which they are forgotten. */
export const INVITATION_CODE_FAILURES_MAX = 20
export const INVITATION_CODE_FAILURE_SECONDS = 15 * 60

/** Placeholder for the code in the platform's URL. */
export const INVITATION_URL_PLACE = '{code}'

const STATES = keysOf(INVITATION_TRANSITIONS)

const firstName = Type.Optional(Text(255, { description: 'The first name of the invited person' }))

/** A customer's invitation to a person who has no UMA address. */
export const UmaInvitation = Type.Object({
  code: Type.String({
    description: 'Eight digits and letters. Anyone who knows it may read and claim the invitation',
  }),
  createdAt: Timestamp(),
  claimedAt: Type.Optional(Timestamp()),
  url: Type.String({ description: 'The page of the inviting platform for this invitation' }),
  expiresAt: Type.Optional(
    Timestamp('The time from which it cannot be claimed. Absent if it does not expire'),
  ),
  inviterUma: UmaAddress,
  inviteeUma: Type.Optional(UmaAddress),
  status: OneOfWords(STATES),
  firstName,
  amountToSend: Type.Optional(CurrencyAmount),
})

export const UmaInvitationCreateRequest = Type.Object({
  inviterUma: UmaAddressInput,
  firstName,
  amountToSend: Type.Optional(
    Int64({
      exclusiveMinimum: 0,
      description:
        "The amount that the inviter intends to send, in the smallest unit of the inviter's first " +
        "currency, otherwise of the platform's first. Nothing is sent or held",
    }),
  ),
  expiresAt: Type.Optional(Timestamp("In the future, by the platform's clock. Default: it does not expire")),
})

export const UmaInvitationClaimRequest = Type.Object({ inviteeUma: UmaAddressInput })

const codePath = Type.Object({ invitationCode: PathId })

const CODES = 'Codes are case-insensitive; O is read as 0, and I and L as 1.'

/** Creates an invitation with a new code. No money moves. */
export const invitation_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/invitations',
  tag: 'Invitations',
  summary: 'Create an invitation',
  description:
    'Creates a code with which a customer invites somebody to join, and the link to send. Requires ' +
    'invitationConfig.url in the configuration.',
  idempotent: true,
  body: UmaInvitationCreateRequest,
  responses: { 201: UmaInvitation },
  errors: ['INVALID_INPUT', 'INVALID_UMA_ADDRESS', 'INVALID_CURRENCY', 'INVITATIONS_NOT_CONFIGURED'],
})

/** Any platform on this server that has the code may read the invitation. */
export const invitation_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/invitations/{invitationCode}',
  tag: 'Invitations',
  summary: 'Read an invitation',
  description:
    `Shows the inviter of a code and whether it can still be claimed. ${CODES} After ` +
    `${INVITATION_CODE_FAILURES_MAX} wrong codes within 15 minutes, the call returns 429.`,
  params: codePath,
  responses: { 200: UmaInvitation },
  errors: ['INVITATION_NOT_FOUND', 'RATE_LIMITED'],
})

/**
 * Any one customer of any platform on this server can claim it. The inviting platform receives
 * `INVITATION.CLAIMED`.
 */
export const invitation_claim = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/invitations/{invitationCode}/claim',
  tag: 'Invitations',
  summary: 'Claim an invitation',
  description:
    'Links an invitation to the customer who accepted it. A code can be claimed once. inviteeUma is the ' +
    'UMA address of a customer of the calling platform, other than the inviter. Wrong codes are limited ' +
    'as when reading.',
  idempotent: true,
  params: codePath,
  body: UmaInvitationClaimRequest,
  responses: { 200: UmaInvitation },
  errors: [
    'INVALID_INPUT',
    'INVALID_UMA_ADDRESS',
    'INVITATION_NOT_FOUND',
    'INVITATION_ALREADY_CLAIMED',
    'INVITATION_CANCELLED',
    'INVITATION_EXPIRED',
    'RATE_LIMITED',
  ],
})

/** Only the platform that created the invitation can cancel it. */
export const invitation_cancel = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/invitations/{invitationCode}/cancel',
  tag: 'Invitations',
  summary: 'Cancel an invitation',
  description:
    'Cancels an unclaimed invitation, so that its code no longer works. Other platforms get 403. Wrong ' +
    'codes are limited as when reading.',
  idempotent: true,
  params: codePath,
  responses: { 200: UmaInvitation },
  errors: [
    'FORBIDDEN',
    'INVITATION_NOT_FOUND',
    'INVITATION_ALREADY_CLAIMED',
    'INVITATION_CANCELLED',
    'INVITATION_EXPIRED',
    'RATE_LIMITED',
  ],
})

export const invitations = { invitation_create, invitation_get, invitation_claim, invitation_cancel }
