import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import {
  buildPng,
  type Client,
  fund,
  newCustomer,
  type Reply,
  type SignedIn,
  sendSigned,
  signIn,
  until,
} from '../client.testing.ts'
import type { Production } from '../production/production.testing.ts'
import { AgentClient, POLICY } from './agents.testing.ts'
import { clear, newCard, use } from './cards.testing.ts'
import { beginVerification, fundPlatform } from './external-accounts.testing.ts'
import { createKycLink, upload } from './onboarding.testing.ts'
import { account, payNow, quoted, to } from './payments.testing.ts'

/** Unique personal data, by kind. The server receives all of them at some point in the person's life. */
export const PERSONAL = {
  fullName: 'Zebulon Quixotemark',
  formerName: 'Zebulon Formermark',
  email: 'zebulon.q@quixotemark.example',
  phone: '+4915112345678',
  birthDate: '1971-03-17',
  line1: 'Wisteriamark Lane 77b',
  city: 'Quahogmark',
  postalCode: 'QXM79ZZ',
  platformCustomerId: 'crm-zebulonmark-4711',
  umaAddress: '$zebulonmark@uma.example',
  holder: 'Zebulon Holdermark',
  accountNumber: '998877665544789',
  secondAccount: '776655443322789',
  platformAccountId: 'acct-zebulonmark-1',
  documentNumber: 'PASSMARK8812345',
  fileName: 'zebulonmark-passport.png',
  authority: 'Passportmark Office',
  remittance: 'Rentmark for the barn',
  description: 'Descriptionmark of a quote',
  agentName: 'Shoppermark of Zebulon',
  cardName: 'card-zebulonmark-1',
  browser: 'Browsermark/7.1 (Zebulon)',
  keyName: 'Keymark for spending',
  realtime: 'Realtimemark of Zebulon',
  invitee: 'Inviteemark',
  sender: '$sendermark@bank.example',
  answer: 'answermark of the endpoint',
  redirect: 'https://app.example.com/back-to-redirectmark',
  legalName: 'Quixotemark Holdings',
  taxId: '47-1100221',
  ownerName: 'Ownermark',
  ownerIdentifier: '987-65-4329',
  decisionReason: 'Whymark: the bank has sent it back to her',
  decisionNote: 'Callmark with the branch near the barn',
  depositNote: 'Branchmark: the clerk has looked at her account',
  depositReport: 'Reportmark: no account of this name',
  reviewReason: 'Reasonmark: the passport is dark',
} as const

interface Life {
  readonly client: Client
  readonly ids: readonly string[]
  readonly usd: string
  readonly session: SignedIn
}

async function createRecord(client: Client, path: string, body?: unknown): Promise<Reply['body']> {
  const reply = await client.post(path, body)
  expect(reply.status, `${path} ${toJson(reply.body)}`).toBeLessThan(300)
  return reply.body
}

/** Plays a person who uses every feature of the API, pays and is paid, and finally empties all accounts. */
export async function live(client: Client, other: Awaited<ReturnType<typeof newCustomer>>): Promise<Life> {
  await client.send('PATCH', '/config', { invitationConfig: { url: 'https://join.example/' } })
  const person = await newCustomer(client, {
    fullName: PERSONAL.formerName,
    email: PERSONAL.email,
    phoneNumber: PERSONAL.phone,
    birthDate: PERSONAL.birthDate,
    nationality: 'DE',
    region: 'DE',
    platformCustomerId: PERSONAL.platformCustomerId,
    umaAddress: PERSONAL.umaAddress,
    address: { line1: PERSONAL.line1, city: PERSONAL.city, postalCode: PERSONAL.postalCode, country: 'DE' },
  })
  const changed = await client.send('PATCH', `/customers/${person.id}`, {
    customerType: 'INDIVIDUAL',
    fullName: PERSONAL.fullName,
  })
  expect(changed.status, toJson(changed.body)).toBe(200)
  await createRecord(client, `/customers/${person.id}/verify-email`)
  await createRecord(client, `/customers/${person.id}/verify-email/confirm`, { code: '123456' })
  const document = await upload(
    client,
    '/documents',
    {
      documentHolder: person.id,
      documentType: 'PASSPORT',
      country: 'DE',
      documentNumber: PERSONAL.documentNumber,
      issuingAuthority: PERSONAL.authority,
    },
    buildPng(),
    { fileName: PERSONAL.fileName },
  )
  expect(document.status, toJson(document.body)).toBe(201)
  const bank = await addBankAccount(client, person.id, PERSONAL.accountNumber, PERSONAL.platformAccountId)
  await client.send(
    'DELETE',
    `/customers/external-accounts/${await addBankAccount(client, person.id, PERSONAL.secondAccount)}`,
  )
  const session = await signIn(client, person.wallet)
  await createRecord(client, `/invitations`, { inviterUma: PERSONAL.umaAddress, firstName: PERSONAL.invitee })
  await pay(client, person, other, bank, session)
  const card = await newCard(client, person.id, [person.wallet])
  const key = { cardId: card.id, internalAccountId: person.wallet, nickname: PERSONAL.keyName }
  const delegated = await sendSigned(client, session, 'POST', '/auth/delegated-keys', key)
  expect(delegated.status, toJson(delegated.body)).toBe(201)
  await useAgentAndBrowser(client, person, bank)
  return { client, ids: [person.id], usd: person.usd, session }
}

