import {
  EXTERNAL_ACCOUNT_INFO,
  type ExternalAccountTypeName,
  getExampleAccounts,
} from '@countersign/contract/accounts/account-types'
import { expect, test } from 'vitest'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { describeAccount } from './describe.ts'

const describeExample = (account_type: ExternalAccountTypeName, account_info: object) =>
  describeAccount({ account_type, account_info: account_info as AccountDetails })

test('the description of an account contains every detail in full', () => {
  for (const type of EXTERNAL_ACCOUNT_INFO.keys())
    for (const example of getExampleAccounts(type as ExternalAccountTypeName)) {
      const description = describeExample(example.accountType, example)
      const { accountType: _, ...otherFields } = example
      const { beneficiary, ...details } = otherFields as Record<string, unknown>
      for (const value of Object.values(details)) expect(description).toContain(value)
      if (beneficiary) expect(description).toMatch(/^“Ada Lovelace” \(/)
    }
})

test.each<[ExternalAccountTypeName, object, string]>([
  [
    'SWIFT_ACCOUNT',
    {
      country: 'JP',
      swiftCode: 'BOTKJPJT',
      bankName: 'MUFG',
      accountNumber: '12-34 56',
      beneficiary: { legalName: 'Analytical Engines “Ltd”' },
    },
    "“Analytical Engines 'Ltd'” (SWIFT account, country JP, SWIFT code BOTKJPJT, bank name “MUFG”, account number “12-34 56”)",
  ],
  [
    'EUR_ACCOUNT',
    { iban: 'DE89370400440532013000', beneficiary: { fullName: 'A\u202eB\nC\u2028D' } },
    '“A\ufffdB\ufffdC\ufffdD” (EUR account, IBAN DE89370400440532013000)',
  ],
  [
    'ETHEREUM_WALLET',
    { address: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB' },
    'the Ethereum wallet, address 0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  ],
  [
    'LIGHTNING',
    { lightningAddress: 'ada@wallet.example' },
    'the Lightning receiver, address ada@wallet.example',
  ],
])('the description of a %s is readable and safe to display', (type, info, description) => {
  expect(describeExample(type, info)).toBe(description)
})
