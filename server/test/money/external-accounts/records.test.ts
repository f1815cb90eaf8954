import { describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { noId } from '../../worlds/records/payments.testing.ts'

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

function refusal({ status, body }: Reply) {
  return { status, code: body.code, field: body.details?.field }
}

async function platformWithCustomer(): Promise<{ client: Client; customerId: string }> {
  const client = await newPlatform()
  return { client, customerId: (await newCustomer(client)).id }
}

describe('a new external account', () => {
  test('is accepted in the form of its record: fields that only the record has are ignored, unknown ones are refused', async () => {
    const { client, customerId } = await platformWithCustomer()
    const account = { customerId, currency: 'USD', accountInfo: { ...usd, paymentRails: ['FEDNOW'] } }
    const { status, body } = await client.post(PATH, account)
    const accountInfo = { ...usd, paymentRails: ['ACH', 'WIRE', 'RTP', 'FEDNOW'] }
    expect({ status, body }).toMatchObject({ status: 201, body: { accountInfo } })
    await client.send('DELETE', `${PATH}/${body.id}`)
    const again = await client.post(PATH, body)
    expect({ status: again.status, body: { ...again.body, id: body.id } }).toEqual({ status: 201, body })
    expect(again.body.id).not.toBe(body.id)
    const strange = await client.post(PATH, { ...body, accountInfo: { ...accountInfo, rails: [] } })
    expect(refusal(strange)).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'accountInfo.rails' })
  })

  test('is shown with its rails and the check of its holder', async () => {
    const { client, customerId } = await platformWithCustomer()
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
  ])('whose number ends in %s has a holder that is %s', async (suffix, status) => {
    const { client, customerId } = await platformWithCustomer()
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
  ])('can be in %s: %j', async (currency, accountInfo) => {
    const { client, customerId } = await platformWithCustomer()
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
  ])('is refused and not stored: %s %j', async (currency, accountInfo, code, field) => {
    const { client, customerId } = await platformWithCustomer()
    const reply = await client.post(PATH, { customerId, currency, accountInfo })
    expect(refusal(reply)).toEqual({ status: 400, code, field })
    expect((await client.get(PATH)).body.data).toEqual([])
  })

  test('needs an existing customer of this platform, if it names one', async () => {
    const { client, customerId } = await platformWithCustomer()
    const other = await newPlatform()
    const body = { currency: 'USD', accountInfo: usd }
    expect(refusal(await other.post(PATH, { ...body, customerId }))).toMatchObject({
      status: 404,
      code: 'USER_NOT_FOUND',
    })
    await client.send('DELETE', `/customers/${customerId}`)
    expect(refusal(await client.post(PATH, { ...body, customerId }))).toMatchObject({ status: 410 })
  })

  test("without a customerId is the platform's own, like one added by the platform's route", async () => {
    const { client } = await platformWithCustomer()
    const ofPlatform = '/platform/external-accounts'
    const body = { currency: 'USD', accountInfo: usd }
    const added = await Promise.all(Array.from({ length: 5 }, () => client.post(PATH, body)))
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const { body: own } = added.find(({ status }) => status === 201)!
    expect(own).not.toHaveProperty('customerId')
    expect((await client.post(ofPlatform, body)).body.details).toMatchObject({ externalAccountId: own.id })
    expect((await client.get(PATH)).body.data).toEqual([])
    expect((await client.get(ofPlatform)).body.data).toEqual([own])
    for (const route of [PATH, ofPlatform]) expect((await client.get(`${route}/${own.id}`)).body).toEqual(own)
    const taking = { currency: 'EUR', accountInfo: eur, defaultUmaDepositAccount: true }
    const refused = { status: 400, code: 'INVALID_INPUT', field: 'defaultUmaDepositAccount' }
    expect(refusal(await client.post(PATH, taking))).toEqual(refused)
    expect((await client.send('DELETE', `${PATH}/${own.id}`)).status).toBe(204)
    expect((await client.get(ofPlatform)).body.data).toEqual([])
    expect((await client.post(ofPlatform, body)).status).toBe(201)
  })

  test('is a conflict if the customer already has it, however it is written; of many in parallel one is created', async () => {
    const { client, customerId } = await platformWithCustomer()
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
    expect(refusal(again)).toEqual({
      status: 409,
      code: 'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      field: 'accountInfo',
    })
    expect((await client.get(PATH)).body.data).toHaveLength(1)
    const { id } = await newCustomer(client)
    expect((await client.post(PATH, { ...body, customerId: id })).status).toBe(201)
  })

  test('can become the account that receives UMA payments', async () => {
    const { client, customerId } = await platformWithCustomer()
    const add = (currency: string, accountInfo: object) =>
      client.post(PATH, { customerId, currency, accountInfo, defaultUmaDepositAccount: true })
    const one = await add('USD', usd)
    const two = await add('EUR', eur)
    expect(two.body.defaultUmaDepositAccount).toBe(true)
    expect((await client.get(`${PATH}/${one.body.id}`)).body.defaultUmaDepositAccount).toBe(false)
  })
})

