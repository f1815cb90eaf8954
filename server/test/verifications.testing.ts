import { type Client, newPlatform, type Reply } from './client.testing.ts'

/** A business with every member that a verification needs, but without owners and documents. */
export const BUSINESS = {
  customerType: 'BUSINESS',
  address: { line1: '1 Main Street', city: 'Boston', postalCode: '02101', country: 'US' },
  businessInfo: {
    legalName: 'Acme Inc',
    incorporatedOn: '2020-01-31',
    taxId: '12-3456789',
    registrationNumber: '5523910',
    countriesOfOperation: ['US'],
  },
}

/** A person with every member that a verification needs, in a country that asks for no documents. */
export const PERSON = {
  customerType: 'INDIVIDUAL',
  fullName: 'Ada Lovelace',
  birthDate: '1990-12-10',
  nationality: 'US',
  address: { line1: '1 Main Street', city: 'Boston', postalCode: '02101', country: 'US' },
}

/** The owner of a business, who controls it; `lastName` steers the sandbox. */
export function ownerOf(customerId: string, more: Record<string, unknown> = {}) {
  const { personalInfo = {}, ...others } = more as { personalInfo?: Record<string, unknown> }
  return {
    customerId,
    roles: ['UBO', 'CONTROL_PERSON'],
    ownershipPercentage: 100,
    personalInfo: {
      firstName: 'Grace',
      lastName: 'Hopper',
      birthDate: '1980-12-09',
      nationality: 'US',
      address: { line1: '2 Side Street', city: 'Boston', postalCode: '02101', country: 'US' },
      idType: 'SSN',
      identifier: '123-45-6789',
      ...personalInfo,
    },
    ...others,
  }
}

/** A platform whose sandbox does as production does: people decide. */
export async function newManualPlatform(): Promise<Client> {
  const client = await newPlatform()
  await send(client, 'PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } }, 200)
  return client
}

/** The body of an answer that must have this status. */
export async function send(
  client: Client,
  method: string,
  path: string,
  body: unknown,
  status: number,
): Promise<Reply['body']> {
  const reply = await client.send(method, path, body)
  if (reply.status !== status)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** A decision that can be repeated: something is asked for. */
export const informationRequest = (customerId: string) => ({
  decision: 'REQUEST_INFORMATION',
  errors: [{ resourceId: customerId, type: 'INVALID_FIELD', reason: 'Write the name in full.' }],
})

/** A business that is not approved, with an owner, an open verification and a decision, by the kinds of their ids. */
export async function newBusinessCase(client: Client) {
  const pending = { ...BUSINESS, businessInfo: { ...BUSINESS.businessInfo, registrationNumber: '001' } }
  const { id: Business } = await send(client, 'POST', '/customers', pending, 201)
  const owner = await send(
    client,
    'POST',
    '/beneficial-owners',
    ownerOf(Business, { ownershipPercentage: 0 }),
    201,
  )
  const verification = await send(client, 'POST', '/verifications', { customerId: Business }, 200)
  const path = `/verifications/${verification.id}/decision`
  await send(client, 'POST', path, informationRequest(Business), 200)
  const [decision] = (await client.get(`${path}s`)).body.data
  return {
    Business: Business as string,
    BeneficialOwner: owner.id as string,
    Verification: verification.id as string,
    VerificationDecision: decision.id as string,
  }
}
