import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import { present } from '@countersign/contract/core/objects'
import type { sandbox_magic_value_list } from '@countersign/contract/sandbox/sandbox'
import { CARD_SCENARIOS, type CardScenario, PURCHASE_SCENARIOS } from './card-outcomes.ts'
import { DOCUMENT_SCENARIOS } from './document-outcomes.ts'
import {
  BENEFICIARY_SCENARIOS,
  SANDBOX_CONTACT_CODE,
  SANDBOX_OTP_CODE,
  SANDBOX_PASSKEY_SIGNATURE,
  SANDBOX_WALLET_SIGNATURE,
  type Scenario,
  VERIFICATION_SCENARIOS,
} from './magic-values.ts'
import {
  type PaymentScenario,
  PULL_SCENARIOS,
  QUOTE_SCENARIOS,
  TRANSFER_SCENARIOS,
  UMA_SCENARIOS,
} from './payment-outcomes.ts'
import { SCREENING_SCENARIOS } from './screening-outcomes.ts'
import { STABLECOIN_SCENARIOS } from './stablecoin-outcomes.ts'
import { UMA_REFUSALS, UMA_REQUIRED_FIELDS } from './uma-receivers.ts'

type Family = SuccessOf<typeof sandbox_magic_value_list>['body']['data'][number]
type Value = Family['values'][number]

const IDENTIFIER =
  'the primary identifier in accountInfo of an external account: account number, IBAN, CLABE, address'

/** All magic values, collected from the tables that the sandbox uses. UMA names belong to `umaDomain`. */
export function listMagicValueFamilies(umaDomain: string): Family[] {
  return [
    ...CHECKS,
    ...DOCUMENTS,
    ...PAYMENTS,
    SCREENED_ADDRESSES,
    ...listUmaFamilies(umaDomain),
    ...PROOFS,
    ...CARDS,
    STABLECOIN_ACCOUNTS,
  ]
}

/** Verification of customers and account holders. */
const CHECKS: readonly Family[] = [
  {
    family: 'CUSTOMER_VERIFICATION',
    appliesTo:
      'The check of a customer, at its creation and at POST /verifications, and of a beneficial owner',
    places: [
      'the last name in fullName of an INDIVIDUAL',
      'the digits of businessInfo.registrationNumber of a BUSINESS',
      'lastName in personalInfo of a beneficial owner',
    ],
    values: listBySuffix(VERIFICATION_SCENARIOS, toPlainValue),
    otherwise: 'APPROVED',
  },
  {
    family: 'BENEFICIARY_VERIFICATION',
    appliesTo: 'The check of the holder of a new external account: beneficiaryVerificationStatus',
    places: [
      'the primary identifier in accountInfo of an external account with a beneficiary: account number, IBAN, CLABE',
      'the address of a wallet, for which only 105 has an effect: wallets have no beneficiary and show no status',
    ],
    values: listBySuffix(BENEFICIARY_SCENARIOS, toPlainValue),
    otherwise: 'MATCHED',
  },
]

const DOCUMENTS: readonly Family[] = [
  {
    family: 'DOCUMENT',
    appliesTo: 'The check of an uploaded file: POST /documents and PUT /documents/{documentId}',
    places: ['the end of the name of file, before its extension: passport-201.png'],
    values: listBySuffix(DOCUMENT_SCENARIOS, toRefusalValue),
    otherwise: 'Accepted',
  },
]

