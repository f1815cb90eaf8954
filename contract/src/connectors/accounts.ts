import { type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import {
  ACCOUNT_TYPES,
  type AccountTypeName,
  accountType,
  type ExternalAccountTypeName,
  isAccountType,
} from '../accounts/account-types.ts'
import { BusinessBeneficiary } from '../accounts/beneficiaries.ts'
import { OneOf, OneOfWords } from '../core/schema.ts'
import { text } from './words.ts'

const TYPES = Object.keys(ACCOUNT_TYPES).filter(isAccountType)

/** The account types that money can be sent to or pulled from. */
const EXTERNAL_TYPES = TYPES.filter(
  (name): name is ExternalAccountTypeName => accountType(name).fields !== undefined,
)

/**
 * The fields of each account type as an external account has them, without the type. `beneficiary` has
 * everything that the account's owner stated about its holder.
 */
export const CONNECTOR_ACCOUNT_MEMBERS: ReadonlyMap<string, TObject> = new Map(
  EXTERNAL_TYPES.map((name) => {
    const { fields, individual } = accountType(name)
    const holder: TProperties = individual
      ? { beneficiary: Type.Optional(OneOf('beneficiaryType', [individual, BusinessBeneficiary])) }
      : {}
    return [name, Type.Object({ ...fields, ...holder })]
  }),
)

/**
 * The fields of each account type as payment instructions have them, without the type, the rails and the
 * reference.
 */
export const CONNECTOR_DEPOSIT_MEMBERS: ReadonlyMap<string, TObject> = new Map(
  TYPES.map((name) => {
    const { fields, paymentExtra, paymentOnly } = accountType(name)
    const { reference: _stated, ...members } = paymentOnly ?? { ...fields, ...paymentExtra }
    return [name, Type.Object(members)]
  }),
)

type Members = Readonly<Record<string, unknown>>

function ofTypes<T extends AccountTypeName>(names: readonly T[]): TUnsafe<T> {
  return OneOfWords(names, 'It decides which properties `account` has')
}

const members = (description: string): TUnsafe<Members> =>
  Type.Unsafe<Members>({ type: 'object', additionalProperties: true, wellFormed: true, description })

/**
 * The other side's account. `reader.ts` and the OpenAPI document check `account` against the fields of its
 * type.
 */
export const ConnectorAccount = Type.Object({
  accountType: ofTypes(EXTERNAL_TYPES),
  holderName: Type.Optional(text(255, 'The full or legal name of the holder')),
  account: members('All properties of the account type'),
})

/** The account that payers pay into. */
export const ConnectorDepositDetails = Type.Object({
  accountType: ofTypes(TYPES),
  account: members('The properties of the account type in payment instructions'),
})

/** The fields of `account` by its type; undefined for an unknown type. */
export function membersOfAccount(kind: 'account' | 'deposit', type: string): TSchema | undefined {
  return (kind === 'account' ? CONNECTOR_ACCOUNT_MEMBERS : CONNECTOR_DEPOSIT_MEMBERS).get(type)
}
