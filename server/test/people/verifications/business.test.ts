import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import {
  BUSINESS,
  newManualPlatform,
  ownerOf,
  PDF,
  send,
  upload,
} from '../../worlds/records/onboarding.testing.ts'

let manual: Client
let automatic: Client
beforeAll(async () => {
  manual = await newManualPlatform()
  automatic = await newPlatform()
})

const DOCUMENTS = [
  'CERTIFICATE_OF_INCORPORATION',
  'SHAREHOLDER_REGISTER',
  'DIRECTOR_REGISTRY',
  'UTILITY_BILL',
] as const

type Body = Reply['body']
const requestVerification = (client: Client, customerId: string): Promise<Body> =>
  send(client, 'POST', '/verifications', { customerId }, 200)
const uploadDocument = async (client: Client, documentHolder: string, documentType: string, more = {}) => {
  const reply = await upload(
    client,
    '/documents',
    { documentHolder, documentType, country: 'US', ...more },
    PDF,
  )
  expect(reply.status).toBe(201)
  return reply.body
}

/** Creates a business that can be approved, with its owner and documents. */
async function createCompleteBusiness(
  client: Client,
  business: object = BUSINESS,
  owner: Record<string, unknown> = {},
) {
  const customer = await send(client, 'POST', '/customers', business, 201)
  const createdOwner = await send(client, 'POST', '/beneficial-owners', ownerOf(customer.id, owner), 201)
  const documents = await Promise.all(DOCUMENTS.map((type) => uploadDocument(client, customer.id, type)))
  return { id: customer.id as string, owner: createdOwner, documents }
}

const buildBusiness = (registrationNumber: string) => ({
  ...BUSINESS,
  businessInfo: { ...BUSINESS.businessInfo, registrationNumber },
})

describe('a business', () => {
  test('gets a list of everything missing, with the accepted documents', async () => {
    const { businessInfo } = BUSINESS
    const { id } = await send(
      manual,
      'POST',
      '/customers',
      { customerType: 'BUSINESS', businessInfo: { ...businessInfo, countriesOfOperation: [] } },
      201,
    )
    const { verificationStatus, errors } = await requestVerification(manual, id)
    expect(verificationStatus).toBe('RESOLVE_ERRORS')
    expect(errors).toMatchObject([
      { resourceId: id, type: 'MISSING_FIELD', field: 'businessInfo.countriesOfOperation' },
      { resourceId: id, type: 'MISSING_FIELD', field: 'address' },
      { resourceId: id, type: 'MISSING_BENEFICIAL_OWNER' },
      { resourceId: id, type: 'MISSING_BENEFICIAL_OWNER' },
      {
        type: 'MISSING_LEGAL_PRESENCE_DOCUMENT',
        acceptedDocumentTypes: [
          'CERTIFICATE_OF_INCORPORATION',
          'ARTICLES_OF_INCORPORATION',
          'ARTICLES_OF_ASSOCIATION',
          'STATE_REGISTRY_EXCERPT',
        ],
      },
      { type: 'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT' },
      { type: 'MISSING_CONTROL_STRUCTURE_DOCUMENT' },
      { type: 'MISSING_PROOF_OF_ADDRESS_DOCUMENT' },
    ])
  })

  test('is approved with its owners by one decision', async () => {
    const { id, owner } = await createCompleteBusiness(manual)
    const verification = await requestVerification(manual, id)
    expect(verification).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW', errors: [] })
    const approve = { decision: 'APPROVE', submission: verification.submission }
    await send(manual, 'POST', `/verifications/${verification.id}/decision`, approve, 200)
    expect((await manual.get(`/customers/${id}`)).body.kybStatus).toBe('APPROVED')
    expect((await manual.get(`/beneficial-owners/${owner.id}`)).body.kycStatus).toBe('APPROVED')
  })

  test('is not approved with an owner that is rejected', async () => {
    const { id, owner } = await createCompleteBusiness(manual)
    const verification = await requestVerification(manual, id)
    const path = `/verifications/${verification.id}/decision`
    const beneficialOwners = [{ beneficialOwnerId: owner.id, decision: 'REJECT' }]
    const refused = await manual.post(path, { decision: 'APPROVE', beneficialOwners })
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'BENEFICIAL_OWNER_REJECTED', details: { beneficialOwnerId: owner.id } },
    })
    const errors = [{ resourceId: owner.id, type: 'APPLICANT_REJECTED', reason: 'This is not its name.' }]
    await send(manual, 'POST', path, { decision: 'REQUEST_INFORMATION', errors, beneficialOwners }, 200)
    expect((await manual.get(`/beneficial-owners/${owner.id}`)).body.kycStatus).toBe('REJECTED')
    expect((await requestVerification(manual, id)).errors).toMatchObject([
      { resourceId: owner.id, type: 'APPLICANT_REJECTED' },
      {},
    ])
    const name = { personalInfo: { lastName: 'Murray Hopper' } }
    await send(manual, 'PATCH', `/beneficial-owners/${owner.id}`, name, 200)
    expect(await requestVerification(manual, id)).toMatchObject({
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      errors: [],
    })
  })

  test('keeps its submitted documents, except one that has to be replaced', async () => {
    const { id, documents } = await createCompleteBusiness(manual)
    const [certificate, register] = documents
    const verification = await requestVerification(manual, id)
    const deleteDocument = (document: Body) => manual.send('DELETE', `/documents/${document.id}`)
    expect((await deleteDocument(certificate)).status).toBe(409)
    const requestedError = {
      resourceId: register.id,
      type: 'POOR_QUALITY_DOCUMENT',
      reason: 'The second page is blank.',
    }
    await send(
      manual,
      'POST',
      `/verifications/${verification.id}/decision`,
      { decision: 'REQUEST_INFORMATION', errors: [requestedError] },
      200,
    )
    expect((await requestVerification(manual, id)).errors).toEqual([requestedError])
    expect((await deleteDocument(certificate)).status).toBe(409)
    const fields = { documentType: 'SHAREHOLDER_REGISTER', country: 'US' }
    const replaced = await upload(manual, `/documents/${register.id}`, fields, PDF, { method: 'PUT' })
    expect(replaced.status).toBe(200)
    expect(await requestVerification(manual, id)).toMatchObject({
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      errors: [],
    })
    expect((await deleteDocument(register)).status).toBe(409)
  })

  test('has to name the holders of 25 % or more, or confirm that there are no others', async () => {
    const { id } = await createCompleteBusiness(manual, BUSINESS, { ownershipPercentage: 70 })
    expect((await requestVerification(manual, id)).errors).toMatchObject([
      { type: 'MISSING_BENEFICIAL_OWNER' },
    ])
    const businessInfo = { isWidelyHeld: true }
    await send(manual, 'PATCH', `/customers/${id}`, { customerType: 'BUSINESS', businessInfo }, 200)
    expect((await requestVerification(manual, id)).errors).toEqual([])
  })

  test('has to show a proof of address of the last three months', async () => {
    const { id } = await send(manual, 'POST', '/customers', BUSINESS, 201)
    await send(manual, 'POST', '/beneficial-owners', ownerOf(id), 201)
    for (const type of DOCUMENTS.slice(0, 3)) await uploadDocument(manual, id, type)
    const oldDocument = await uploadDocument(manual, id, 'TAX_RETURN', { issuedOn: '2020-01-31' })
    expect((await requestVerification(manual, id)).errors).toMatchObject([
      {
        resourceId: oldDocument.id,
        type: 'EXPIRED_DOCUMENT',
        acceptedDocumentTypes: expect.arrayContaining(['TAX_RETURN']),
      },
    ])
    await uploadDocument(manual, id, 'BANK_STATEMENT')
    expect((await requestVerification(manual, id)).errors).toEqual([])
  })

  test('has to prove the identity of an owner if the country requires it', async () => {
    const home = { line1: 'Allee 1', postalCode: '10115', country: 'DE' }
    const { id, owner } = await createCompleteBusiness(manual, BUSINESS, { personalInfo: { address: home } })
    expect((await requestVerification(manual, id)).errors).toMatchObject([
      { resourceId: owner.id, type: 'MISSING_IDENTITY_DOCUMENT' },
    ])
    await uploadDocument(manual, owner.id, 'PASSPORT')
    expect((await requestVerification(manual, id)).errors).toEqual([])
  })
})

