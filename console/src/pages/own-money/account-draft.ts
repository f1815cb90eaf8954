import {
  accountType,
  EXTERNAL_ACCOUNT_CREATE_INFO,
  ExternalAccountCreateInfo,
  isAccountType,
} from '@countersign/contract/accounts/account-types'
import { decode, type JsonSchema } from '@countersign/contract/core/decode'
import { EVM_NETWORKS } from '@countersign/contract/core/evm'
import { CountersignError } from '@countersign/sdk'
import { formatConstant } from '../../ui/status-meaning.ts'

/** An external account as typed: the value of each field, by its name in the API. */
export interface AccountDraft {
  readonly currency: string
  readonly type: string
  readonly values: Readonly<Record<string, string>>
}

export interface AccountField {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  /** Allowed values. Undefined for a free text field. */
  readonly choices: readonly string[] | undefined
  readonly isRequired: boolean
}

/** A field that the server rejected, and the reason. */
export interface FieldError {
  readonly name: string
  readonly message: string
}

const HOLDER = 'legalName'
/** Request fields that the form assembles from other fields. */
const COMPOSED = ['accountType', 'beneficiary']

/**
 * The types of accounts that an operator can have in a currency: at banks, at mobile operators, and on EVM
 * chains.
 */
export function listTypes(currency: string): readonly string[] {
  return [...EXTERNAL_ACCOUNT_CREATE_INFO.keys()].filter((name) => {
    if (!isAccountType(name)) return false
    const { currencies, rails } = accountType(name)
    const isHeld = rails.length > 0 || EVM_NETWORKS.some((network) => name === `${network}_WALLET`)
    return isHeld && currencies.some((candidate) => candidate === currency)
  })
}

/** Lists an account type's fields, with the holder last. */
export function listFields(type: string): readonly AccountField[] {
  const { properties = {}, required = [] } = getSchema(type)
  const ownProperties = Object.entries(properties).filter(([name]) => !COMPOSED.includes(name))
  const fields = ownProperties.map(([name, schema]) => ({
    name,
    label: formatLabel(name),
    description: getDescription(schema),
    choices: schema.enum?.map(String),
    isRequired: required.includes(name),
  }))
  const holder = {
    name: HOLDER,
    label: 'Legal name of the holder',
    description: undefined,
    choices: undefined,
    isRequired: true,
  }
  return 'beneficiary' in properties ? [...fields, holder] : fields
}

function getSchema(type: string): JsonSchema {
  return EXTERNAL_ACCOUNT_CREATE_INFO.get(type) ?? {}
}

function getDescription(schema: object): string | undefined {
  return 'description' in schema && typeof schema.description === 'string' ? schema.description : undefined
}

/** Converts `routingNumber` to `Routing number`. */
function formatLabel(name: string): string {
  return formatConstant(name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
}

/** True if all required fields are filled in, and at least one of those that identify the account. */
export function isComplete({ type, values }: AccountDraft): boolean {
  if (!isAccountType(type)) return false
  const isGiven = (name: string) => (values[name] ?? '').trim() !== ''
  const isNamed = accountType(type).identifiedBy.some(isGiven)
  return isNamed && listFields(type).every(({ name, isRequired }) => !isRequired || isGiven(name))
}

/** Converts the draft to the API's format. */
export function buildAccountInfo({ type, values }: AccountDraft) {
  const entries = listFields(type).flatMap(({ name }) => {
    const value = (values[name] ?? '').trim()
    return value === '' ? [] : [[name, value] as const]
  })
  const { [HOLDER]: legalName, ...fields } = Object.fromEntries(entries)
  const holder =
    legalName === undefined ? {} : { beneficiary: { beneficiaryType: 'BUSINESS' as const, legalName } }
  return decode(ExternalAccountCreateInfo, { accountType: type, ...fields, ...holder })
}

/** Finds the form field to which an error refers. Undefined if it refers to no field. */
export function findFieldError(error: unknown, { type }: AccountDraft): FieldError | undefined {
  if (!(error instanceof CountersignError)) return undefined
  const { field } = error.details
  if (typeof field !== 'string' || !field.startsWith('accountInfo.')) return undefined
  const name = field.split('.').at(-1)
  const match = listFields(type).find((candidate) => candidate.name === name)
  return match && { name: match.name, message: error.message }
}