const PAYMENTS: readonly Family[] = [
  {
    family: 'TRANSFER_IN',
    appliesTo: 'The outcome of POST /transfer-in',
    places: [IDENTIFIER],
    values: listBySuffix(TRANSFER_SCENARIOS.in, toPaymentValue),
    otherwise: 'COMPLETED',
  },
  {
    family: 'TRANSFER_OUT',
    appliesTo: 'The outcome of POST /transfer-out',
    places: [IDENTIFIER],
    values: listBySuffix(TRANSFER_SCENARIOS.out, toPaymentValue),
    otherwise: 'COMPLETED',
  },
  {
    family: 'QUOTE_TO_EXTERNAL_ACCOUNT',
    appliesTo: 'The outcome of a quote that pays an external account',
    places: [IDENTIFIER],
    values: listBySuffix(QUOTE_SCENARIOS, toPaymentValue),
    otherwise: 'COMPLETED',
  },
  {
    family: 'QUOTE_FROM_EXTERNAL_ACCOUNT',
    appliesTo:
      'The outcome of a quote that is paid from an external account, unless the destination selects another one',
    places: [IDENTIFIER],
    values: listBySuffix(PULL_SCENARIOS, toPullValue),
    otherwise: 'COMPLETED',
  },
]

function listUmaFamilies(umaDomain: string): Family[] {
  return [
    {
      family: 'QUOTE_TO_UMA_ADDRESS',
      appliesTo: 'The outcome of a quote that pays an UMA address',
      places: ['umaAddress of the destination'],
      values: Object.entries(UMA_SCENARIOS).map(([name, scenario]) => ({
        value: `${name}@${umaDomain}`,
        ...toPaymentValue(scenario),
      })),
      otherwise: '404 UMA_NOT_FOUND, unless a customer of the platform has the address',
    },
    {
      family: 'UMA_RECEIVER',
      appliesTo:
        'The response of a receiver before a payment exists: GET /receiver/uma/{receiverUmaAddress} and POST /quotes',
      places: ['receiverUmaAddress', 'umaAddress of the destination'],
      values: listUmaReceivers(umaDomain),
      otherwise: 'the outcome of QUOTE_TO_UMA_ADDRESS',
    },
    {
      family: 'UMA_SENDER',
      appliesTo: 'The outcome of an incoming payment of POST /sandbox/uma/receive',
      places: ['senderUmaAddress'],
      values: [
        {
          value: `$fail.lnurlp.usd@${umaDomain}`,
          outcome: 'FAILED',
          meaning: 'The sender cannot be looked up: LNURLP_FAILED',
        },
      ],
      otherwise: 'COMPLETED, if the platform approves it',
    },
  ]
}

/** Proofs by a wallet's holder. */
const PROOFS: readonly Family[] = [
  {
    family: 'ONE_TIME_CODE',
    appliesTo: 'Sign-in by e-mail or SMS',
    places: ['the code that encryptedOtpBundle seals'],
    values: [
      { value: SANDBOX_OTP_CODE, ...toAccepted('The code of every challenge; the sandbox sends no codes') },
    ],
    otherwise: '401 UNAUTHORIZED, reason "Invalid OTP code"',
  },
  {
    family: 'CONTACT_CODE',
    appliesTo: "The verification of a customer's e-mail address or phone number",
    places: ['code of POST /customers/{customerId}/verify-email/confirm and …/verify-phone/confirm'],
    values: [{ value: SANDBOX_CONTACT_CODE, ...toAccepted('Every code; the sandbox sends no codes') }],
    otherwise: '400 INVALID_INPUT that names code',
  },
  {
    family: 'WALLET_SIGNATURE',
    appliesTo: 'Every operation that a wallet signs',
    places: ['the header Svc-Wallet-Signature'],
    values: [
      { value: SANDBOX_WALLET_SIGNATURE, ...toAccepted('Stands for a signature of the wallet (legacy)') },
    ],
    otherwise: 'Checked as in production',
  },
  {
    family: 'PASSKEY_SIGNATURE',
    appliesTo: 'Sign-in by passkey',
    places: ['assertion.signature'],
    values: [
      { value: SANDBOX_PASSKEY_SIGNATURE, ...toAccepted('Stands for a signature of the passkey (legacy)') },
    ],
    otherwise: 'Checked as in production',
  },
]

