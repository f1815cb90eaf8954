import { getExampleAccounts } from '@countersign/contract/accounts/account-types'
import { INSTITUTIONS } from '@countersign/contract/accounts/institutions'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

const listInstitutions = async (query: string) => (await client.get(`/discoveries${query}`)).body.data

describe('banks and mobile money operators', () => {
  test('are listed by country and by currency, each with the name that an account uses', async () => {
    expect(await listInstitutions('')).toHaveLength(INSTITUTIONS.length)
    expect(await listInstitutions('?country=NG')).toContainEqual({
      bankName: 'Guaranty Trust Bank',
      displayName: 'GTBank',
      country: 'NG',
      currency: 'NGN',
    })
    const xofInstitutions = await listInstitutions('?currency=XOF')
    expect(new Set(xofInstitutions.map(({ country }: { country: string }) => country))).toEqual(
      new Set(['BJ', 'CI', 'SN', 'TG']),
    )
    expect(await listInstitutions('?country=SN&currency=XOF')).toEqual(
      xofInstitutions.filter(({ country }: { country: string }) => country === 'SN'),
    )
    expect(await listInstitutions('?country=SN&currency=NGN')).toEqual([])
    expectError(await client.get('/discoveries?country=Nigeria'), { code: 'INVALID_INPUT', field: 'country' })
  })

  test('are the only ones that an account can name, and the nearest name is suggested', async () => {
    const invalidNames = [
      ['NGN_ACCOUNT', { bankName: 'Zenit Bank' }, 'bankName', 'Zenith Bank'],
      ['NGN_ACCOUNT', { bankName: 'zenith bank' }, 'bankName', 'Zenith Bank'],
      ['NGN_ACCOUNT', { bankName: 'GTBank' }, 'bankName', undefined],
      ['PHP_ACCOUNT', { bankName: 'Zenith Bank' }, 'bankName', undefined],
      ['KES_ACCOUNT', { provider: 'Mpesa' }, 'provider', 'M-Pesa'],
      // Available in the currency, but in another country.
      [
        'XOF_ACCOUNT',
        { provider: 'Wave', region: 'BJ', phoneNumber: '+2290195123456' },
        'provider',
        undefined,
      ],
      ['SLV_ACCOUNT', { bankName: 'Banco Agricola' }, 'bankName', 'Banco Agrícola'],
    ] as const
    for (const [type, change, fieldName, nearest] of invalidNames) {
      const [example] = getExampleAccounts(type)
      const accountInfo = { ...example, ...change }
      const currency = type === 'SLV_ACCOUNT' ? 'USD' : type.slice(0, 3)
      const reply = await client.post('/platform/external-accounts', { currency, accountInfo })
      const field = `accountInfo.${fieldName}`
      expectError(reply, { code: 'INVALID_BANK_ACCOUNT', field, what: JSON.stringify(change) })
      expect(reply.body.details).toEqual(nearest === undefined ? { field } : { field, nearest })
      if (nearest === undefined) continue
      const corrected = { currency, accountInfo: { ...accountInfo, [fieldName]: nearest } }
      // The suggested name is accepted, even if the account exists already.
      expect([201, 409]).toContain((await client.post('/platform/external-accounts', corrected)).status)
    }
  })
})
