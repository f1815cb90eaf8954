import { beforeAll, describe, expect, test } from 'vitest'
import { buildPng, type Client, type Reply } from '../../worlds/client.testing.ts'
import {
  BUSINESS,
  createKycLink,
  newManualPlatform,
  openNewLink,
  ownerOf,
  type PageVisitor,
  PERSON,
  plain,
  readSessionPath,
  send,
} from '../../worlds/records/onboarding.testing.ts'

let client: Client
beforeAll(async () => {
  client = await newManualPlatform()
})

const createCustomer = (body: object = { customerType: 'INDIVIDUAL' }): Promise<Reply['body']> =>
  send(client, 'POST', '/customers', body, 201)
const findNewestVerification = async (customerId: string): Promise<Reply['body']> =>
  (await client.get(`/verifications?customerId=${customerId}`)).body.data[0]
const readTitle = (visitor: PageVisitor) => plain(/<h1>([^<]*)<\/h1>/.exec(visitor.last!.text)?.[1] ?? '')
const listErrors = (visitor: PageVisitor) =>
  [...visitor.last!.text.matchAll(/<span class="hidden">Error: <\/span>([^<]*)/g)].map(([, text]) =>
    plain(text!),
  )

const TOKYO = {
  'address.line1': '1-1 Chiyoda',
  'address.city': 'Tokyo',
  'address.postalCode': '100-0001',
  'address.country': 'JP',
}
const HANAKO = { fullName: 'Hanako Yamada', birthDate: '1990-12-10', nationality: 'JP', ...TOKYO }

