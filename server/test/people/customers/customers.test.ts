import { describe, expect, test } from 'vitest'
import {
  type Client,
  newCustomer,
  newPlatform,
  type Reply,
  signIn,
  toRefusal,
} from '../../worlds/client.testing.ts'

const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } as const
const acme = {
  customerType: 'BUSINESS',
  businessInfo: { legalName: 'Acme', incorporatedOn: '1999-12-31', taxId: '12-3456789' },
} as const

async function listAccounts(client: Client, customerId: string): Promise<string[]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}`)
  return body.data.map((a: Reply['body']) => `${a.type} ${a.balance.currency.code}`).sort()
}

const MANAGED = ['INTERNAL_CRYPTO USDC', 'INTERNAL_FIAT EUR', 'INTERNAL_FIAT MXN', 'INTERNAL_FIAT USD']

describe('a new customer', () => {
  test('is approved with an account per fiat currency, and with a wallet if it has an e-mail address', async () => {
    const client = await newPlatform()
    const created = await client.post('/customers', {
      ...ada,
      email: 'Ada@Example.com',
      region: 'GB',
      currencies: ['USD', 'EUR'],
      birthDate: '1915-12-10',
    })
    expect(created.status).toBe(201)
    const { id, createdAt, updatedAt, platformCustomerId, umaAddress } = created.body
    expect(created.body).toEqual({
      id,
      platformCustomerId,
      customerType: 'INDIVIDUAL',
      region: 'GB',
      currencies: ['USD', 'EUR'],
      email: 'Ada@Example.com',
      umaAddress,
      createdAt,
      updatedAt,
      isDeleted: false,
      fullName: 'Ada Lovelace',
      birthDate: '1915-12-10',
      kycStatus: 'APPROVED',
    })
    expect((await client.get(`/customers/${id}`)).body).toEqual(created.body)
    expect(await listAccounts(client, id)).toEqual(['EMBEDDED_WALLET USDB', ...MANAGED])
    const wallets = await client.get(`/customers/internal-accounts?customerId=${id}&type=EMBEDDED_WALLET`)
    const credentials = await client.get(`/auth/credentials?accountId=${wallets.body.data[0].id}`)
    expect(credentials.body.data).toMatchObject([{ type: 'EMAIL_OTP', nickname: 'Ada@Example.com' }])
  })

  test('without an e-mail address has no wallet', async () => {
    const client = await newPlatform()
    const { body } = await client.post('/customers', ada)
    expect(body).not.toHaveProperty('email')
    expect(await listAccounts(client, body.id)).toEqual(MANAGED)
  })

  test.each([
    [{ ...ada, fullName: 'Ada Lovelace001' }, 'kycStatus', 'PENDING'],
    [{ ...ada, fullName: 'Ada Lovelace 002 ' }, 'kycStatus', 'REJECTED'],
    [{ ...ada, fullName: 'Ada002 Lovelace' }, 'kycStatus', 'APPROVED'],
    [{ customerType: 'INDIVIDUAL' }, 'kycStatus', 'APPROVED'],
    [
      { ...acme, businessInfo: { ...acme.businessInfo, registrationNumber: 'HRB 98-001 B' } },
      'kybStatus',
      'PENDING',
    ],
    [
      { ...acme, businessInfo: { ...acme.businessInfo, registrationNumber: '98002' } },
      'kybStatus',
      'REJECTED',
    ],
    [acme, 'kybStatus', 'APPROVED'],
  ])('is checked by suffix in the sandbox: %j', async (body, statusField, status) => {
    const client = await newPlatform()
    const created = await client.post('/customers', {
      ...body,
      email: 'who@example.com',
      [statusField]: 'REJECTED',
    })
    expect(created.body[statusField]).toBe(status)
    const accounts = await listAccounts(client, created.body.id)
    const expected = { APPROVED: ['EMBEDDED_WALLET USDB', ...MANAGED], PENDING: MANAGED, REJECTED: [] }[
      status
    ]
    expect(accounts).toEqual(expected)
  })

  test.each([
    [{ ...ada, birthDate: '2999-01-01' }, 'INVALID_INPUT', 'birthDate'],
    [{ ...ada, birthDate: '1815-12-10' }, 'INVALID_INPUT', 'birthDate'],
    [{ ...ada, birthDate: '1990-02-30' }, 'INVALID_INPUT', 'birthDate'],
    [{ ...ada, currencies: ['USD', 'GBP'] }, 'INVALID_CURRENCY', 'currencies.1'],
    [{ ...ada, currencies: ['usd'] }, 'INVALID_INPUT', 'currencies.0'],
    [{ ...ada, email: 'ada' }, 'INVALID_INPUT', 'email'],
    [{ ...ada, fullName: 'Ada\u0000' }, 'INVALID_INPUT', 'fullName'],
    [{ ...ada, umaAddress: 'ada@example.com' }, 'INVALID_INPUT', 'umaAddress'],
    [{ ...ada, address: { line1: 'x', postalCode: '1' } }, 'INVALID_INPUT', 'address.country'],
    [{ fullName: 'Ada' }, 'INVALID_INPUT', 'customerType'],
    [{ customerType: 'ROBOT' }, 'INVALID_INPUT', 'customerType'],
    [{ ...acme, businessInfo: { legalName: 'Acme' } }, 'INVALID_INPUT', 'businessInfo.incorporatedOn'],
    [
      { ...acme, businessInfo: { ...acme.businessInfo, incorporatedOn: '2999-01-01' } },
      'INVALID_INPUT',
      'businessInfo.incorporatedOn',
    ],
  ])('is refused and not stored: %j', async (body, code, field) => {
    const client = await newPlatform()
    expect(toRefusal(await client.post('/customers', body))).toEqual({ status: 400, code, field })
    expect((await client.get('/customers')).body.data).toEqual([])
  })

  test('cannot take the id or the UMA address of another customer, even in parallel', async () => {
    const client = await newPlatform()
    const body = { ...ada, platformCustomerId: 'p-1', umaAddress: '$ada@pay.example' }
    const replies = await Promise.all(Array.from({ length: 8 }, () => client.post('/customers', body)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expect(toRefusal(reply)).toEqual({
        status: 409,
        code: 'PLATFORM_CUSTOMER_ID_EXISTS',
        field: 'platformCustomerId',
      })
    const conflicting = await client.post('/customers', { ...body, platformCustomerId: 'p-2' })
    expect(toRefusal(conflicting)).toEqual({ status: 409, code: 'UMA_ADDRESS_EXISTS', field: 'umaAddress' })
    expect((await client.get('/customers')).body.data).toHaveLength(1)
    const otherPlatform = await newPlatform()
    expect((await otherPlatform.post('/customers', body)).status).toBe(201)
  })
})

describe('a customer', () => {
  test('does not exist for another platform', async () => {
    const { id } = await newCustomer(await newPlatform())
    const otherPlatform = await newPlatform()
    for (const reply of [
      await otherPlatform.get(`/customers/${id}`),
      await otherPlatform.send('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL' }),
      await otherPlatform.send('DELETE', `/customers/${id}`),
      await otherPlatform.get('/customers/Customer:none'),
    ])
      expect(toRefusal(reply)).toEqual({ status: 404, code: 'USER_NOT_FOUND', field: 'customerId' })
    expect((await otherPlatform.get('/customers?isIncludingDeleted=true')).body.data).toEqual([])
    expect((await otherPlatform.get(`/customers/internal-accounts?customerId=${id}`)).body.data).toEqual([])
  })

  test('keeps fields that a change leaves out', async () => {
    const client = await newPlatform()
    const { body } = await client.post('/customers', { ...acme, region: 'DE', currencies: ['EUR'] })
    const address = { line1: 'Ring 1', postalCode: '10115', country: 'DE' }
    const changed = await client.send('PATCH', `/customers/${body.id}`, {
      customerType: 'BUSINESS',
      address,
      businessInfo: { doingBusinessAs: 'Acme!' },
      umaAddress: '$acme@pay.example',
      kybStatus: 'REJECTED',
    })
    const { updatedAt } = changed.body
    const businessInfo = { ...acme.businessInfo, doingBusinessAs: 'Acme!' }
    const expected = { ...body, address, businessInfo, umaAddress: '$acme@pay.example', updatedAt }
    expect(changed).toMatchObject({ status: 200, body: expected })
    expect((await client.get(`/customers/${body.id}`)).body).toEqual(expected)
    const unchanged = await client.send('PATCH', `/customers/${body.id}`, {
      customerType: 'BUSINESS',
      address,
    })
    expect(unchanged.body).toEqual(expected)
  })

  test('refuses a change that is invalid for its type', async () => {
    const client = await newPlatform()
    const person = await client.post('/customers', ada)
    const business = await client.post('/customers', {
      customerType: 'BUSINESS',
      umaAddress: '$taken@pay.example',
    })
    const change = async (id: string, body: object) =>
      toRefusal(await client.send('PATCH', `/customers/${id}`, body))
    expect(await change(person.body.id, { customerType: 'BUSINESS' })).toMatchObject({
      status: 400,
      field: 'customerType',
    })
    expect(await change(person.body.id, { fullName: 'A' })).toMatchObject({
      status: 400,
      field: 'customerType',
    })
    expect(await change(person.body.id, { ...ada, birthDate: '2999-01-01' })).toMatchObject({
      field: 'birthDate',
    })
    expect(await change(person.body.id, { ...ada, currencies: ['JPY'] })).toMatchObject({
      code: 'INVALID_CURRENCY',
    })
    expect(await change(person.body.id, { ...ada, umaAddress: '$taken@pay.example' })).toMatchObject({
      status: 409,
      code: 'UMA_ADDRESS_EXISTS',
    })
    expect(
      await change(business.body.id, { customerType: 'BUSINESS', businessInfo: { taxId: '1' } }),
    ).toMatchObject({ status: 400, field: 'businessInfo.legalName' })
  })

  test('gets a wallet with its first e-mail address', async () => {
    const client = await newPlatform()
    const { body } = await client.post('/customers', ada)
    const pending = await client.post('/customers', { ...ada, fullName: 'Ada 001' })
    for (const id of [body.id, pending.body.id])
      expect(
        (
          await client.send('PATCH', `/customers/${id}`, {
            customerType: 'INDIVIDUAL',
            email: 'ada@example.com',
          })
        ).status,
      ).toBe(200)
    expect(await listAccounts(client, body.id)).toEqual(['EMBEDDED_WALLET USDB', ...MANAGED])
    expect(await listAccounts(client, pending.body.id)).toEqual(MANAGED)
  })

  test('that is deleted frees its id, but not its UMA address, and keeps its accounts', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client, { platformCustomerId: 'p-1', umaAddress: '$ada@pay.example' })
    await signIn(client, customer.wallet)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
    const deleted = await client.send('DELETE', `/customers/${customer.id}`)
    expect(deleted).toMatchObject({ status: 200, body: { id: customer.id, isDeleted: true } })
    for (const reply of [
      await client.get(`/customers/${customer.id}`),
      await client.send('PATCH', `/customers/${customer.id}`, ada),
      await client.send('DELETE', `/customers/${customer.id}`),
    ])
      expect(toRefusal(reply)).toEqual({ status: 410, code: 'CUSTOMER_DELETED', field: 'customerId' })
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toEqual([])
    expect(await listAccounts(client, customer.id)).toHaveLength(5)
    expect((await client.post('/customers', { ...ada, umaAddress: '$ada@pay.example' })).status).toBe(409)
    expect((await client.post('/customers', { ...ada, platformCustomerId: 'p-1' })).status).toBe(201)
  })
})

describe('the list of customers', () => {
  test('returns every customer once, newest first, across pages', async () => {
    const client = await newPlatform()
    const ids: string[] = []
    for (let i = 0; i < 5; i++)
      ids.unshift((await client.post('/customers', { ...ada, fullName: 'Ada 001' })).body.id)
    const first = await client.get('/customers?limit=2')
    expect(first.body).toMatchObject({ hasMore: true, totalCount: 5 })
    const second = await client.get(`/customers?limit=2&cursor=${first.body.nextCursor}`)
    const third = await client.get(`/customers?limit=2&cursor=${second.body.nextCursor}`)
    expect(third.body.hasMore).toBe(false)
    const listedIds = [first, second, third].flatMap(({ body }) =>
      body.data.map((customer: { id: string }) => customer.id),
    )
    expect(listedIds).toEqual(ids)
    const misused = await client.get(
      `/customers?limit=2&customerType=BUSINESS&cursor=${first.body.nextCursor}`,
    )
    expect(toRefusal(misused)).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'cursor' })
  })

  test('can be narrowed by every filter', async () => {
    const client = await newPlatform()
    const person = await client.post('/customers', {
      ...ada,
      fullName: 'Ada 001',
      platformCustomerId: 'one',
      region: 'GB',
      currencies: ['USD', 'EUR'],
      umaAddress: '$one@pay.example',
    })
    await client.advance(60)
    const business = await client.post('/customers', {
      customerType: 'BUSINESS',
      platformCustomerId: 'two',
      region: 'DE',
    })
    await client.send('DELETE', `/customers/${business.body.id}`)
    const listNames = async (query: string) =>
      (await client.get(`/customers?${query}`)).body.data.map((c: Reply['body']) => c.platformCustomerId)
    expect(await listNames('')).toEqual(['one'])
    expect(await listNames('isIncludingDeleted=true')).toEqual(['two', 'one'])
    const withDeleted = 'isIncludingDeleted=true'
    expect(await listNames(`${withDeleted}&customerType=BUSINESS`)).toEqual(['two'])
    expect(await listNames(`${withDeleted}&platformCustomerId=one`)).toEqual(['one'])
    expect(await listNames(`${withDeleted}&region=GB`)).toEqual(['one'])
    expect(await listNames(`${withDeleted}&currency=EUR`)).toEqual(['one'])
    expect(await listNames(`${withDeleted}&currency=MXN`)).toEqual([])
    expect(await listNames(`${withDeleted}&umaAddress=${encodeURIComponent('$one@pay.example')}`)).toEqual([
      'one',
    ])
    expect(await listNames(`${withDeleted}&createdAfter=${person.body.createdAt}`)).toEqual(['two'])
    expect(await listNames(`${withDeleted}&createdBefore=${business.body.createdAt}`)).toEqual(['one'])
    expect(await listNames(`${withDeleted}&updatedAfter=${person.body.updatedAt}`)).toEqual(['two'])
    expect(await listNames(`${withDeleted}&updatedBefore=${business.body.createdAt}`)).toEqual(['one'])
  })

  test.each(['0000-01-01T00:00:00Z', '2016-12-31T23:59:60Z', '9999-12-31T23:59:59-12:00', 'yesterday'])(
    'refuses the time %s as a filter',
    async (time) => {
      const client = await newPlatform()
      const reply = await client.get(`/customers?createdAfter=${encodeURIComponent(time)}`)
      expect(toRefusal(reply)).toEqual({ status: 400, code: 'INVALID_INPUT', field: 'createdAfter' })
    },
  )
})
