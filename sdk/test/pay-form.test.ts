import { expect, test } from 'vitest'
import { Countersign } from '../src/countersign.ts'
import { BANKS, type BankKind } from '../src/react/bank-kinds.ts'
import { makePlatform } from './platform.testing.ts'

/** Values as a customer types them, spaces and dashes included. */
const TYPED: Readonly<Record<string, string>> = {
  fullName: 'Maria Silva',
  iban: 'de89 3704 0044 0532 0130 00',
  countryOfResidence: 'de',
  sortCode: '56-00-36',
  routingNumber: '021000021',
}
const KINDS: readonly [BankKind, string][] = [
  ['USD', '000123456789'],
  ['EUR', ''],
  ['GBP', '40308669'],
]

test.each(KINDS)(
  'the fields of the payment form are what an account in %s needs',
  async (currency, accountNumber) => {
    const countersign = new Countersign(await makePlatform())
    const { id: customerId } = await countersign.customers.create({
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace',
    })
    const typed: Readonly<Record<string, string>> = { ...TYPED, accountNumber }
    const { fields, accountInfo } = BANKS[currency]
    const formFields = new Set<string>(['fullName', ...fields])
    const account = await countersign.externalAccounts.create({
      customerId,
      currency,
      accountInfo: accountInfo((name) => {
        expect(formFields).toContain(name)
        return typed[name] ?? ''
      }),
    })
    expect(account).toMatchObject({ currency, status: 'ACTIVE' })
  },
)