describe('a person', () => {
  test('goes from the link to a submitted verification, which a reviewer approves', async () => {
    const { id } = await createCustomer()
    const visitor = await openNewLink(client, id)
    expect(readTitle(visitor)).toBe('Your details')
    await visitor.submit('/details', HANAKO)
    expect(readTitle(visitor)).toBe('Your documents')
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'JP' }, buildPng())
    expect(visitor.last!.text).toContain('A document that proves the address')
    await visitor.sendFile({ documentType: 'UTILITY_BILL', country: 'JP' }, buildPng(), 'bill.png')
    expect(readTitle(visitor)).toBe('Check your answers')
    expect(visitor.last!.text).toContain('Hanako Yamada')
    expect(await findNewestVerification(id)).toBeUndefined()
    await visitor.submit('/review')
    expect(readTitle(visitor)).toBe('We have everything')
    const verification = await findNewestVerification(id)
    expect(verification).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW', submission: 1 })
    await send(client, 'POST', `/verifications/${verification.id}/decision`, { decision: 'APPROVE' }, 200)
    await visitor.go(
      visitor.last!.location ?? new URL(await readSessionPath(visitor), visitor.origin).pathname,
    )
    expect(readTitle(visitor)).toBe('You are verified')
    expect((await client.get(`/customers/${id}`)).body).toMatchObject({
      kycStatus: 'APPROVED',
      fullName: 'Hanako Yamada',
      birthDate: '1990-12-10',
      address: { line1: '1-1 Chiyoda', city: 'Tokyo', postalCode: '100-0001', country: 'JP' },
    })
    const types = (await client.events(`&objectId=${verification.id}`)).map(({ type }) => type)
    expect(types).toEqual(['VERIFICATION.PENDING_MANUAL_REVIEW', 'VERIFICATION.APPROVED'])
  })

  test('sees an error next to its field, which keeps the input', async () => {
    const visitor = await openNewLink(client, (await createCustomer()).id)
    const reply = await visitor.submit('/details', { ...HANAKO, fullName: '', birthDate: '' })
    expect(reply.status).toBe(400)
    expect(listErrors(visitor)).toEqual(['Please fill in: Full name', 'Please fill in: Date of birth'])
    expect(visitor.form('/details').fields.get('address.line1')).toBe('1-1 Chiyoda')
    expect(reply.text).toContain('<a href="#f-fullName">')
    await visitor.submit('/details', { ...HANAKO, birthDate: '2990-01-01', 'address.country': 'jp' })
    expect(listErrors(visitor)).toEqual(['Country must be a country by its two capital letters, like US'])
    await visitor.submit('/details', { ...HANAKO, birthDate: '2990-01-01' })
    expect(listErrors(visitor)).toEqual(['Date of birth is in the future'])
  })

  test('sees the error of a file, which is not stored', async () => {
    const { id } = await createCustomer({ ...PERSON, address: { ...PERSON.address, country: 'GB' } })
    const visitor = await openNewLink(client, id)
    const values = { documentType: 'PASSPORT', country: 'FR', side: 'FRONT' }
    await visitor.sendFile(values, undefined)
    expect(listErrors(visitor)).toEqual(['Choose a file'])
    expect(Object.fromEntries(visitor.form('/documents').fields)).toMatchObject(values)
    await visitor.sendFile(values, Buffer.from('MZ: no picture at all'), 'passport.png')
    expect(listErrors(visitor)).toEqual(['File must be a PDF, a JPEG or a PNG'])
    await visitor.sendFile(values, buildPng(), 'passport-201.png')
    expect(listErrors(visitor)).toEqual(['The document is not legible enough.'])
    expect(visitor.last!.status).toBe(400)
    expect((await client.get(`/documents?documentHolder=${id}`)).body.data).toEqual([])
    await visitor.sendFile(values, buildPng())
    expect(readTitle(visitor)).toBe('Check your answers')
  })

  test('can remove a document that was not submitted', async () => {
    const { id } = await createCustomer({ ...PERSON, address: { ...PERSON.address, country: 'GB' } })
    const visitor = await openNewLink(client, id)
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'GB' }, buildPng())
    await visitor.go(`${readSessionPath(visitor)}/documents`)
    await visitor.submit('/remove-document')
    expect((await client.get(`/documents?documentHolder=${id}`)).body.data).toEqual([])
    expect(visitor.last!.text).toContain('A document that proves the identity of the person')
  })

  test("can read a reviewer's request and replace the document", async () => {
    const { id } = await createCustomer()
    const visitor = await openNewLink(client, id)
    await visitor.submit('/details', { ...HANAKO, 'address.country': 'GB' })
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'JP' }, buildPng())
    await visitor.submit('/review')
    const verification = await findNewestVerification(id)
    const [document] = (await client.get(`/documents?documentHolder=${id}`)).body.data
    const reason = 'The <b>number</b> cannot be read.'
    const errors = [
      { resourceId: document.id, type: 'POOR_QUALITY_DOCUMENT', reason, acceptedDocumentTypes: ['PASSPORT'] },
    ]
    await send(
      client,
      'POST',
      `/verifications/${verification.id}/decision`,
      { decision: 'REQUEST_INFORMATION', errors },
      200,
    )
    await visitor.go(readSessionPath(visitor))
    expect(visitor.last!.text).toContain('The &lt;b&gt;number&lt;/b&gt; cannot be read.')
    await visitor.sendFile({ country: 'JP' }, buildPng(3000, 0x42))
    expect(readTitle(visitor)).toBe('Check your answers')
    await visitor.submit('/review')
    expect(await findNewestVerification(id)).toMatchObject({
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      submission: 2,
    })
    expect((await client.get(`/documents?documentHolder=${id}`)).body.data).toHaveLength(1)
  })

  test('is redirected only to the platform after the submission', async () => {
    const { id } = await createCustomer(PERSON)
    const redirectUri = 'https://app.example.com/done?from=kyc'
    const visitor = await openNewLink(client, id, { redirectUri })
    expect(visitor.last!.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://app.example.com;",
    )
    const path = readSessionPath(visitor)
    await visitor.go(`${path}/review?redirectUri=https://evil.example&redirect_uri=//evil.example`)
    const { action, fields } = visitor.form('/review')
    fields.set('redirectUri', 'https://evil.example')
    const reply = await visitor.request(action, { method: 'POST', body: fields })
    expect(reply).toMatchObject({ status: 303, location: redirectUri })
    await visitor.go(path)
    expect(visitor.last!.text).toContain('href="https://app.example.com/done?from=kyc"')
  })

  test('must confirm a contact first, if the new country requires it', async () => {
    const { id } = await createCustomer({ customerType: 'INDIVIDUAL', email: 'hanako@example.com' })
    const visitor = await openNewLink(client, id)
    await visitor.submit('/details', { ...HANAKO, 'address.country': 'DE' })
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'JP' }, buildPng())
    await visitor.sendFile({ documentType: 'UTILITY_BILL', country: 'DE' }, buildPng(), 'bill.png')
    expect(readTitle(visitor)).toBe('Confirm your contact details first')
    expect(visitor.last!.text).toContain('Your e-mail address must be confirmed')
  })

  test('can send an old form again without a second effect', async () => {
    const { id } = await createCustomer({ ...PERSON, address: { ...PERSON.address, country: 'GB' } })
    const visitor = await openNewLink(client, id)
    const { last: formPage } = visitor
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'GB' }, buildPng())
    visitor.last = formPage
    await visitor.sendFile({ documentType: 'PASSPORT', country: 'GB' }, buildPng())
    expect((await client.get(`/documents?documentHolder=${id}`)).body.data).toHaveLength(1)
    await visitor.go(`${readSessionPath(visitor)}/review`)
    const reviewPage = visitor.last
    await visitor.submit('/review')
    visitor.last = reviewPage
    await visitor.submit('/review')
    expect(readTitle(visitor)).toBe('We have everything')
    expect(await findNewestVerification(id)).toMatchObject({ submission: 1 })
  })
})

