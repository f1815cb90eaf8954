import { isKnownCurrency, type KnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import type { ErrorCode } from '@countersign/contract/core/errors'
import { present } from '@countersign/contract/core/objects'
import {
  INVITATION_URL_PLACE,
  type invitation_create,
  type invitation_get,
} from '@countersign/contract/payments/invitations'
import {
  INVITATION_INITIAL,
  INVITATION_TRANSITIONS,
  type InvitationEvent,
  type InvitationState,
} from '@countersign/contract/states/customer-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { parseOptionalTime } from '../../kernel/operation/time-range.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { InvitationRow } from '../../storage/rows/look-up.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { generateCode } from './invitation-codes.ts'
import type { InvitationWithInviter } from './invitation-store.ts'
import { findCustomerByUma, readUmaAddress } from './uma.ts'

type InvitationView = SuccessOf<typeof invitation_get>['body']

/** The errors for claiming or canceling an invitation that is no longer pending, by state. */
const ENDED_ERRORS = {
  CLAIMED: 'INVITATION_ALREADY_CLAIMED',
  CANCELLED: 'INVITATION_CANCELLED',
  EXPIRED: 'INVITATION_EXPIRED',
} as const satisfies Record<Exclude<InvitationState, 'PENDING'>, ErrorCode>

/**
 * Finds the customer of the calling platform with an UMA address. Throws 400 `INVALID_UMA_ADDRESS`, naming
 * `field`, if the text is not an address or no customer of this platform has it.
 */
export async function findOwnCustomer(op: Op, text: string, field: string): Promise<CustomerRow> {
  const customer = await findCustomerByUma(op, readUmaAddress(text, field))
  if (!customer)
    throw createFieldError(
      'INVALID_UMA_ADDRESS',
      field,
      `${field} is not the UMA address of a customer of this platform`,
    )
  return customer
}

/**
 * Builds the row of a new invitation. Throws 400 `INVITATIONS_NOT_CONFIGURED`, or 400 with the invalid field.
 */
export function makeInvitation(
  op: Op,
  inviter: CustomerRow,
  body: BodyOf<typeof invitation_create>,
): InvitationWithInviter {
  const { invitationConfig } = getPlatformConfig(op)
  if (!invitationConfig) throw new ApiError('INVITATIONS_NOT_CONFIGURED')
  const expiresAt = parseOptionalTime(body.expiresAt)
  if (expiresAt && expiresAt <= op.now)
    throw createFieldError('INVALID_INPUT', 'expiresAt', 'expiresAt must be in the future')
  const code = generateCode(op)
  return {
    id: code,
    platform_id: op.platform.id,
    customer_id: inviter.id,
    inviter_uma: inviter.uma_address,
    invitee_uma: null,
    first_name: body.firstName ?? null,
    amount: body.amountToSend ?? null,
    currency: body.amountToSend === undefined ? null : chooseCurrency(op, inviter),
    url: invitationConfig.url.replace(INVITATION_URL_PLACE, code),
    state: INVITATION_INITIAL,
    expires_at: expiresAt ?? null,
    claimed_at: null,
    created_at: op.now,
    updated_at: op.now,
    is_inviter_gone: false,
    clock_offset_ms: op.platform.clock_offset_ms,
  }
}

/** Chooses an invitation's currency: the inviter's first currency, or else the platform's first currency. */
function chooseCurrency(op: Op, inviter: CustomerRow): KnownCurrency {
  const platformCurrencies = getPlatformConfig(op).supportedCurrencies.map(({ currencyCode }) => currencyCode)
  const currency = [...(inviter.currencies ?? []), ...platformCurrencies].find(isKnownCurrency)
  if (!currency)
    throw createFieldError(
      'INVALID_CURRENCY',
      'amountToSend',
      'Neither the inviter nor the platform has a currency. Add one first.',
    )
  return currency
}

/** The time on the inviting platform's clock, which decides when an invitation expires. */
export function readInviterTime(op: Op, { clock_offset_ms }: InvitationWithInviter): Date {
  return new Date(op.now.getTime() - Number(op.platform.clock_offset_ms) + Number(clock_offset_ms))
}

/**
 * Returns the current state of an invitation. It expires at `expires_at`, even if the background job has not
 * run yet, and counts as canceled if the inviter was deleted.
 */
export function computeState(op: Op, invitation: InvitationWithInviter): InvitationState {
  const { state, expires_at, is_inviter_gone } = invitation
  const applyEvent = (event: InvitationEvent) => nextState(INVITATION_TRANSITIONS, state, event) ?? state
  if (is_inviter_gone) return applyEvent('cancel')
  return expires_at !== null && expires_at <= readInviterTime(op, invitation) ? applyEvent('expire') : state
}

/** Throws 400 with the reason if the invitation is no longer pending. */
export function assertPending(op: Op, invitation: InvitationWithInviter): void {
  const state = computeState(op, invitation)
  if (state === 'PENDING') return
  throw new ApiError(ENDED_ERRORS[state], { details: { field: 'invitationCode', status: state } })
}

/** An invitation as the API shows it to anyone with its code. */
export function toUmaInvitationView(row: InvitationRow, state: InvitationState): InvitationView {
  return present({
    code: row.id,
    createdAt: row.created_at.toISOString(),
    claimedAt: row.claimed_at?.toISOString(),
    url: row.url,
    expiresAt: row.expires_at?.toISOString(),
    inviterUma: row.inviter_uma,
    inviteeUma: row.invitee_uma,
    status: state,
    firstName: row.first_name,
    amountToSend:
      row.amount === null || row.currency === null
        ? undefined
        : { amount: row.amount, currency: toCurrencyRecord(row.currency) },
  })
}
