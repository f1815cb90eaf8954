import { createHash } from 'node:crypto'
import type { AccountCheckName } from '@countersign/contract/accounts/account-fields'
import {
  type AccountTypeName,
  accountType,
  PAYMENT_ACCOUNT_INFO,
  type PaymentAccountInfoValue,
} from '@countersign/contract/accounts/account-types'
import { base58, createBase58check } from '@scure/base'
import { composeIBAN, getCountrySpecifications } from 'ibantools'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import { buildCbu, computeClabeDigit } from '../../base/formats/check-digits.ts'
import { requireValue } from '../../base/formats/require-value.ts'
import type { Deposit, DepositDetails } from '../../kernel/ports/deposit-details.ts'
import { generateSandboxInvoice } from './invoice.ts'
import { buildPixCode } from './pix.ts'
import { encodeIdentityField, encodeSparkAddress, generateSparkInvoice } from './spark.ts'

/** The values from which details are derived. */
type Source = Deposit & { readonly type: AccountTypeName }

type Generator = (source: Source, example: string | undefined) => unknown

const BANK_NAME = 'Countersign Sandbox Bank'
/** The bank code of generated BICs, which the country code follows. */
const BIC_BANK = 'CSGN'
/** A number with a valid check digit that belongs to no bank. */
const ROUTING_NUMBER = '110000000'
const SORT_CODE = '000000'
/** Bank and city code of Mexican accounts. The number belongs to no bank. */
const CLABE_BANK_AND_CITY = '999180'
/** A virtual account in Argentina (000) at a provider that does not exist. */
const CVU_PROVIDER = '0009999'
/** The country of euro accounts. */
const EURO_COUNTRY = 'DE'
/** The bank codes of generated IBANs. They belong to no bank. */
const IBAN_BANKS: Readonly<Record<string, string>> = {
  AE: '999',
  DE: '99999999',
  DK: '9999',
  EG: '99999999',
  PK: BIC_BANK,
}
const TRON_PREFIX = 0x41

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** Generators of fields that have a check digit or a checksum. */
const GENERATORS_BY_CHECK: Partial<Record<AccountCheckName, Generator>> = {
  aba: () => ROUTING_NUMBER,
  bic: ({ type }) => `${BIC_BANK}${accountType(type).country ?? EURO_COUNTRY}33`,
  bolt11: ({ seed, reference }) => generateSandboxInvoice(seed, reference),
  cbu: ({ seed }) => buildCbu(CVU_PROVIDER, deriveDigits(seed, 13)),
  clabe: ({ seed }) => {
    const first = CLABE_BANK_AND_CITY + deriveDigits(seed, 11)
    return first + computeClabeDigit(first)
  },
  // The address is a digest, so nobody has its key.
  evm: ({ seed }) => toChecksumAddress(deriveDigest('evm', seed).subarray(0, 20).toString('hex')),
  iban: ({ type, seed }) => generateIban(accountType(type).country ?? EURO_COUNTRY, seed),
  number: generateNumber,
  usAccount: ({ seed }) => deriveDigits(seed, 12),
  solana: ({ seed }) => base58.encode(deriveDigest('solana', seed)),
  spark: ({ seed }) => encodeSparkAddress(encodeIdentityField(seed)),
  tron: ({ seed }) =>
    base58check.encode(Uint8Array.of(TRON_PREFIX, ...deriveDigest('tron', seed).subarray(0, 20))),
  vpa: ({ reference }) => `${reference.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}@countersign`,
}

/**
 * Generators of the other fields. Fields without a generator, such as branch codes and mobile numbers, use
 * the account type's example.
 */
const GENERATORS_BY_NAME: Readonly<Record<string, Generator>> = {
  accountNumber: generateNumber,
  accountType: ({ type }) => type,
  assetType: ({ currency }) => currency,
  bankName: () => BANK_NAME,
  paymentRails: ({ type }) => [...accountType(type).rails],
  paymentUrl: ({ reference }) => `https://pay.sandbox.test/${encodeURIComponent(reference)}`,
  qrCode: ({ seed, reference }) => buildPixCode(toUuid(deriveDigest('pix', seed)), reference),
  reference: ({ reference }) => reference,
  sortCode: () => SORT_CODE,
}

/**
 * Generates deposit details. They have the account type's format and the check digits of real ones, but no
 * real payment can reach them. If the type has no field for the reference, it is part of the target (a PIX
 * code, a payment page, an invoice) or omitted, so the notes must also state it.
 */
export const sandboxDepositDetails: DepositDetails = {
  details(type, deposit) {
    const properties = requireValue(PAYMENT_ACCOUNT_INFO.get(type), 'schema of the account type').properties
    const source = { type, ...deposit }
    const fields = Object.keys(properties).flatMap((name) => {
      const value = generateField(name, source)
      return value === undefined ? [] : [[name, value] as const]
    })
    // A test validates the details against the type's schema and checks, for every currency and network.
    return Object.fromEntries(fields) as PaymentAccountInfoValue
  },
}

/** Generates one field of the payment details. Undefined for an optional field. */
function generateField(name: string, source: Source): unknown {
  const { checks = {}, examples = [] } = accountType(source.type)
  const example = examples.find((candidate) => candidate[name] !== undefined)?.[name]
  const check = checks[name]
  if (name === 'invoice' && source.type === 'SPARK_WALLET') return generateSparkInvoice(source)
  const generate = (check && GENERATORS_BY_CHECK[check]) ?? GENERATORS_BY_NAME[name]
  return generate ? generate(source, example) : example
}

/** The number has as many digits as the type's example. */
function generateNumber({ seed }: Source, example: string | undefined): string {
  return deriveDigits(seed, example?.length ?? 12)
}

function generateIban(countryCode: string, seed: string): string {
  const bank = IBAN_BANKS[countryCode]
  const characters = getCountrySpecifications()[countryCode]?.chars
  if (bank === undefined || !characters) throw new Error(`The sandbox has no bank in ${countryCode}`)
  const bban = bank + deriveDigits(seed, characters - 'CC00'.length - bank.length)
  return requireValue(composeIBAN({ countryCode, bban }), 'IBAN of a generated bank')
}

function deriveDigest(purpose: string, seed: string): Buffer {
  return createHash('sha256').update(`${purpose} ${seed}`).digest()
}

/** Derives digits from the seed, so that details are always the same. */
function deriveDigits(seed: string, count: number): string {
  const number = deriveDigest('account', seed).readBigUInt64BE()
  return String(number).padStart(20, '0').slice(-count)
}

/** Formats the first 16 bytes as a version 4 UUID. */
function toUuid(bytes: Buffer): string {
  const hex = bytes.subarray(0, 16).toString('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
