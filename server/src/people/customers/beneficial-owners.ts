import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  beneficial_owner_create,
  beneficial_owner_get,
  beneficial_owner_update,
} from '@countersign/contract/customers/beneficial-owners'
import { OWNER_KYC_INITIAL, OWNER_KYC_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { findVerificationOutcome, takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { stateAfter, transition } from '../../kernel/operation/transition.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import type { BeneficialOwnerRow } from '../../storage/rows/verification.ts'
import { selectAllBeneficialOwners, selectBeneficialOwner } from './beneficial-owner-store.ts'
import { checkBirthDate } from './customers.ts'
import { decidesAutomatically } from './verification.ts'

type CreateBody = BodyOf<typeof beneficial_owner_create>
type UpdateBody = BodyOf<typeof beneficial_owner_update>
type PersonalInfo = CreateBody['personalInfo']
type OwnerView = SuccessOf<typeof beneficial_owner_get>['body']

const PERCENT_MAX = 100
const SHOWN_CHARACTERS = 4
/** Enough for any business, and few enough to read all of them in one query. */
const OWNERS_MAX = 100

/** Changing one of these fields triggers a new check. */
const CHECKED_FIELDS = ['firstName', 'middleName', 'lastName', 'birthDate'] as const

/** Finds a beneficial owner. Throws 404 `BENEFICIAL_OWNER_NOT_FOUND`, naming `field`. */
export async function findBeneficialOwner(
  op: Op,
  id: string,
  field = 'beneficialOwnerId',
): Promise<BeneficialOwnerRow> {
  const owner = await selectBeneficialOwner(op, id)
  if (!owner || !canSee(op, owner.customer_id))
    throw new ApiError('BENEFICIAL_OWNER_NOT_FOUND', { details: { field } })
  return owner
}

/** All beneficial owners of a business, oldest first. */
export async function findBeneficialOwners(op: Op, customerId: string): Promise<BeneficialOwnerRow[]> {
  return selectAllBeneficialOwners(op, customerId)
}

/**
 * Creates an owner whose check has started. In the sandbox, the check ends immediately if verification is
 * automatic.
 */
export function makeBeneficialOwner(op: Op, customer: CustomerRow, body: CreateBody): BeneficialOwnerRow {
  const { identifier, ...personalInfo } = body.personalInfo
  const id = op.newId('BeneficialOwner')
  const row: BeneficialOwnerRow = {
    id,
    platform_id: op.platform.id,
    customer_id: customer.id,
    roles: body.roles,
    ownership_percentage: body.ownershipPercentage,
    personal_info: personalInfo,
    ...sealIdentifier(op, id, identifier),
    kyc_status: OWNER_KYC_INITIAL,
    version: 1,
    created_at: op.now,
    updated_at: op.now,
  }
  return { ...row, kyc_status: computeStatusAfterCheck(op, row) }
}

/** Applies a change to an owner; omitted fields keep their values. */
export function changeBeneficialOwner(
  op: Op,
  owner: BeneficialOwnerRow,
  { roles, ownershipPercentage, personalInfo = {} }: UpdateBody,
): { readonly row: BeneficialOwnerRow; readonly write: Write } {
  const { identifier, ...others } = personalInfo
  const info = { ...owner.personal_info, ...present(others) }
  const isNewIdentifier = identifier !== undefined && identifier !== owner.shown_identifier
  const isChecked =
    isNewIdentifier || CHECKED_FIELDS.some((field) => info[field] !== owner.personal_info[field])
  const change = {
    ...present({ roles, ownership_percentage: ownershipPercentage }),
    personal_info: info,
    ...(isNewIdentifier ? sealIdentifier(op, owner.id, identifier) : {}),
    version: owner.version + 1,
  }
  const rechecked = isChecked ? listOutcomeEvents(op, { ...owner, ...change }) : []
  return transition(
    op,
    'beneficial_owners',
    OWNER_KYC_TRANSITIONS,
    owner,
    isChecked ? ['recheck', ...rechecked] : [],
    change,
    { version: owner.version },
  )
}

/** Records the result of an owner's check. Guard: the owner is unchanged. */
export function decideBeneficialOwner(op: Op, owner: BeneficialOwnerRow, by: 'approve' | 'reject'): Write {
  const change = { version: owner.version + 1 }
  return transition(op, 'beneficial_owners', OWNER_KYC_TRANSITIONS, owner, by, change, {
    version: owner.version,
  }).write
}

type CheckedOwner = Pick<BeneficialOwnerRow, 'id' | 'kyc_status' | 'personal_info'>

function computeStatusAfterCheck(op: Op, owner: CheckedOwner): BeneficialOwnerRow['kyc_status'] {
  return stateAfter(OWNER_KYC_TRANSITIONS, owner.kyc_status, listOutcomeEvents(op, owner), owner.id)
}

/**
 * Lists the events that end a person's check immediately: the sandbox decides by suffix (specification 4.16).
 */
function listOutcomeEvents(op: Op, { personal_info }: CheckedOwner): ('approve' | 'reject')[] {
  if (!decidesAutomatically(op)) return []
  return OUTCOME_EVENTS[findVerificationOutcome(takeSuffix(personal_info.lastName.trim()))]
}

const OUTCOME_EVENTS: Readonly<Record<ReturnType<typeof findVerificationOutcome>, ('approve' | 'reject')[]>> =
  {
    PENDING: [],
    APPROVED: ['approve'],
    REJECTED: ['reject'],
  }

function sealIdentifier(op: Op, id: string, identifier: string) {
  return {
    sealed_identifier: op.enclave.sealText('beneficialOwner', id, identifier),
    shown_identifier: maskIdentifier(identifier),
  }
}

/** Masks all but the last four characters of an identifier, or a short identifier completely. */
export function maskIdentifier(identifier: string): string {
  const characters = [...identifier]
  const shown = characters.length > 2 * SHOWN_CHARACTERS ? SHOWN_CHARACTERS : 0
  return characters.map((character, at) => (at < characters.length - shown ? '*' : character)).join('')
}

/** Decrypts the identifier for the provider that checks the person. */
export function openIdentifier(op: Op, { id, sealed_identifier }: BeneficialOwnerRow): string {
  return op.enclave.openText('beneficialOwner', id, sealed_identifier)
}

/** Throws 400 naming the field if the date of birth is impossible or the shares exceed 100 % in total. */
export function checkOwner(
  op: Op,
  others: readonly BeneficialOwnerRow[],
  { ownershipPercentage, personalInfo }: UpdateBody,
): void {
  checkBirthDate(op, 'personalInfo.birthDate', personalInfo?.birthDate)
  if (others.length >= OWNERS_MAX)
    throw createFieldError(
      'INVALID_INPUT',
      'customerId',
      `A business can have at most ${OWNERS_MAX} beneficial owners.`,
    )
  const otherShares = others.reduce((sum, other) => sum + other.ownership_percentage, 0)
  if (ownershipPercentage !== undefined && otherShares + ownershipPercentage > PERCENT_MAX)
    throw createFieldError(
      'INVALID_INPUT',
      'ownershipPercentage',
      `The other beneficial owners hold ${otherShares} %, so this one can hold at most ${PERCENT_MAX - otherShares} %.`,
    )
}

/** Converts an owner to its API form. */
export function toBeneficialOwnerView(row: BeneficialOwnerRow): OwnerView {
  const info: PersonalInfo = { ...row.personal_info, identifier: row.shown_identifier }
  return {
    id: row.id,
    customerId: row.customer_id,
    roles: row.roles,
    ownershipPercentage: row.ownership_percentage,
    personalInfo: info,
    kycStatus: row.kyc_status,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