async function addBankAccount(
  client: Client,
  customerId: string,
  accountNumber: string,
  name?: string,
): Promise<string> {
  const { id } = await createRecord(client, '/customers/external-accounts', {
    customerId,
    currency: 'USD',
    ...(name === undefined ? {} : { platformAccountId: name }),
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: PERSONAL.holder },
    },
  })
  return id
}

/** Lets an agent act on behalf of the person, and the person act in a browser. */
async function useAgentAndBrowser(client: Client, person: Person, bank: string): Promise<void> {
  const policy = { ...POLICY, defaultExecutionMode: 'APPROVAL_REQUIRED' }
  const { agent, deviceCode } = await createRecord(client, '/agents', {
    name: PERSONAL.agentName,
    customerId: person.id,
    policy,
  })
  const code = `/agents/device-codes/${deviceCode.code}/redeem`
  const redeemed = await client.send('POST', code, undefined, { Authorization: '' })
  await fund(client, person.usd, 1_000)
  const byAgent = new AgentClient(client, agent.id, redeemed.body.accessToken)
  const transferReply = await byAgent.transferOut({ ...person, bank }, 1_000)
  expect(transferReply.status, toJson(transferReply.body)).toBeLessThan(300)
  await createRecord(client, `/agents/${agent.id}/actions/${transferReply.body.id}/approve`)
  await client.advance(60)
  const { accessToken } = await createRecord(client, '/customer-tokens', {
    customerId: person.id,
    permissions: ['VIEW', 'TRANSACT'],
  })
  const customerHeaders = { Authorization: `Bearer ${accessToken}`, 'User-Agent': PERSONAL.browser }
  const body = {
    source: { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: person.id },
    destination: to(bank),
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
    description: PERSONAL.realtime,
  }
  const quote = await client.post('/quotes', body, customerHeaders)
  expect(quote.status, toJson(quote.body)).toBe(201)
  await client.advance(3_600)
}

type Person = Awaited<ReturnType<typeof newCustomer>>

/**
 * Pays and is paid in all ways: quotes, transfers, a wallet, internal and external UMA addresses, and a card.
 */