describe('if the sandbox decides, a pending business', () => {
  test.each([
    ['5523910', 'Hopper', 'APPROVED'],
    ['5523001', 'Hopper', 'IN_PROGRESS'],
    ['5523002', 'Hopper', 'REJECTED'],
    ['5523910', 'Hopper 001', 'IN_PROGRESS'],
    ['5523910', 'Hopper 002', 'RESOLVE_ERRORS'],
  ])('with the registration number %s and the owner %s is %s', async (number, lastName, status) => {
    const { id } = await createCompleteBusiness(automatic, buildBusiness('001'), {
      personalInfo: { lastName },
    })
    const businessInfo = { registrationNumber: number }
    await send(automatic, 'PATCH', `/customers/${id}`, { customerType: 'BUSINESS', businessInfo }, 200)
    expect((await requestVerification(automatic, id)).verificationStatus).toBe(status)
  })

  test('is approved as soon as its owner is', async () => {
    const { id, owner } = await createCompleteBusiness(automatic, buildBusiness('001'), {
      personalInfo: { lastName: 'Hopper 001' },
    })
    const businessInfo = { registrationNumber: '5523910' }
    await send(automatic, 'PATCH', `/customers/${id}`, { customerType: 'BUSINESS', businessInfo }, 200)
    await requestVerification(automatic, id)
    await send(
      automatic,
      'PATCH',
      `/beneficial-owners/${owner.id}`,
      { personalInfo: { lastName: 'Hopper' } },
      200,
    )
    await automatic.advance(0)
    expect((await automatic.get(`/customers/${id}`)).body.kybStatus).toBe('APPROVED')
    const types = (await automatic.events(`&objectId=${id}`)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['CUSTOMER.KYB_PENDING', 'CUSTOMER.KYB_APPROVED']))
  })
})
