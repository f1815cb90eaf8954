import { exampleAccounts } from '@countersign/contract/accounts/account-types'
import { INSTITUTIONS } from '@countersign/contract/accounts/institutions'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

const discovered = async (query: string) => (await client.get(`/discoveries${query}`)).body.data

describe('banks and mobile money operators', () => {
  test('are listed by country and by currency, each with the name for an account', async () => {
    expect(await discovered('')).toHaveLength(INSTITUTIONS.length)
    expect(await discovered('?country=NG')).toContainEqual({
      bankName: 'Guaranty Trust Bank',
      displayName: 'GTBank',
      country: 'NG',
      currency: 'NGN',
    })
    const ofXof = await discovered('?currency=XOF')
    expect(new Set(ofXof.map(({ country }: { country: string }) => country))).toEqual(
      new Set(['BJ', 'CI', 'SN', 'TG']),
    )
    expect(await discovered('?country=SN&currency=XOF')).toEqual(
      ofXof.filter(({ country }: { country: string }) => country === 'SN'),
    )
    expect(await discovered('?country=SN&currency=NGN')).toEqual([])
    expectError(await client.get('/discoveries?country=Nigeria'), { code: 'INVALID_INPUT', field: 'country' })
  })

  test('are the only ones that an account can name; a near name is suggested', async () => {
    const wrong = [
      ['NGN_ACCOUNT', { bankName: 'Zenit Bank' }, 'bankName', 'Zenith Bank'],
      ['NGN_ACCOUNT', { bankName: 'zenith bank' }, 'bankName', 'Zenith Bank'],
      ['NGN_ACCOUNT', { bankName: 'GTBank' }, 'bankName', undefined],
      ['PHP_ACCOUNT', { bankName: 'Zenith Bank' }, 'bankName', undefined],
      ['KES_ACCOUNT', { provider: 'Mpesa' }, 'provider', 'M-Pesa'],
      // In the currency, but of another country.
      [
        'XOF_ACCOUNT',
        { provider: 'Wave', region: 'BJ', phoneNumber: '+2290195123456' },
        'provider',
        undefined,
      ],
      ['SLV_ACCOUNT', { bankName: 'Banco Agricola' }, 'bankName', 'Banco Agrícola'],
    ] as const
    for (const [type, change, member, nearest] of wrong) {
      const [example] = exampleAccounts(type)
      const accountInfo = { ...example, ...change }
      const currency = type === 'SLV_ACCOUNT' ? 'USD' : type.slice(0, 3)
      const reply = await client.post('/platform/external-accounts', { currency, accountInfo })
      const field = `accountInfo.${member}`
      expectError(reply, { code: 'INVALID_BANK_ACCOUNT', field, what: JSON.stringify(change) })
      expect(reply.body.details).toEqual(nearest === undefined ? { field } : { field, nearest })
      if (nearest === undefined) continue
      const right = { currency, accountInfo: { ...accountInfo, [member]: nearest } }
      // The name is right: it is there, or it was there already.
      expect([201, 409]).toContain((await client.post('/platform/external-accounts', right)).status)
    }
  })
})
