import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import {
  BUSINESS,
  newManualPlatform,
  ownerOf,
  PERSON,
  send,
} from '../../worlds/records/onboarding.testing.ts'

let client: Client
let business: string
const createBusiness = async (caller = client) =>
  (await send(caller, 'POST', '/customers', BUSINESS, 201)).id as string
const createOwner = (body: unknown, caller = client) => caller.post('/beneficial-owners', body)

beforeAll(async () => {
  client = await newPlatform()
  business = await createBusiness()
})

describe('a beneficial owner', () => {
  test('can be created, read, listed and changed, and its identifier is masked', async () => {
    const customerId = await createBusiness()
    const created = await createOwner(ownerOf(customerId))
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^BeneficialOwner:/),
        customerId,
        roles: ['UBO', 'CONTROL_PERSON'],
        ownershipPercentage: 100,
        kycStatus: 'APPROVED',
        personalInfo: { lastName: 'Hopper', idType: 'SSN', identifier: '*******6789' },
      },
    })
    const path = `/beneficial-owners/${created.body.id}`
    expect((await client.get(path)).body).toEqual(created.body)
    expect((await client.get(`/beneficial-owners?customerId=${customerId}`)).body).toMatchObject({
      data: [created.body],
      hasMore: false,
      totalCount: 1,
    })
    const changed = await send(
      client,
      'PATCH',
      path,
      { ownershipPercentage: 60, personalInfo: { email: 'grace@example.com' } },
      200,
    )
    expect(changed).toEqual({
      ...created.body,
      ownershipPercentage: 60,
      personalInfo: { ...created.body.personalInfo, email: 'grace@example.com' },
      updatedAt: changed.updatedAt,
    })
    expect((await client.get(path)).body).toEqual(changed)
  })

  test('keeps its identifier if the masked one is sent back', async () => {
    const owner = (await createOwner(ownerOf(await createBusiness()))).body
    const path = `/beneficial-owners/${owner.id}`
    const unchanged = await send(client, 'PATCH', path, { personalInfo: { identifier: '*******6789' } }, 200)
    expect(unchanged.personalInfo.identifier).toBe('*******6789')
    const changed = await send(client, 'PATCH', path, { personalInfo: { identifier: '987-65-4321' } }, 200)
    expect(changed.personalInfo.identifier).toBe('*******4321')
  })

  test('is shown with a short identifier completely masked', async () => {
    const body = ownerOf(await createBusiness(), { personalInfo: { identifier: '12345678' } })
    expect((await createOwner(body)).body.personalInfo.identifier).toBe('********')
  })

  test.each([
    ['Hopper', 'APPROVED'],
    ['Hopper 001', 'PENDING'],
    ['Hopper002', 'REJECTED'],
  ])('named %s is %s, and a new name is checked again', async (lastName, kycStatus) => {
    const owner = (await createOwner(ownerOf(await createBusiness(), { personalInfo: { lastName } }))).body
    expect(owner.kycStatus).toBe(kycStatus)
    const path = `/beneficial-owners/${owner.id}`
    expect(
      (await send(client, 'PATCH', path, { personalInfo: { email: 'a@b.example' } }, 200)).kycStatus,
    ).toBe(kycStatus)
    const renamed = await send(client, 'PATCH', path, { personalInfo: { lastName: 'Murray002' } }, 200)
    expect(renamed.kycStatus).toBe('REJECTED')
  })

  test('is pending if people decide', async () => {
    const manual = await newManualPlatform()
    const owner = (await createOwner(ownerOf(await createBusiness(manual)), manual)).body
    expect(owner.kycStatus).toBe('PENDING')
  })

  test('belongs only to a business', async () => {
    const person = (await client.post('/customers', PERSON)).body.id
    expect(await createOwner(ownerOf(person))).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field: 'customerId' } },
    })
  })

  test('of one platform does not exist for another', async () => {
    const owner = (await createOwner(ownerOf(await createBusiness()))).body
    const otherPlatform = await newPlatform()
    expect((await otherPlatform.get(`/beneficial-owners/${owner.id}`)).body.code).toBe(
      'BENEFICIAL_OWNER_NOT_FOUND',
    )
    expect((await otherPlatform.get(`/beneficial-owners?customerId=${business}`)).body.data).toEqual([])
    expect((await createOwner(ownerOf(business), otherPlatform)).body.code).toBe('USER_NOT_FOUND')
  })

  test.each([
    [
      'a date of birth in the future',
      { personalInfo: { birthDate: '2999-01-01' } },
      'personalInfo.birthDate',
    ],
    ['no role', { roles: [] }, 'roles'],
    ['the same role twice', { roles: ['UBO', 'UBO'] }, 'roles'],
    ['more than 100 %', { ownershipPercentage: 101 }, 'ownershipPercentage'],
    ['less than 0 %', { ownershipPercentage: -1 }, 'ownershipPercentage'],
  ])('with %s is refused', async (_, more, field) => {
    expect(await createOwner(ownerOf(business, more))).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field } },
    })
  })
})

test('fifty owners created in parallel hold at most 100 % together', async () => {
  const customerId = await createBusiness()
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => createOwner(ownerOf(customerId, { ownershipPercentage: 30 }))),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
  for (const { status, body } of replies)
    if (status !== 201) expect(body).toMatchObject({ status: 400, details: { field: 'ownershipPercentage' } })
  const { data } = (await client.get(`/beneficial-owners?customerId=${customerId}`)).body
  expect(data).toHaveLength(3)
})

test('an owner above the remaining percentage is refused with an explanation', async () => {
  const customerId = await createBusiness()
  await send(client, 'POST', '/beneficial-owners', ownerOf(customerId, { ownershipPercentage: 70 }), 201)
  const secondOwner = await send(
    client,
    'POST',
    '/beneficial-owners',
    ownerOf(customerId, { ownershipPercentage: 30 }),
    201,
  )
  const reply = await client.send('PATCH', `/beneficial-owners/${secondOwner.id}`, {
    ownershipPercentage: 31,
  })
  expect(reply.body.message).toBe('The other beneficial owners hold 70 %, so this one can hold at most 30 %.')
})
