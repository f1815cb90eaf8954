import { ID_KINDS, INTERNAL_ID_KINDS, INVITATION_NUMBER } from '@countersign/contract/core/ids'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { idsOf, newId } from '../../../src/kernel/operation/app.ts'
import { encodeBinaryArray } from '../../../src/storage/commit/binary-array.ts'
import { toStoredRow } from '../../../src/storage/commit/stored-row.ts'
import { insert } from '../../../src/storage/commit/writes.ts'
import { buildId, deriveUuid, extractUuid, idOf, NIL_UUID } from '../../../src/storage/engine/ids.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { createRead } from '../../../src/storage/read/read.ts'
import { isIdColumn } from '../../../src/storage/schema/id-columns.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const UUID = '01900000-0000-7000-8000-000000000003'
const CUSTOMER = `Customer:${UUID}`

test('the numbers of the id kinds never change', () => {
  const numbers = { ...ID_KINDS, ...INTERNAL_ID_KINDS }
  expect(numbers).toEqual({
    Platform: 1,
    Token: 2,
    Customer: 3,
    CustomerImport: 4,
    BeneficialOwner: 5,
    Verification: 6,
    VerificationDecision: 7,
    Document: 8,
    InternalAccount: 9,
    ExternalAccount: 10,
    StablecoinProviderAccount: 11,
    AuthMethod: 12,
    Session: 13,
    Request: 14,
    Quote: 15,
    Transaction: 16,
    LedgerTransfer: 17,
    Card: 18,
    CardTransaction: 19,
    DelegatedKey: 20,
    Agent: 21,
    AgentAction: 22,
    AgentDecision: 23,
    File: 24,
    DocumentRead: 25,
    Event: 26,
    Message: 27,
    WebhookSecret: 28,
    Deposit: 37,
    RailEvent: 38,
    RailStatement: 40,
    StatementEntry: 41,
    Job: 29,
    Challenge: 30,
    DeviceCode: 31,
    KycLink: 32,
    LedgerAccount: 33,
    IdToken: 34,
    RailPayment: 36,
    BankFile: 39,
    DepositAccount: 45,
    ChainRecord: 47,
    Screening: 46,
    CustomerToken: 48,
    Member: 49,
    MemberSession: 50,
    MemberPasskey: 51,
    AuditEvent: 52,
    LoggedRequest: 53,
    LedgerCheckpoint: 55,
    WebhookEndpoint: 56,
    PaymentDecision: 57,
    PayoutBatch: 60,
    PayoutLine: 61,
    OwnAccount: 67,
    PlatformWithdrawal: 68,
    TreasuryMovement: 76,
    TreasuryKey: 77,
    PaymentSchedule: 64,
    MemberRole: 72,
    ClientMoneyReport: 73,
    AccountChange: 74,
    Mandate: 78,
    AccountVerification: 79,
    PaymentOccurrence: 65,
    ReconciliationMatch: 62,
    FundsHold: 70,
    MatchItem: 63,
    WebhookReceipt: 66,
  })
  expect(INVITATION_NUMBER).toBe(35)
  const allNumbers = [...Object.values(numbers), INVITATION_NUMBER]
  expect(new Set(allNumbers).size).toBe(allNumbers.length)
  for (const number of allNumbers) expect(number > 0 && number < 256, String(number)).toBe(true)
  expect(Object.keys(numbers)).toHaveLength(
    Object.keys(ID_KINDS).length + Object.keys(INTERNAL_ID_KINDS).length,
  )
})

test('a new id has its kind in its last byte, and the format and time of a UUIDv7', () => {
  const at = new Date('2026-03-01T12:00:00.000Z')
  for (const [kind, number] of Object.entries({ ...ID_KINDS, ...INTERNAL_ID_KINDS })) {
    const id = newId(kind as keyof typeof ID_KINDS, at)
    const [prefix, uuid = ''] = id.split(':')
    expect(prefix).toBe(kind)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)).toBe(at.getTime())
    expect(Number.parseInt(uuid.slice(-2), 16)).toBe(number)
    expect(extractUuid(id)).toBe(uuid)
    expect(idOf(uuid)).toBe(id)
  }
  expect(newId('Customer', at)).not.toBe(newId('Customer', at))
})

test('ids of one operation sort in the order of their creation, regardless of their kinds', () => {
  for (let time = 0; time < 100; time++) {
    const next = idsOf(new Date(time))
    const uuids = Array.from({ length: 100 }, (_, n) => extractUuid(next(n % 2 ? 'Customer' : 'Transaction')))
    expect(uuids.toSorted()).toEqual(uuids)
  }
  const firstIds = Array.from({ length: 100 }, () => idsOf(new Date(0))('Customer'))
  expect(new Set(firstIds).size).toBe(100)
  expect(firstIds.toSorted()).not.toEqual(firstIds)
})

