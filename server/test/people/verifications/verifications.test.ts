import { beforeAll, describe, expect, test } from 'vitest'
import { Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { newManualPlatform, PERSON, send, upload } from '../../worlds/records/onboarding.testing.ts'

let automatic: Client
let manual: Client
beforeAll(async () => {
  automatic = await newPlatform()
  manual = await newManualPlatform()
})

const createCustomer = (client: Client, body: object = PERSON) =>
  send(client, 'POST', '/customers', body, 201)
const requestVerification = (client: Client, customerId: string) =>
  send(client, 'POST', '/verifications', { customerId }, 200)
const decide = (client: Client, id: string, body: object): Promise<Reply> =>
  client.post(`/verifications/${id}/decision`, body)
const readKycStatus = async (client: Client, id: string) =>
  (await client.get(`/customers/${id}`)).body.kycStatus

describe('if people decide', () => {
  test('a customer waits, can be set up, and has no open account before it is approved', async () => {
    const { id, kycStatus } = await createCustomer(manual)
    expect(kycStatus).toBe('PENDING')
    const listAccounts = () => manual.get(`/customers/internal-accounts?customerId=${id}`)
    const listStatuses = async () =>
      (await listAccounts()).body.data.map(({ status }: { status: string }) => status)
    expect(await listStatuses()).toEqual(Array(4).fill('PENDING'))
    const verification = await requestVerification(manual, id)
    expect(verification).toMatchObject({
      customerId: id,
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      errors: [],
      submission: 1,
    })
    const approved = await decide(manual, verification.id, { decision: 'APPROVE', submission: 1 })
    expect(approved).toMatchObject({ status: 200, body: { verificationStatus: 'APPROVED', errors: [] } })
    expect(await readKycStatus(manual, id)).toBe('APPROVED')
    expect(await listStatuses()).toEqual(Array(4).fill('ACTIVE'))
  })

  test('everything missing is listed together, and providing it makes the case ready', async () => {
    const { id } = await createCustomer(manual, { customerType: 'INDIVIDUAL', fullName: 'Ada' })
    const verification = await requestVerification(manual, id)
    expect(verification.verificationStatus).toBe('RESOLVE_ERRORS')
    const missing = verification.errors.map((e: { type: string; field?: string }) => e.field ?? e.type)
    expect(missing).toEqual([
      'birthDate',
      'nationality',
      'address',
      'MISSING_IDENTITY_DOCUMENT',
      'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
    ])
    const { customerType, birthDate, nationality, address } = PERSON
    const change = { customerType, birthDate, nationality, address }
    await send(manual, 'PATCH', `/customers/${id}`, change, 200)
    await manual.advance(0)
    const completed = (await manual.get(`/verifications/${verification.id}`)).body
    expect(completed).toMatchObject({
      verificationStatus: 'READY_FOR_VERIFICATION',
      errors: [],
      submission: 0,
    })
    expect(await requestVerification(manual, id)).toMatchObject({
      id: verification.id,
      verificationStatus: 'PENDING_MANUAL_REVIEW',
    })
  })

  test('requesting a verification while one is open returns it, and fifty concurrent requests create one', async () => {
    const { id } = await createCustomer(manual)
    const verifications = await Promise.all(Array.from({ length: 50 }, () => requestVerification(manual, id)))
    expect(new Set(verifications.map((verification) => verification.id)).size).toBe(1)
    expect(new Set(verifications.map((verification) => verification.submission))).toEqual(new Set([1]))
    expect((await manual.get(`/verifications?customerId=${id}`)).body.data).toHaveLength(1)
  })

  test('only one of fifty parallel decisions succeeds', async () => {
    const { id } = await createCustomer(manual)
    const verification = await requestVerification(manual, id)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        decide(
          manual,
          verification.id,
          index % 2 ? { decision: 'APPROVE' } : { decision: 'REJECT', reason: `No ${index}` },
        ),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies)
      if (status !== 200) expect(body.code).toMatch(/^(?:INVALID_STATE_TRANSITION|SUBMISSION_OUTDATED)$/)
    const { data } = (await manual.get(`/verifications/${verification.id}/decisions`)).body
    expect(data).toHaveLength(1)
  })

  test('a decision has its author and time, and is permanent', async () => {
    const { id } = await createCustomer(manual)
    const verification = await requestVerification(manual, id)
    await decide(manual, verification.id, {
      decision: 'REJECT',
      reason: 'The name is not that of the person.',
    })
    const { data } = (await manual.get(`/verifications/${verification.id}/decisions`)).body
    expect(data).toMatchObject([
      {
        verificationId: verification.id,
        submission: 1,
        decision: 'REJECT',
        reason: 'The name is not that of the person.',
        decidedBy: { type: 'TOKEN', id: manual.credentials.tokenId },
        errors: [
          { resourceId: id, type: 'APPLICANT_REJECTED', reason: 'The name is not that of the person.' },
        ],
      },
    ])
    expect(await readKycStatus(manual, id)).toBe('REJECTED')
    expect(await requestVerification(manual, id)).toMatchObject({
      id: verification.id,
      verificationStatus: 'REJECTED',
    })
  })

  test('a request for information is listed until it is met', async () => {
    const { id } = await createCustomer(manual)
    const verification = await requestVerification(manual, id)
    const requestedError = {
      resourceId: id,
      type: 'INVALID_FIELD',
      field: 'fullName',
      reason: 'Write the full name.',
    }
    const reply = await decide(manual, verification.id, {
      decision: 'REQUEST_INFORMATION',
      errors: [requestedError],
    })
    expect(reply.body).toMatchObject({ verificationStatus: 'RESOLVE_ERRORS', errors: [requestedError] })
    expect(await requestVerification(manual, id)).toMatchObject({
      verificationStatus: 'RESOLVE_ERRORS',
      errors: [requestedError],
    })
    const change = { customerType: 'INDIVIDUAL', fullName: 'Ada King Lovelace' }
    await send(manual, 'PATCH', `/customers/${id}`, change, 200)
    expect(await requestVerification(manual, id)).toMatchObject({
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      errors: [],
      submission: 2,
    })
  })

  test('a document requested by its requirement lists the accepted types', async () => {
    const { id } = await createCustomer(manual)
    const verification = await requestVerification(manual, id)
    const requestedError = { resourceId: id, type: 'MISSING_IDENTITY_DOCUMENT', reason: 'Show who you are.' }
    await decide(manual, verification.id, { decision: 'REQUEST_INFORMATION', errors: [requestedError] })
    const { errors } = await requestVerification(manual, id)
    expect(errors).toEqual([
      { ...requestedError, acceptedDocumentTypes: ['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'] },
    ])
    const fields = { documentHolder: id, documentType: 'PASSPORT', country: 'US' }
    expect((await upload(manual, '/documents', fields)).status).toBe(201)
    expect((await requestVerification(manual, id)).verificationStatus).toBe('PENDING_MANUAL_REVIEW')
  })

  test('a customer that was changed after its submission is submitted again, and never approved unreviewed', async () => {
    const { id } = await createCustomer(manual)
    const verification = await requestVerification(manual, id)
    const change = { customerType: 'INDIVIDUAL', fullName: 'Somebody Else' }
    await send(manual, 'PATCH', `/customers/${id}`, change, 200)
    const outdated = await decide(manual, verification.id, { decision: 'APPROVE', submission: 1 })
    expect(outdated).toMatchObject({ status: 409, body: { code: 'SUBMISSION_OUTDATED' } })
    await manual.advance(0)
    expect((await manual.get(`/verifications/${verification.id}`)).body.submission).toBe(2)
    expect((await decide(manual, verification.id, { decision: 'APPROVE', submission: 2 })).status).toBe(200)
  })

  test.each([
    [{ decision: 'REJECT' }, 'reason'],
    [{ decision: 'REQUEST_INFORMATION' }, 'errors'],
    [
      { decision: 'APPROVE', errors: [{ resourceId: 'Customer:1', type: 'MISSING_FIELD', reason: 'x' }] },
      'errors',
    ],
    [
      {
        decision: 'REQUEST_INFORMATION',
        errors: [{ resourceId: 'Customer:1', type: 'MISSING_FIELD', reason: 'x' }],
      },
      'errors.0.resourceId',
    ],
  ])('the decision %j is refused, naming %s', async (body, field) => {
    const verification = await requestVerification(manual, (await createCustomer(manual)).id)
    expect(await decide(manual, verification.id, body)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field } },
    })
  })

  test('a token without REVIEW may not decide', async () => {
    const verification = await requestVerification(manual, (await createCustomer(manual)).id)
    const permissions = ['VIEW', 'TRANSACT', 'MANAGE']
    const token = await send(manual, 'POST', '/tokens', { name: 'Backend', permissions }, 201)
    const credentials = { ...manual.credentials, tokenId: token.clientId, clientSecret: token.clientSecret }
    const backend = new Client(credentials, manual.baseUrl)
    expect(await decide(backend, verification.id, { decision: 'APPROVE' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', details: { permission: 'REVIEW' } },
    })
  })

  test('another platform cannot see the verification', async () => {
    const verification = await requestVerification(manual, (await createCustomer(manual)).id)
    for (const path of ['', '/decisions'])
      expect((await automatic.get(`/verifications/${verification.id}${path}`)).body.code).toBe(
        'VERIFICATION_NOT_FOUND',
      )
    expect((await decide(automatic, verification.id, { decision: 'APPROVE' })).body.code).toBe(
      'VERIFICATION_NOT_FOUND',
    )
  })

  test('each step of a verification sends an event, in addition to the events of the customer', async () => {
    const client = await newManualPlatform()
    const { id } = await createCustomer(client)
    const verification = await requestVerification(client, id)
    const errors = [{ resourceId: id, type: 'INVALID_FIELD', field: 'fullName', reason: 'Write it in full.' }]
    await decide(client, verification.id, { decision: 'REQUEST_INFORMATION', errors })
    await send(client, 'PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada King' }, 200)
    await client.advance(0)
    await requestVerification(client, id)
    await decide(client, verification.id, { decision: 'APPROVE' })
    const steps = (await client.events(`&objectId=${verification.id}`)).map(({ type }) => type)
    expect(steps.toSorted()).toEqual(
      [
        'VERIFICATION.PENDING_MANUAL_REVIEW',
        'VERIFICATION.RESOLVE_ERRORS',
        'VERIFICATION.READY_FOR_VERIFICATION',
        'VERIFICATION.PENDING_MANUAL_REVIEW',
        'VERIFICATION.APPROVED',
      ].toSorted(),
    )
    const customerEventTypes = (await client.events(`&objectId=${id}`)).map(({ type }) => type)
    expect(customerEventTypes).toEqual(
      expect.arrayContaining(['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_APPROVED']),
    )
  })
})