async function pay(
  client: Client,
  person: Person,
  other: Person,
  bank: string,
  session: SignedIn,
): Promise<void> {
  await fund(client, person.usd, 100_000)
  await fund(client, person.wallet, 5_000_000)
  const more = { description: PERSONAL.description, immediatelyExecute: true }
  await quoted(client, account(person.usd), { ...to(bank), paymentRail: 'ACH' }, more)
  const uma = (umaAddress: string) => ({ destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' })
  await quoted(client, account(person.usd), uma(await readUmaAddress(client, other.id)), more)
  await quoted(client, account(other.usd), uma(PERSONAL.umaAddress), { immediatelyExecute: true })
  await client.advance(60)
  await payNow(client, person.id, { senderUmaAddress: PERSONAL.sender })
  const byWallet = await client.post('/quotes', {
    source: account(person.wallet),
    destination: to(bank),
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 5_000_000,
  })
  expect(byWallet.status, toJson(byWallet.body)).toBe(201)
  const executed = await sendSigned(client, session, 'POST', `/quotes/${byWallet.body.id}/execute`, undefined)
  expect(executed.status, toJson(executed.body)).toBe(200)
  const card = await newCard(client, person.id, [person.usd], { platformCardId: PERSONAL.cardName })
  const purchase = await use(client, card.id, 1_000)
  await clear(client, purchase.body, 1_000)
  await client.advance(60)
  const accounts = { source: { accountId: person.usd }, destination: { accountId: bank } }
  const { id: returned } = await createRecord(client, '/transfer-out', { ...accounts, amount: 1_000 })
  await client.advance(60)
  const evidence = { note: PERSONAL.decisionNote }
  const reason = PERSONAL.decisionReason
  const decision = await client.post(`/transactions/${returned}/decide`, {
    outcome: 'RETURNED',
    reason,
    evidence,
  })
  expect(decision.status, toJson(decision.body)).toBe(200)
  await client.advance(0)
  await createRecord(client, '/transfer-out', { ...accounts, remittanceInformation: PERSONAL.remittance })
  await client.advance(60)
  await verifyByDeposits(client, bank)
}

/** Verifies an account by deposits. The bank returns one, and a person decides about the other. */
async function verifyByDeposits(client: Client, bank: string): Promise<void> {
  await fundPlatform(client)
  const begun = await beginVerification(client, bank)
  expect(begun.status, toJson(begun.body)).toBe(201)
  await client.advance(60)
  const [first, second] = begun.body.transactionIds
  await createRecord(client, '/sandbox/rail-events', {
    ...{ type: 'payment.returned', paymentId: first, message: PERSONAL.depositReport },
  })
  const evidence = { note: PERSONAL.depositNote }
  const reason = PERSONAL.decisionReason
  await createRecord(client, `/transactions/${second}/decide`, { outcome: 'RETURNED', reason, evidence })
  await client.advance(0)
}

async function readUmaAddress(client: Client, id: string): Promise<string> {
  return (await client.get(`/customers/${id}`)).body.umaAddress
}

/** Creates an unapproved business: with owners, a decided verification, and a link to the page. */
export async function beVerified(client: Client): Promise<string> {
  await client.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
  const business = await createRecord(client, '/customers', {
    customerType: 'BUSINESS',
    address: { line1: PERSONAL.line1, city: PERSONAL.city, postalCode: '02101', country: 'US' },
    businessInfo: {
      legalName: PERSONAL.legalName,
      taxId: PERSONAL.taxId,
      incorporatedOn: '2020-01-31',
      countriesOfOperation: ['US'],
    },
  })
  await createRecord(client, '/beneficial-owners', {
    customerId: business.id,
    roles: ['UBO', 'CONTROL_PERSON'],
    ownershipPercentage: 100,
    personalInfo: {
      firstName: 'Zebulona',
      lastName: PERSONAL.ownerName,
      birthDate: PERSONAL.birthDate,
      nationality: 'US',
      address: { line1: PERSONAL.line1, city: PERSONAL.city, postalCode: '02101', country: 'US' },
      idType: 'SSN',
      identifier: PERSONAL.ownerIdentifier,
    },
  })
  for (const documentType of [
    'ARTICLES_OF_INCORPORATION',
    'SHAREHOLDER_REGISTER',
    'DIRECTOR_REGISTRY',
    'BANK_STATEMENT',
  ])
    await upload(client, '/documents', { documentHolder: business.id, documentType, country: 'US' })
  await createKycLink(client, business.id, { redirectUri: PERSONAL.redirect })
  const verification = await createRecord(client, '/verifications', { customerId: business.id })
  await createRecord(client, `/verifications/${verification.id}/decision`, {
    decision: 'REQUEST_INFORMATION',
    errors: [{ resourceId: business.id, type: 'INVALID_FIELD', reason: PERSONAL.reviewReason }],
  })
  return business.id
}

/**
 * Finds the columns that contain each of these strings, as `table.column`. Searches columns of every type that can hold
 * text.
 */
export async function findPlaces(db: Database, texts: readonly string[]): Promise<Map<string, string[]>> {
  const { rows: columns } = await db.query<{ table: string; column: string; type: string }>(`
    SELECT c.table_name::text AS table, c.column_name::text AS column, c.data_type::text AS type
    FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
      AND (c.data_type IN ('text', 'jsonb', 'json', 'bytea') OR c.udt_name = '_text')
    ORDER BY 1, 2`)
  const found = new Map<string, string[]>(texts.map((text) => [text, []]))
  for (const { table, column, type } of columns) {
    // Bytes that are not characters are written as \\ooo.
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const { rows } = await db.query<{ wanted: string }>(
      `SELECT wanted FROM unnest($1::text[]) AS wanted
       WHERE EXISTS (SELECT FROM "${table}" WHERE position(lower(wanted) in lower(${text})) > 0)`,
      [texts],
    )
    for (const { wanted } of rows) found.get(wanted)!.push(`${table}.${column}`)
  }
  return found
}

/** The settings of a server whose erasures begin when they are requested. */
export const ERASES_NOW = { PERSONAL_DATA_DAYS: '0' }

/** Deletes a customer and requests the erasure. */
export async function requestErasure({ client }: Production, customerId: string): Promise<void> {
  const deleted = await client.send('DELETE', `/customers/${customerId}`)
  expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
  await client.post(`/customers/${customerId}/erasure`)
}

export function waitUntilErased({ client }: Production, customerId: string): Promise<unknown> {
  return until(
    async () => (await client.get(`/customers/${customerId}/erasure`)).body,
    ({ status }) => status === 'DONE',
  )
}

/** Waits until the erasure of a customer waits for a bank file, and returns its status. */
export async function waitUntilErasureWaits(
  { client, service }: Production,
  customerId: string,
): Promise<string> {
  await until(
    async () => (await service.app.db.query(JOBS, [customerId.split(':')[1], service.app.clock()])).rows,
    (rows) => rows.length > 0,
  )
  return (await client.get(`/customers/${customerId}/erasure`)).body.status
}

const JOBS = `SELECT id FROM jobs WHERE kind = 'customer.erase' AND payload->>'customerId' LIKE '%' || $1 AND due_at > $2`

/** Makes the erasures that wait for a bank file try again. */
export async function resumeErasures({ service: { app } }: Production): Promise<void> {
  await app.db.query(`UPDATE jobs SET due_at = $1 WHERE kind = 'customer.erase'`, [app.clock()])
  app.workers.wake()
}
