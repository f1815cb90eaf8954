import { describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, toRefusal } from '../../worlds/client.testing.ts'
import { buildUnknownId } from '../../worlds/records/payments.testing.ts'

const PATH = '/customers/external-accounts'
const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } as const
const usd = {
  accountType: 'USD_ACCOUNT',
  accountNumber: '1234567890',
  routingNumber: '021000021',
  beneficiary,
}
const eur = {
  accountType: 'EUR_ACCOUNT',
  iban: 'DE89370400440532013000',
  beneficiary: { ...beneficiary, countryOfResidence: 'DE' },
}
const mxn = { accountType: 'MXN_ACCOUNT', clabeNumber: '032180000118359719', beneficiary }

async function newPlatformWithCustomer(): Promise<{ client: Client; customerId: string }> {
  const client = await newPlatform()
  return { client, customerId: (await newCustomer(client)).id }
}

describe('a new external account', () => {
  test('is accepted in the format of a response: response-only fields are ignored, unknown fields are refused', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const account = { customerId, currency: 'USD', accountInfo: { ...usd, paymentRails: ['FEDNOW'] } }
    const { status, body } = await client.post(PATH, account)
    const accountInfo = { ...usd, paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'] }
    expect({ status, body }).toMatchObject({ status: 201, body: { accountInfo } })
    await client.send('DELETE', `${PATH}/${body.id}`)
    const again = await client.post(PATH, body)
    expect({ status: again.status, body: { ...again.body, id: body.id } }).toEqual({ status: 201, body })
    expect(again.body.id).not.toBe(body.id)
    const unknownFieldReply = await client.post(PATH, { ...body, accountInfo: { ...accountInfo, rails: [] } })
    expect(toRefusal(unknownFieldReply)).toEqual({
      status: 400,
      code: 'INVALID_INPUT',
      field: 'accountInfo.rails',
    })
  })

  test('is shown with its rails and the check of its holder', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const reply = await client.post(PATH, {
      customerId,
      currency: 'USD',
      platformAccountId: 'acc-1',
      accountInfo: usd,
    })
    expect(reply).toMatchObject({ status: 201 })
    const expected = {
      id: reply.body.id,
      status: 'ACTIVE',
      customerId,
      currency: 'USD',
      platformAccountId: 'acc-1',
      defaultUmaDepositAccount: false,
      beneficiaryVerificationStatus: 'MATCHED',
      beneficiaryVerifiedData: { fullName: 'Ada Lovelace' },
      accountInfo: { ...usd, paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'] },
    }
    expect(reply.body).toEqual(expected)
    expect((await client.get(`${PATH}/${reply.body.id}`)).body).toEqual(expected)
  })

  test.each([
    ['102', 'NOT_MATCHED'],
    ['103', 'PARTIAL_MATCH'],
    ['104', 'PENDING'],
    ['106', 'UNSUPPORTED'],
    ['107', 'CHECKED_BY_RECEIVING_FI'],
    ['108', 'MATCHED'],
  ])('whose number ends in %s gives its holder the status %s', async (suffix, status) => {
    const { client, customerId } = await newPlatformWithCustomer()
    const accountInfo = { ...usd, accountNumber: `1234567${suffix}` }
    const { body } = await client.post(PATH, { customerId, currency: 'USD', accountInfo })
    expect(body.beneficiaryVerificationStatus).toBe(status)
  })

  test.each([
    ['EUR', eur],
    ['MXN', mxn],
    ['EUR', { ...eur, iban: 'DE89370400440532013102' }],
    ['MXN', { ...mxn, clabeNumber: '032180000118359003' }],
    ['GBP', { accountType: 'GBP_ACCOUNT', sortCode: '123456', accountNumber: '12345678', beneficiary }],
    ['USD', { accountType: 'SLV_ACCOUNT', phoneNumber: '+50370000000', beneficiary }],
    ['USDC', { accountType: 'SOLANA_WALLET', address: '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg' }],
    [
      'USD',
      {
        accountType: 'SWIFT_ACCOUNT',
        country: 'CH',
        swiftCode: 'UBSWCHZH',
        bankName: 'B',
        accountNumber: '1',
        beneficiary,
      },
    ],
  ])('can be in %s with %j', async (currency, accountInfo) => {
    const { client, customerId } = await newPlatformWithCustomer()
    const reply = await client.post(PATH, { customerId, currency, accountInfo })
    expect(reply).toMatchObject({ status: 201, body: { currency, accountInfo } })
  })

  test.each([
    ['USD', { ...usd, routingNumber: '021000022' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.routingNumber'],
    ['USD', { ...usd, accountNumber: '12345x' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.accountNumber'],
    [
      'USD',
      { ...usd, accountNumber: '123456789012345678' },
      'INVALID_BANK_ACCOUNT',
      'accountInfo.accountNumber',
    ],
    ['USD', { ...usd, accountNumber: '1234567105' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.accountNumber'],
    ['EUR', { ...eur, iban: 'DE89370400440532014000' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.iban'],
    ['MXN', { ...mxn, clabeNumber: '032180000118359718' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.clabeNumber'],
    ['MXN', { ...mxn, clabeNumber: '032180000118359001' }, 'INVALID_BANK_ACCOUNT', 'accountInfo.clabeNumber'],
    ['EUR', usd, 'INVALID_CURRENCY', 'currency'],
    ['XYZ', usd, 'INVALID_CURRENCY', 'currency'],
    ['USD', { ...usd, beneficiary: undefined }, 'INVALID_INPUT', 'accountInfo.beneficiary'],
    ['USD', { ...usd, accountType: 'ZZZ_ACCOUNT' }, 'INVALID_INPUT', 'accountInfo.accountType'],
    [
      'USD',
      { ...usd, beneficiary: { ...beneficiary, birthDate: '2999-01-01' } },
      'INVALID_INPUT',
      'accountInfo.beneficiary.birthDate',
    ],
    ['USD', { accountType: 'SLV_ACCOUNT', beneficiary }, 'INVALID_INPUT', 'accountInfo.accountNumber'],
  ])('is refused and not stored in %s with %j', async (currency, accountInfo, code, field) => {
    const { client, customerId } = await newPlatformWithCustomer()
    const reply = await client.post(PATH, { customerId, currency, accountInfo })
    expect(toRefusal(reply)).toEqual({ status: 400, code, field })
    expect((await client.get(PATH)).body.data).toEqual([])
  })

  test('requires an existing customer of this platform if it names one', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const otherPlatform = await newPlatform()
    const body = { currency: 'USD', accountInfo: usd }
    expect(toRefusal(await otherPlatform.post(PATH, { ...body, customerId }))).toMatchObject({
      status: 404,
      code: 'USER_NOT_FOUND',
    })
    await client.send('DELETE', `/customers/${customerId}`)
    expect(toRefusal(await client.post(PATH, { ...body, customerId }))).toMatchObject({ status: 410 })
  })

  test("without a customerId belongs to the platform, like one added on the platform's route", async () => {
    const { client } = await newPlatformWithCustomer()
    const platformPath = '/platform/external-accounts'
    const body = { currency: 'USD', accountInfo: usd }
    const added = await Promise.all(Array.from({ length: 5 }, () => client.post(PATH, body)))
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const { body: platformAccount } = added.find(({ status }) => status === 201)!
    expect(platformAccount).not.toHaveProperty('customerId')
    expect((await client.post(platformPath, body)).body.details).toMatchObject({
      externalAccountId: platformAccount.id,
    })
    expect((await client.get(PATH)).body.data).toEqual([])
    expect((await client.get(platformPath)).body.data).toEqual([platformAccount])
    for (const route of [PATH, platformPath])
      expect((await client.get(`${route}/${platformAccount.id}`)).body).toEqual(platformAccount)
    const umaDepositAccount = { currency: 'EUR', accountInfo: eur, defaultUmaDepositAccount: true }
    const refused = { status: 400, code: 'INVALID_INPUT', field: 'defaultUmaDepositAccount' }
    expect(toRefusal(await client.post(PATH, umaDepositAccount))).toEqual(refused)
    expect((await client.send('DELETE', `${PATH}/${platformAccount.id}`)).status).toBe(204)
    expect((await client.get(platformPath)).body.data).toEqual([])
    expect((await client.post(platformPath, body)).status).toBe(201)
  })

  test('is a conflict if the customer already has it in any spelling, and one of many parallel requests creates it', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const body = { customerId, currency: 'EUR', accountInfo: eur }
    const replies = await Promise.all(Array.from({ length: 8 }, () => client.post(PATH, body)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    const again = await client.post(PATH, {
      ...body,
      accountInfo: {
        ...eur,
        swiftCode: 'COBADEFF',
        beneficiary: { ...eur.beneficiary, fullName: 'A. Lovelace' },
      },
    })
    expect(toRefusal(again)).toEqual({
      status: 409,
      code: 'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      field: 'accountInfo',
    })
    expect((await client.get(PATH)).body.data).toHaveLength(1)
    const { id } = await newCustomer(client)
    expect((await client.post(PATH, { ...body, customerId: id })).status).toBe(201)
  })

  test('can become the account that receives UMA payments', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const add = (currency: string, accountInfo: object) =>
      client.post(PATH, { customerId, currency, accountInfo, defaultUmaDepositAccount: true })
    const first = await add('USD', usd)
    const second = await add('EUR', eur)
    expect(second.body.defaultUmaDepositAccount).toBe(true)
    expect((await client.get(`${PATH}/${first.body.id}`)).body.defaultUmaDepositAccount).toBe(false)
  })
})

test('a string of the wrong length is refused like any other invalid field', async () => {
  const { client, customerId } = await newPlatformWithCustomer()
  const thb = {
    accountType: 'THB_ACCOUNT',
    bankName: 'Bangkok Bank',
    swiftCode: 'BKKBTHBK',
    accountNumber: '1234567890',
    beneficiary,
  }
  const brl = {
    accountType: 'BRL_ACCOUNT',
    pixKeyType: 'EMAIL',
    pixKey: 'a@b.example',
    taxId: '12345678909',
    beneficiary,
  }
  const long = '1'.repeat(10_000)
  const cases: [string, object, string][] = [
    ...['1'.repeat(35), long, '', '💥'.repeat(35)].map((text): [string, object, string] => [
      'THB',
      { ...thb, accountNumber: text },
      'accountNumber',
    ]),
    ['THB', { ...thb, bankName: '' }, 'bankName'],
    ['THB', { ...thb, bankName: '💥'.repeat(256) }, 'bankName'],
    ['BRL', { ...brl, pixKey: `${'a'.repeat(70)}@b.example` }, 'pixKey'],
    ['BRL', { ...brl, pixKey: '' }, 'pixKey'],
    ['BRL', { ...brl, taxId: '' }, 'taxId'],
    ['BRL', { ...brl, taxId: long }, 'taxId'],
    ['EUR', { ...eur, iban: '' }, 'iban'],
    ['EUR', { ...eur, iban: eur.iban + long }, 'iban'],
    ['EUR', { ...eur, swiftCode: '' }, 'swiftCode'],
    ['BTC', { accountType: 'LIGHTNING', invoice: `lnbc1${long}` }, 'invoice'],
    ['BTC', { accountType: 'LIGHTNING', bolt12: '' }, 'bolt12'],
    ['USDC', { accountType: 'SOLANA_WALLET', address: long }, 'address'],
  ]
  for (const [currency, accountInfo, fieldName] of cases)
    expect(toRefusal(await client.post(PATH, { customerId, currency, accountInfo })), fieldName).toEqual({
      status: 400,
      code: 'INVALID_BANK_ACCOUNT',
      field: `accountInfo.${fieldName}`,
    })
  for (const accountNumber of [1, null, undefined, 'a\u0000b'])
    expect(
      toRefusal(
        await client.post(PATH, { customerId, currency: 'THB', accountInfo: { ...thb, accountNumber } }),
      ),
    ).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'accountInfo.accountNumber' })
  const longest = { bankName: '💥'.repeat(255), accountNumber: '1'.repeat(34) }
  const accountInfo = { ...thb, ...longest, accountType: 'SWIFT_ACCOUNT', country: 'TH' }
  expect((await client.post(PATH, { customerId, currency: 'THB', accountInfo })).status).toBe(201)
})

const OFFER = 'lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese'
/** Inserts these strings between the letters of the offer. */
const splitOffer = (...joins: string[]) =>
  OFFER.slice(0, 1) +
  joins.map((join, at) => join + OFFER.slice(1 + at * 9, 10 + at * 9)).join('') +
  OFFER.slice(1 + joins.length * 9)

test('a BOLT 12 offer is stored in one piece, however it was split', async () => {
  const { client, customerId } = await newPlatformWithCustomer()
  const add = (bolt12: string) =>
    client.post(PATH, { customerId, currency: 'BTC', accountInfo: { accountType: 'LIGHTNING', bolt12 } })
  for (const bad of [
    `+${OFFER}`,
    `${OFFER}+`,
    `${OFFER}+ `,
    splitOffer('++'),
    splitOffer(' '),
    splitOffer('+-'),
  ])
    expect(toRefusal(await add(bad)), bad).toEqual({
      status: 400,
      code: 'INVALID_BANK_ACCOUNT',
      field: 'accountInfo.bolt12',
    })
  const created = await add(splitOffer('+', '+ ', '+\r\n\t', '+\u00a0'))
  expect(created).toMatchObject({ status: 201, body: { accountInfo: { bolt12: OFFER } } })
  for (const same of [OFFER, OFFER.toUpperCase(), splitOffer('+ ').toUpperCase()])
    expect(toRefusal(await add(same))).toEqual({
      status: 409,
      code: 'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      field: 'accountInfo',
    })
})

describe('external accounts', () => {
  test('disappear when deleted, and can be added again', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const body = { customerId, currency: 'USD', accountInfo: usd }
    const { id } = (await client.post(PATH, body)).body
    expect((await client.send('DELETE', `${PATH}/${id}`)).status).toBe(204)
    for (const reply of [await client.get(`${PATH}/${id}`), await client.send('DELETE', `${PATH}/${id}`)])
      expect(toRefusal(reply)).toEqual({ status: 404, code: 'ACCOUNT_NOT_FOUND', field: 'externalAccountId' })
    expect((await client.get(PATH)).body.data).toEqual([])
    expect((await client.post(PATH, body)).status).toBe(201)
  })

  test('are listed by customer and currency, in pages, only for their platform', async () => {
    const { client, customerId } = await newPlatformWithCustomer()
    const otherCustomer = await newCustomer(client)
    const add = async (owner: string, currency: string, accountInfo: object) =>
      (await client.post(PATH, { customerId: owner, currency, accountInfo })).body.id
    const [oldest, middle, newest] = [
      await add(customerId, 'USD', usd),
      await add(customerId, 'EUR', eur),
      await add(otherCustomer.id, 'USD', usd),
    ]
    expect((await client.post(PATH, { currency: 'USD', accountInfo: usd })).status).toBe(201)
    const listIds = async (query: string) =>
      (await client.get(`${PATH}?${query}`)).body.data.map((account: { id: string }) => account.id)
    expect(await listIds('')).toEqual([newest, middle, oldest])
    expect(await listIds(`customerId=${customerId}`)).toEqual([middle, oldest])
    // An unknown customer does not select the platform's accounts.
    for (const missingId of [buildUnknownId('Customer'), 'Customer:none'])
      expect(await listIds(`customerId=${missingId}`)).toEqual([])
    expect(await listIds('currency=USD')).toEqual([newest, oldest])
    expect(await listIds(`customerId=${customerId}&currency=USD`)).toEqual([oldest])
    const first = await client.get(`${PATH}?limit=2`)
    expect(await listIds(`limit=2&cursor=${first.body.nextCursor}`)).toEqual([oldest])
    const otherPlatform = await newPlatform()
    expect((await otherPlatform.get(PATH)).body.data).toEqual([])
    expect((await otherPlatform.get(`${PATH}/${oldest}`)).status).toBe(404)
    expect((await otherPlatform.send('DELETE', `${PATH}/${oldest}`)).status).toBe(404)
  })
})