describe('if people decide in the sandbox', () => {
  test.each([
    ['Ada 001', 'PENDING', 'IN_PROGRESS'],
    ['Ada 002', 'REJECTED', 'REJECTED'],
    ['Ada', 'PENDING', 'PENDING_MANUAL_REVIEW'],
  ])(
    'the suffix of %s has no effect before POST /verifications, which leaves the person %s and the verification %s',
    async (fullName, kycStatus, status) => {
      const { id, kycStatus: before } = await createCustomer(manual, { ...PERSON, fullName })
      expect(before).toBe('PENDING')
      const verification = await requestVerification(manual, id)
      expect(verification.verificationStatus).toBe(status)
      expect(await readKycStatus(manual, id)).toBe(kycStatus)
      expect(await requestVerification(manual, id)).toEqual(verification)
    },
  )

  test('fifty parallel calls decide by the suffix once', async () => {
    const { id } = await createCustomer(manual, { ...PERSON, fullName: 'Ada 002' })
    const verifications = await Promise.all(Array.from({ length: 50 }, () => requestVerification(manual, id)))
    expect(
      new Set(verifications.map((verification) => `${verification.id} ${verification.verificationStatus}`))
        .size,
    ).toBe(1)
    const { data } = (await manual.get(`/verifications/${verifications[0].id}/decisions`)).body
    expect(data).toMatchObject([{ decision: 'REJECT', decidedBy: { type: 'SANDBOX' } }])
  })

  test('a reviewer can decide a check that the suffix leaves pending', async () => {
    const { id } = await createCustomer(manual, { ...PERSON, fullName: 'Ada 001' })
    const verification = await requestVerification(manual, id)
    expect((await decide(manual, verification.id, { decision: 'APPROVE' })).status).toBe(200)
    expect(await readKycStatus(manual, id)).toBe('APPROVED')
  })
})