const CARDS: readonly Family[] = [
  {
    family: 'CARD',
    appliesTo: 'The decision of the issuer about a new card: state',
    places: ['platformCardId'],
    values: listBySuffix(CARD_SCENARIOS, toCardValue),
    otherwise: 'ACTIVE',
  },
  {
    family: 'CARD_PURCHASE',
    appliesTo: 'A purchase by card: the code of its decline, or its status after clearing',
    places: ['merchant.descriptor'],
    values: listBySuffix(PURCHASE_SCENARIOS, toPlainValue),
    otherwise: 'SETTLED',
  },
]

const STABLECOIN_ACCOUNTS: Family = {
  family: 'STABLECOIN_ACCOUNT',
  appliesTo: 'Linking an account at a stablecoin provider: the refusal, or the resulting status',
  places: ['apiClientId'],
  values: listBySuffix(STABLECOIN_SCENARIOS, toPlainValue),
  otherwise: 'ACTIVE',
}

const SCREENED_ADDRESSES: Family = {
  family: 'SCREENED_ADDRESS',
  appliesTo: 'A payment to an address on a chain, and a deposit from one: the screening before it',
  places: [
    'address in accountInfo of an external account on a chain, in either case',
    'accountIdentifier in sender of POST /sandbox/deposits, if it is 0x and 40 hexadecimal digits',
  ],
  values: listBySuffix(SCREENING_SCENARIOS, toPlainValue),
  otherwise: 'CLEAR',
}

function listUmaReceivers(umaDomain: string): Value[] {
  const refusing = Object.entries(UMA_REFUSALS).map(([name, { at: step, code, meaning }]) => ({
    value: `${name}@${umaDomain}`,
    outcome: `${ERRORS[code].status} ${code}`,
    meaning: step === 'quote' ? `${meaning}: only the quote is refused` : meaning,
  }))
  const asking = Object.entries(UMA_REQUIRED_FIELDS).map(([name, asks]) => ({
    value: `${name}@${umaDomain}`,
    outcome: `${ERRORS.MISSING_MANDATORY_USER_INFO.status} MISSING_MANDATORY_USER_INFO`,
    meaning: `Asks for ${asks
      .filter(({ mandatory }) => mandatory)
      .map(({ name }) => name)
      .join(' and ')}; without them the quote is refused`,
  }))
  return [...asking, ...refusing]
}

/** Sorts by suffix, because objects list integer-like keys first: 102 before 001. */
function listBySuffix<T>(table: Readonly<Record<string, T>>, value: (scenario: T) => Value): Value[] {
  return Object.entries(table)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([suffix, scenario]) => ({ suffix, ...value(scenario) }))
}

function toPlainValue({ outcome, meaning }: Scenario): Value {
  return { outcome, meaning }
}

function toRefusalValue({ outcome, meaning }: Scenario<ErrorCode>): Value {
  return { outcome: `${ERRORS[outcome].status} ${outcome}`, meaning }
}

function toAccepted(meaning: string): Value {
  return { outcome: 'ACCEPTED', meaning }
}

function toCardValue({ outcome, afterSeconds, meaning }: CardScenario): Value {
  return { outcome, ...present({ afterSeconds }), meaning }
}

/** Describes how a payment ends, and how long after its submission. */
function toPaymentValue({ meaning, steps }: PaymentScenario): Value {
  const last = steps.at(-1) ?? steps[0]
  const { afterSeconds } = last
  if (last.outcome !== 'failed' && last.outcome !== 'returned')
    return { outcome: 'COMPLETED', afterSeconds, meaning }
  return {
    outcome: 'FAILED',
    failureReason: last.failureReason,
    ...(last.outcome === 'returned' ? { refundStatus: last.isMoneyMissing ? 'FAILED' : 'COMPLETED' } : {}),
    afterSeconds,
    meaning,
  }
}

/** If a pull is returned later, the payment that it funded does not change. */
function toPullValue(scenario: PaymentScenario): Value {
  const { steps, meaning } = scenario
  const delivered = steps.find(({ outcome }) => outcome === 'delivered')
  if (!delivered) return toPaymentValue(scenario)
  return { outcome: 'COMPLETED', afterSeconds: delivered.afterSeconds, meaning }
}