describe('a business', () => {
  test('enters its owners and uploads its documents', async () => {
    const { businessInfo, ...otherFields } = BUSINESS
    const { taxId, countriesOfOperation, ...knownInfo } = businessInfo
    const { id } = await createCustomer({ ...otherFields, businessInfo: { ...knownInfo, taxId } })
    const visitor = await openNewLink(client, id)
    expect(readTitle(visitor)).toBe('Details of the business')
    expect(visitor.last!.text).not.toContain(taxId)
    expect(visitor.last!.text).toContain(taxId.slice(-4))
    await visitor.submit('/details', { 'businessInfo.countriesOfOperation': ['US', '', 'MX'] })
    expect(readTitle(visitor)).toBe('Owners of the business')
    await visitor.submit('/owners')
    expect(visitor.last!.text).toContain('The list of owners is incomplete')
    await visitor.go(`${readSessionPath(visitor)}/owner`)
    const { personalInfo } = ownerOf(id)
    await visitor.submit('/owner', { ...toOwnerForm(personalInfo), ownershipPercentage: 'half' })
    expect(listErrors(visitor)).toEqual(['Share of the business, in percent must be an integer'])
    await visitor.submit('/owner', { ...toOwnerForm(personalInfo), ownershipPercentage: '60' })
    expect(visitor.last!.text).toContain('Grace Hopper')
    await visitor.submit('/owners')
    expect(visitor.last!.text).toContain('The list of owners is incomplete')
    await visitor.submit('/owners', { isWidelyHeld: 'true' })
    expect(readTitle(visitor)).toBe('Documents')
    for (const documentType of [
      'ARTICLES_OF_INCORPORATION',
      'SHAREHOLDER_REGISTER',
      'DIRECTOR_REGISTRY',
      'UTILITY_BILL',
    ])
      await visitor.sendFile({ documentType, country: 'US' }, buildPng(), `${documentType}.png`)
    expect(readTitle(visitor)).toBe('Check your answers')
    expect(visitor.last!.text).not.toContain(personalInfo.identifier)
    expect(visitor.last!.text).not.toContain(taxId)
    await visitor.submit('/review')
    expect(await findNewestVerification(id)).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW' })
    const { body } = await client.get(`/customers/${id}`)
    expect(body.businessInfo).toMatchObject({ taxId, countriesOfOperation: ['US', 'MX'], isWidelyHeld: true })
  })

  test('can change an owner without changing the masked identifier', async () => {
    const { id } = await createCustomer(BUSINESS)
    const owner = await send(client, 'POST', '/beneficial-owners', ownerOf(id), 201)
    const visitor = await openNewLink(client, id)
    await visitor.go(`${readSessionPath(visitor)}/owner?id=${owner.id}`)
    expect(visitor.last!.text).not.toContain('123-45-6789')
    expect(visitor.last!.text).toContain('We have *******6789')
    await visitor.submit('/owner', {
      'personalInfo.firstName': 'Anita',
      roles: ['UBO', 'DIRECTOR', 'CONTROL_PERSON'],
    })
    const { body } = await client.get(`/beneficial-owners/${owner.id}`)
    expect(body).toMatchObject({
      roles: ['UBO', 'DIRECTOR', 'CONTROL_PERSON'],
      personalInfo: { firstName: 'Anita', identifier: '*******6789' },
    })
  })
})

test('names of customers, owners, files and platforms are always escaped', async () => {
  const evil = `</title><script>alert(1)</script>"onfocus='x' <img src=x>&amp;`
  await send(client, 'PATCH', '/config', { embeddedWalletConfig: { appName: evil } }, 200)
  const { id } = await createCustomer({
    ...BUSINESS,
    address: { ...BUSINESS.address, line1: evil },
    businessInfo: { ...BUSINESS.businessInfo, legalName: evil },
  })
  const personalInfo = { firstName: evil, lastName: evil }
  const owner = await send(client, 'POST', '/beneficial-owners', ownerOf(id, { personalInfo }), 201)
  const link = await createKycLink(client, id)
  const visitor = await openNewLink(client, id)
  const pages = [
    '/details',
    '/owners',
    `/owner?id=${owner.id}`,
    '/documents',
    `/documents?more=${encodeURIComponent(evil)}`,
  ]
  await visitor.sendFile(
    { documentType: 'ARTICLES_OF_INCORPORATION', country: 'US' },
    buildPng(),
    `'"<b onload=x>.png`,
  )
  const texts = [(await visitor.request(new URL(link.kycUrl).pathname)).text, visitor.last!.text]
  for (const page of pages) texts.push((await visitor.go(readSessionPath(visitor) + page)).text)
  await visitor.go(`${readSessionPath(visitor)}/details`)
  texts.push((await visitor.submit('/details', { 'businessInfo.legalName': evil, 'address.line1': '' })).text)
  for (const text of texts) {
    expect(text).not.toMatch(/<script|<img|<b /)
    expect(text.replaceAll('&quot;', '')).not.toMatch(/<[^>]*"onfocus/)
  }
  expect(texts.join('')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  await send(client, 'PATCH', '/config', { embeddedWalletConfig: { appName: 'Bank' } }, 200)
})

function toOwnerForm(info: Record<string, unknown>): Record<string, string | string[]> {
  const { address, ...others } = info as { address: Record<string, string> } & Record<string, string>
  return {
    roles: ['UBO', 'CONTROL_PERSON'],
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`personalInfo.${name}`, value])),
    ...Object.fromEntries(
      Object.entries(address).map(([name, value]) => [`personalInfo.address.${name}`, value]),
    ),
  }
}