describe('if the sandbox decides', () => {
  test.each([
    ['Ada', 'APPROVED', 'APPROVED'],
    ['Ada 001', 'PENDING', 'IN_PROGRESS'],
    ['Ada 002', 'REJECTED', 'REJECTED'],
  ])('the person %s is %s from the start, and its verification %s', async (fullName, kycStatus, status) => {
    const person = await createCustomer(automatic, { ...PERSON, fullName })
    expect(person.kycStatus).toBe(kycStatus)
    const verification = await requestVerification(automatic, person.id)
    expect(verification.verificationStatus).toBe(status)
    expect(await requestVerification(automatic, person.id)).toEqual(verification)
  })

  test('a person who was decided at creation has one verification, however often it is requested', async () => {
    const { id } = await createCustomer(automatic)
    const verifications = await Promise.all(
      Array.from({ length: 20 }, () => requestVerification(automatic, id)),
    )
    expect(new Set(verifications.map((verification) => verification.id)).size).toBe(1)
    expect((await automatic.get(`/verifications?customerId=${id}`)).body.totalCount).toBe(1)
  })

  test('a pending person who is renamed is decided again', async () => {
    const { id } = await createCustomer(automatic, { ...PERSON, fullName: 'Ada 001' })
    await requestVerification(automatic, id)
    await send(automatic, 'PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada' }, 200)
    expect(await requestVerification(automatic, id)).toMatchObject({
      verificationStatus: 'APPROVED',
      submission: 2,
    })
    expect(await readKycStatus(automatic, id)).toBe('APPROVED')
  })

  test('a reviewer can decide a check that is in progress', async () => {
    const { id } = await createCustomer(automatic, { ...PERSON, fullName: 'Ada 001' })
    const verification = await requestVerification(automatic, id)
    expect((await decide(automatic, verification.id, { decision: 'APPROVE' })).status).toBe(200)
  })
})

test('a deleted customer is not verified', async () => {
  const { id } = await createCustomer(manual)
  const verification = await requestVerification(manual, id)
  await send(manual, 'DELETE', `/customers/${id}`, undefined, 200)
  expect((await manual.post('/verifications', { customerId: id })).body.code).toBe('CUSTOMER_DELETED')
  expect((await decide(manual, verification.id, { decision: 'APPROVE' })).body.code).toBe('CUSTOMER_DELETED')
})

test('verifications are listed by status', async () => {
  const client = await newManualPlatform()
  const first = await requestVerification(client, (await createCustomer(client)).id)
  const second = await requestVerification(client, (await createCustomer(client)).id)
  await decide(client, first.id, { decision: 'APPROVE' })
  const listIds = async (query: string) =>
    (await client.get(`/verifications${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await listIds('')).toEqual([second.id, first.id])
  expect(await listIds('?verificationStatus=APPROVED')).toEqual([first.id])
  expect(await listIds('?verificationStatus=PENDING_MANUAL_REVIEW')).toEqual([second.id])
})