test('a uuid that is derived from a string has version 8', () => {
  expect(deriveUuid('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(deriveUuid('a')).toBe(deriveUuid('a'))
  expect(deriveUuid('b')).not.toBe(deriveUuid('a'))
  expect(buildId('Customer', UUID)).toBe(CUSTOMER)
})

test.each([
  '',
  ':',
  'Customer',
  'Customer:',
  'Customer:abc',
  UUID,
  `:${UUID}`,
  `customer:${UUID}`,
  `Card:${UUID}`,
  `Customer${UUID}`,
  `XCustomer:${UUID}`,
  ` Customer:${UUID}`,
  `Customer: ${UUID}`,
  `Customer::${UUID}`,
  `${CUSTOMER} `,
  `${CUSTOMER}\n`,
  `${CUSTOMER}'--`,
  CUSTOMER.toUpperCase(),
  `Customer:0190000A${UUID.slice(8)}`,
  `Customer:{${UUID}}`,
  CUSTOMER.replaceAll('-', ''),
  CUSTOMER.replace('7000', '7 00'),
  CUSTOMER.replace('7000', '7\u000000'),
  CUSTOMER.replace('7000', '７000'),
  CUSTOMER.replace('7000', '70000'),
  CUSTOMER.replace('03', '04'),
  CUSTOMER.replace('03', '00'),
  CUSTOMER.replace('03', 'ff'),
  `Customer:${NIL_UUID}`,
  'Customer:💥',
])('%j is not an id, and maps to the uuid of no row', (text) => {
  expect(extractUuid(text)).toBe(NIL_UUID)
})

test('a uuid without a known kind is not converted to an id', () => {
  expect(() => idOf(NIL_UUID)).toThrow('not a uuid of a known kind')
  expect(() => idOf(UUID.replace(/..$/, 'ff'))).toThrow('not a uuid of a known kind')
})

describe('in database queries', () => {
  let server: SharedServer
  beforeAll(async () => {
    server = await world('sandbox+quiet')
  })

  test('the id columns have the type uuid, and no other columns do', { tags: 'smoke' }, async () => {
    const { rows } = await server.app.db.query<{ table: string; column: string; type: string }>(
      `SELECT c.table_name::text AS table, c.column_name::text AS column, c.udt_name::text AS type
       FROM information_schema.columns c WHERE c.table_schema = 'public'`,
    )
    const isUuid = (type: string) => type === 'uuid' || type === '_uuid'
    const mismatches = rows.filter(({ column, type }) => isUuid(type) !== isIdColumn(column))
    expect(mismatches).toEqual([])
    expect(rows.filter(({ type }) => isUuid(type)).length).toBeGreaterThan(100)
  })

  test('a string that is not an id matches no row', async () => {
    const { app } = server
    for (const text of ['', 'Customer:abc', CUSTOMER.toUpperCase(), 'a\u0000b', NIL_UUID]) {
      const found = app.read.selectFrom('customers').selectAll()
      expect(await found.where('id', '=', text).execute(), text).toEqual([])
      expect(await found.where('customers.id', 'in', [text, testId('Card', 1)]).execute(), text).toEqual([])
    }
  })
})

/** Returns the parameters that kysely sends for a query, without a database. */
async function compileParameters(
  query: (read: ReturnType<typeof createRead>) => { execute(): Promise<unknown> },
) {
  const statements: [string, unknown[]][] = []
  const db = {
    query: async (text: string, parameters: readonly unknown[] = []) => {
      statements.push([text, [...parameters]])
      return { rows: [], affected: 0 }
    },
  } as unknown as Database
  await query(createRead(db)).execute()
  return statements[0]![1]
}

test('a value is compared as a uuid if and only if the other side is an id column', async () => {
  expect(
    await compileParameters((read) =>
      read
        .selectFrom('customers')
        .innerJoin('internal_accounts', 'internal_accounts.customer_id', 'customers.id')
        .select('customers.id')
        .where('customers.id', '=', CUSTOMER)
        .where('customers.id', '>=', '')
        .where('customers.id', 'not in', [CUSTOMER, 'x'])
        .where('platform_customer_id', '=', CUSTOMER)
        .where((eb) => eb.or([eb('customer_id', '<>', CUSTOMER), eb('uma_address', '=', CUSTOMER)]))
        .where('customers.region', '=', sql<string>`${CUSTOMER}`),
    ),
  ).toEqual([UUID, NIL_UUID, UUID, NIL_UUID, CUSTOMER, UUID, CUSTOMER, CUSTOMER])
})

test('an invitation uses its code as its id', () => {
  const uuid = extractUuid('Q3YVDCS6')
  expect(uuid).toBe('51335956-4443-5336-0000-000000000023')
  expect(idOf(uuid)).toBe('Q3YVDCS6')
  for (const text of ['q3yvdcs6', 'Q3YVDCS', 'Q3YVDCS6X', 'Q3YVDC 6', 'Q3YVDCÉ6', `Invitation:${uuid}`])
    expect(extractUuid(text), text).toBe(NIL_UUID)
  expect(() => idOf(uuid.replace('-0000-', '-0001-'))).toThrow('not a uuid of a known kind')
})

describe('a write of a row', () => {
  test('stores uuids in id columns, and leaves free text and JSON unchanged', () => {
    const [first, second] = [testId('InternalAccount', 1), testId('InternalAccount', 2)]
    const set = { funding_sources: [first, second], platform_card_id: CUSTOMER, cardholder_id: CUSTOMER }
    expect(toStoredRow(set)).toEqual({
      funding_sources: [extractUuid(first), extractUuid(second)],
      platform_card_id: CUSTOMER,
      cardholder_id: UUID,
    })
    const job = insert('jobs', {
      id: testId('Job', 1),
      platform_id: testId('Platform', 1),
      kind: 'quote.expire',
      payload: { quoteId: testId('Quote', 1) },
      due_at: new Date(0),
      attempts: 0,
      claimed_until: null,
      last_error: CUSTOMER,
      created_at: new Date(0),
    })
    expect(toStoredRow(job.row)).toMatchObject({
      payload: { quoteId: testId('Quote', 1) },
      last_error: CUSTOMER,
      claimed_until: null,
    })
  })

  test('fails if an id column gets a string that is not an id', () => {
    expect(() => encodeBinaryArray('uuid', ['Job:1'])).toThrow('Job:1 is not an id')
    expect(() => toStoredRow({ cardholder_id: UUID })).toThrow('not an id')
  })
})
