import type { Countersign } from '../countersign.ts'
import { type Choices, pickBusinessName, pickPerson } from './seed-choices.ts'

/** A seeded customer and the accounts used in its payments. */
export interface SeededCustomer {
  readonly id: string
  readonly name: string
  readonly isBusiness: boolean
  readonly usdId: string
  readonly walletId: string
  readonly bankId: string
  /** A bank account to which all payments fail. */
  readonly failingBankId: string | undefined
}

const FUNDED_USD = 2_500_000n
const FUNDED_WALLET = 5_000_000_000n
/**
 * An account number that ends in 814 has no special meaning in the sandbox. Payments to one that ends in 004
 * are rejected by the bank.
 */
const GOOD_SUFFIX = '814'
const FAILING_SUFFIX = '004'

/** Creates a customer with funded accounts and external bank accounts. */
export async function createCustomer(
  countersign: Countersign,
  choices: Choices,
  number: number,
): Promise<SeededCustomer> {
  const isBusiness = number % 5 === 4
  const person = pickPerson(choices, number)
  const name = isBusiness ? pickBusinessName(choices) : person.fullName
  const { id } = await countersign.customers.create(
    isBusiness
      ? {
          customerType: 'BUSINESS',
          email: person.email,
          region: 'US',
          businessInfo: {
            legalName: name,
            registrationNumber: `HRB ${choices.between(10_000, 99_000)}`,
            taxId: `${choices.between(10, 99)}-${choices.between(1_000_000, 9_999_999)}`,
            incorporatedOn: `20${choices.between(10, 24)}-0${choices.between(1, 9)}-15`,
          },
        }
      : {
          customerType: 'INDIVIDUAL',
          fullName: name,
          email: person.email,
          region: 'US',
          birthDate: chooseBirthDate(choices),
        },
  )
  const { data: accounts } = await countersign.internalAccounts.list({ customerId: id })
  const usdId = accounts.find(
    ({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD',
  )!.id
  const walletId = accounts.find(({ type }) => type === 'EMBEDDED_WALLET')!.id
  await countersign.sandbox.fund(usdId, { amount: FUNDED_USD + BigInt(choices.between(0, 900_000)) })
  await countersign.sandbox.fund(walletId, { amount: FUNDED_WALLET })
  const bankId = await createBankAccount(countersign, choices, id, person.fullName, GOOD_SUFFIX)
  const failingBankId = choices.chance(40)
    ? await createBankAccount(countersign, choices, id, pickPerson(choices, number).fullName, FAILING_SUFFIX)
    : undefined
  return { id, name, isBusiness, usdId, walletId, bankId, failingBankId }
}

async function createBankAccount(
  countersign: Countersign,
  choices: Choices,
  customerId: string,
  fullName: string,
  suffix: string,
): Promise<string> {
  const { id } = await countersign.externalAccounts.create({
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${choices.between(100_000, 999_999)}${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName },
    },
  })
  return id
}

/** Creates a customer whose verification stays pending. */
export async function createUnverifiedCustomer(countersign: Countersign, choices: Choices): Promise<void> {
  const { fullName, email } = pickPerson(choices, 0)
  const { id } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: `${fullName} 001`,
    email,
    birthDate: chooseBirthDate(choices),
  })
  await countersign.verifications.create({ customerId: id })
}

function chooseBirthDate(choices: Choices): string {
  return `19${choices.between(60, 99)}-0${choices.between(1, 9)}-${choices.between(10, 28)}`
}