test('a string of a wrong length is refused like any other fault of a field', async () => {
  const { client, customerId } = await platformWithCustomer()
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
  for (const [currency, accountInfo, member] of cases)
    expect(refusal(await client.post(PATH, { customerId, currency, accountInfo })), member).toEqual({
      status: 400,
      code: 'INVALID_BANK_ACCOUNT',
      field: `accountInfo.${member}`,
    })
  for (const accountNumber of [1, null, undefined, 'a\u0000b'])
    expect(
      refusal(
        await client.post(PATH, { customerId, currency: 'THB', accountInfo: { ...thb, accountNumber } }),
      ),
    ).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'accountInfo.accountNumber' })
  const longest = { bankName: '💥'.repeat(255), accountNumber: '1'.repeat(34) }
  const accountInfo = { ...thb, ...longest, accountType: 'SWIFT_ACCOUNT', country: 'TH' }
  expect((await client.post(PATH, { customerId, currency: 'THB', accountInfo })).status).toBe(201)
})

const OFFER = 'lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese'
/** The offer with these between its letters. */
const cut = (...joins: string[]) =>
  OFFER.slice(0, 1) +
  joins.map((join, at) => join + OFFER.slice(1 + at * 9, 10 + at * 9)).join('') +
  OFFER.slice(1 + joins.length * 9)

test('an offer is stored in one piece, however it was split', async () => {
  const { client, customerId } = await platformWithCustomer()
  const add = (bolt12: string) =>
    client.post(PATH, { customerId, currency: 'BTC', accountInfo: { accountType: 'LIGHTNING', bolt12 } })
  for (const bad of [`+${OFFER}`, `${OFFER}+`, `${OFFER}+ `, cut('++'), cut(' '), cut('+-')])
    expect(refusal(await add(bad)), bad).toEqual({
      status: 400,
      code: 'INVALID_BANK_ACCOUNT',
      field: 'accountInfo.bolt12',
    })
  const made = await add(cut('+', '+ ', '+\r\n\t', '+\u00a0'))
  expect(made).toMatchObject({ status: 201, body: { accountInfo: { bolt12: OFFER } } })
  for (const same of [OFFER, OFFER.toUpperCase(), cut('+ ').toUpperCase()])
    expect(refusal(await add(same))).toEqual({
      status: 409,
      code: 'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      field: 'accountInfo',
    })
})

describe('external accounts', () => {
  test('disappear when deleted, and can be added again', async () => {
    const { client, customerId } = await platformWithCustomer()
    const body = { customerId, currency: 'USD', accountInfo: usd }
    const { id } = (await client.post(PATH, body)).body
    expect((await client.send('DELETE', `${PATH}/${id}`)).status).toBe(204)
    for (const reply of [await client.get(`${PATH}/${id}`), await client.send('DELETE', `${PATH}/${id}`)])
      expect(refusal(reply)).toEqual({ status: 404, code: 'ACCOUNT_NOT_FOUND', field: 'externalAccountId' })
    expect((await client.get(PATH)).body.data).toEqual([])
    expect((await client.post(PATH, body)).status).toBe(201)
  })

  test('are listed by customer and currency, in pages, only for their platform', async () => {
    const { client, customerId } = await platformWithCustomer()
    const other = await newCustomer(client)
    const add = async (owner: string, currency: string, accountInfo: object) =>
      (await client.post(PATH, { customerId: owner, currency, accountInfo })).body.id
    const [one, two, three] = [
      await add(customerId, 'USD', usd),
      await add(customerId, 'EUR', eur),
      await add(other.id, 'USD', usd),
    ]
    expect((await client.post(PATH, { currency: 'USD', accountInfo: usd })).status).toBe(201)
    const ids = async (query: string) =>
      (await client.get(`${PATH}?${query}`)).body.data.map((account: { id: string }) => account.id)
    expect(await ids('')).toEqual([three, two, one])
    expect(await ids(`customerId=${customerId}`)).toEqual([two, one])
    // Nobody's, and not the platform's own.
    for (const nobody of [noId('Customer'), 'Customer:none'])
      expect(await ids(`customerId=${nobody}`)).toEqual([])
    expect(await ids('currency=USD')).toEqual([three, one])
    expect(await ids(`customerId=${customerId}&currency=USD`)).toEqual([one])
    const first = await client.get(`${PATH}?limit=2`)
    expect(await ids(`limit=2&cursor=${first.body.nextCursor}`)).toEqual([one])
    const elsewhere = await newPlatform()
    expect((await elsewhere.get(PATH)).body.data).toEqual([])
    expect((await elsewhere.get(`${PATH}/${one}`)).status).toBe(404)
    expect((await elsewhere.send('DELETE', `${PATH}/${one}`)).status).toBe(404)
  })
})
