import { describe, expect, test } from 'vitest'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { upload } from '../../worlds/records/onboarding.testing.ts'

const PATH = '/customers/bulk/csv'

function uploadCsv(
  client: Client,
  csv: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return upload(client, PATH, {}, Buffer.from(csv), { fileName: 'customers.csv', headers })
}

/** Imports a file, and returns the job after it has ended. */
async function importFile(client: Client, csv: string | Uint8Array): Promise<Reply['body']> {
  const accepted = await uploadCsv(client, csv)
  expect(accepted).toMatchObject({ status: 202, body: { status: 'PENDING' } })
  await client.advance(0)
  const { body } = await client.get(`/customers/bulk/jobs/${accepted.body.jobId}`)
  expect(body.completedAt).toEqual(expect.any(String))
  return body
}

/** The customers of a platform by their platformCustomerId. */
async function listCustomers(client: Client): Promise<Record<string, Reply['body']>> {
  const { data } = (await client.get('/customers?limit=100')).body
  return Object.fromEntries(data.map((customer: Reply['body']) => [customer.platformCustomerId, customer]))
}

const FILE = `\ufeffplatformCustomerId,customerType,region,currencies,email,phoneNumber,umaAddress,fullName,birthDate,nationality,address.line1,address.city,address.postalCode,address.country,businessInfo.legalName,businessInfo.incorporatedOn,businessInfo.taxId,businessInfo.countriesOfOperation
p-1,INDIVIDUAL,GB,USD|EUR,ada@example.com,+442071234567,$ada@pay.example,"Lovelace, Ada",1915-12-10,GB,"12 ""Main"" St",London,W1,GB,,,,
p-2,INDIVIDUAL,DE,,eve@example.com,,,"=HYPERLINK(""http://x.example"")",,,,,,,,,,

b-1,BUSINESS,,,,,,,,,,,,,Acme,1999-12-31,12-3456789,US|GB
`

describe('a file of customers', () => {
  test('creates the same records for each row as an API call: accounts, event and contact to verify', async () => {
    const [client, otherPlatform] = await Promise.all([newPlatform(), newPlatform()])
    const job = await importFile(client, FILE)
    expect(job).toEqual({
      id: expect.stringMatching(/^CustomerImport:/),
      status: 'COMPLETED',
      progress: { total: 3, processed: 3, successful: 3, failed: 0 },
      completedAt: expect.any(String),
    })
    const address = { line1: '12 "Main" St', city: 'London', postalCode: 'W1', country: 'GB' }
    const bodies = [
      {
        ...{
          platformCustomerId: 'p-1',
          customerType: 'INDIVIDUAL',
          region: 'GB',
          currencies: ['USD', 'EUR'],
        },
        ...{ email: 'ada@example.com', phoneNumber: '+442071234567', umaAddress: '$ada@pay.example' },
        ...{ fullName: 'Lovelace, Ada', birthDate: '1915-12-10', nationality: 'GB', address },
      },
      {
        ...{ platformCustomerId: 'p-2', customerType: 'INDIVIDUAL', region: 'DE', email: 'eve@example.com' },
        fullName: '=HYPERLINK("http://x.example")',
      },
      {
        ...{ platformCustomerId: 'b-1', customerType: 'BUSINESS' },
        businessInfo: {
          ...{ legalName: 'Acme', incorporatedOn: '1999-12-31', taxId: '12-3456789' },
          countriesOfOperation: ['US', 'GB'],
        },
      },
    ]
    const customers = await listCustomers(client)
    for (const body of bodies) {
      const { id, createdAt, updatedAt, umaAddress } = customers[body.platformCustomerId]
      const createdByCall = await otherPlatform.post('/customers', body)
      const generated =
        'umaAddress' in body ? { id, createdAt, updatedAt } : { id, createdAt, updatedAt, umaAddress }
      expect(customers[body.platformCustomerId]).toEqual({ ...createdByCall.body, ...generated })
      const listAccounts = async (platform: Client, customer: string) =>
        (await platform.get(`/customers/internal-accounts?customerId=${customer}`)).body.data
          .map((account: Reply['body']) => `${account.type} ${account.balance.currency.code}`)
          .sort()
      expect(await listAccounts(client, id)).toEqual(await listAccounts(otherPlatform, createdByCall.body.id))
      const events = await client.events(`&objectId=${id}`)
      const eventsOfCall = await otherPlatform.events(`&objectId=${createdByCall.body.id}`)
      expect(events.map(({ type }: Reply['body']) => type)).toEqual(
        eventsOfCall.map(({ type }: Reply['body']) => type),
      )
    }
    expect(customers['p-2'].contactVerification).toEqual({ email: 'PENDING' })
    expect(await client.events(`&objectId=${job.id}`)).toMatchObject([
      { type: 'BULK_UPLOAD.COMPLETED', data: job },
    ])
  })

  test('imports the other rows if one is refused, and reports the row and the reason', async () => {
    const client = await newPlatform()
    await client.post('/customers', {
      ...{ customerType: 'INDIVIDUAL', platformCustomerId: 'there', umaAddress: '$there@pay.example' },
    })
    const rows = [
      'good,INDIVIDUAL,,,,',
      'bad-type,PERSON,,,,',
      'bad-email,INDIVIDUAL,nobody,,,',
      'bad-currency,INDIVIDUAL,,,XYZ,',
      'bad-date,INDIVIDUAL,,,,2999-01-01',
      'wrong-member,BUSINESS,,,,2000-01-01',
      'short,INDIVIDUAL',
      ',INDIVIDUAL,,,,',
      'there,INDIVIDUAL,,,,',
      'twin,INDIVIDUAL,,,,',
      'twin,INDIVIDUAL,,,,',
      'taken,INDIVIDUAL,,$there@pay.example,,',
      '"con\u0007trol",INDIVIDUAL,,,,',
      'last,BUSINESS,,,,',
    ]
    const job = await importFile(
      client,
      `platformCustomerId,customerType,email,umaAddress,currencies,birthDate\n${rows.join('\n')}`,
    )
    expect(job).toMatchObject({
      status: 'COMPLETED',
      progress: { total: 14, processed: 14, successful: 3, failed: 11 },
    })
    expect(
      job.errors.map(({ correlationId, code, details }: Reply['body']) => [
        correlationId,
        code,
        details.row,
        details.field,
      ]),
    ).toEqual([
      ['bad-type', 'INVALID_INPUT', 3, 'customerType'],
      ['bad-email', 'INVALID_INPUT', 4, 'email'],
      ['bad-currency', 'INVALID_CURRENCY', 5, 'currencies.0'],
      ['bad-date', 'INVALID_INPUT', 6, 'birthDate'],
      ['wrong-member', 'INVALID_INPUT', 7, 'birthDate'],
      ['short', 'INVALID_INPUT', 8, 'row'],
      ['row_9', 'INVALID_INPUT', 9, 'platformCustomerId'],
      ['there', 'PLATFORM_CUSTOMER_ID_EXISTS', 10, 'platformCustomerId'],
      ['twin', 'PLATFORM_CUSTOMER_ID_EXISTS', 12, 'platformCustomerId'],
      ['taken', 'UMA_ADDRESS_EXISTS', 13, 'umaAddress'],
      ['row_14', 'INVALID_INPUT', 14, 'platformCustomerId'],
    ])
    for (const { message } of job.errors) expect(message).toEqual(expect.any(String))
    expect(Object.keys(await listCustomers(client)).sort()).toEqual(['good', 'last', 'there', 'twin'])
    const [ended] = await client.events('&type=BULK_UPLOAD.COMPLETED')
    expect(ended.data).not.toHaveProperty('errors')
  })

  test('with many rows creates each customer once, and none on a repeat', async () => {
    const client = await newPlatform()
    const rows = Array.from({ length: 130 }, (_, row) => `c-${row},BUSINESS`)
    const csv = ['platformCustomerId,customerType', ...rows].join('\n')
    expect((await importFile(client, csv)).progress).toMatchObject({ successful: 130, failed: 0 })
    const secondJob = await importFile(client, csv)
    expect(secondJob.progress).toEqual({ total: 130, processed: 130, successful: 0, failed: 130 })
    expect(new Set(secondJob.errors.map(({ code }: Reply['body']) => code))).toEqual(
      new Set(['PLATFORM_CUSTOMER_ID_EXISTS']),
    )
    expect((await client.get('/customers?limit=1')).body.totalCount).toBe(130)
  })

  test('stores at most a thousand errors, but counts all of them', async () => {
    const client = await newPlatform()
    const rows = Array.from({ length: 1030 }, (_, row) => `c-${row},NOBODY`)
    const { status, progress, errors } = await importFile(
      client,
      ['platformCustomerId,customerType', ...rows].join('\n'),
    )
    expect([status, progress.failed, errors.length]).toEqual(['COMPLETED', 1030, 1000])
    expect(errors.at(-1).correlationId).toBe('c-999')
  })

  test('with only a header completes immediately', async () => {
    const job = await importFile(await newPlatform(), 'platformCustomerId,customerType\n')
    expect(job).toMatchObject({ status: 'COMPLETED', progress: { total: 0, processed: 0 } })
  })

  test('is imported once under one key, and visible to its platform only', async () => {
    const [client, otherPlatform] = await Promise.all([newPlatform(), newPlatform()])
    const csv = 'platformCustomerId,customerType\nonce,BUSINESS'
    const key = { 'Idempotency-Key': 'one' }
    const [first, second] = [await uploadCsv(client, csv, key), await uploadCsv(client, csv, key)]
    expect(second.body).toEqual(first.body)
    for (const [caller, id] of [
      [otherPlatform, first.body.jobId],
      [client, 'CustomerImport:none'],
    ])
      expect((await caller.get(`/customers/bulk/jobs/${id}`)).body).toMatchObject({
        ...{ status: 404, code: 'BULK_UPLOAD_JOB_NOT_FOUND', details: { field: 'jobId' } },
      })
  })
})

describe('a file that cannot be read creates no customer', () => {
  const client = newPlatform()
  const goodFile = 'platformCustomerId,customerType\nfirst,BUSINESS\n'

  test.each([
    ['an unknown column', 'platformCustomerId,customerType,fulName\na,BUSINESS,', 1, 'did you mean fullName'],
    ['a missing column', 'platformCustomerId,fullName\na,Ada', 1, 'no column customerType'],
    ['a column twice', 'platformCustomerId,customerType,email,email\na,BUSINESS,,', 1, 'email twice'],
    ['no header', 'a,INDIVIDUAL\nb,INDIVIDUAL', 1, 'is not known'],
    ['another separator', 'platformCustomerId;customerType\na;BUSINESS', 1, 'separated by commas'],
    [
      'a column that callers cannot set',
      'platformCustomerId,customerType,kycStatus\na,INDIVIDUAL,APPROVED',
      1,
      'kycStatus',
    ],
    ['a column without a name', 'platformCustomerId,customerType,\na,BUSINESS,', 1, 'is not known'],
    ['nothing but empty lines', '\n\r\n\n', 1, 'no header'],
    ['an unterminated quote in a later row', `${goodFile}b,"BUSINESS\n`, 3, 'does not end'],
    [
      'invalid UTF-8 in a later row',
      Buffer.concat([Buffer.from(`${goodFile}b,`), Buffer.of(0xff)]),
      3,
      'UTF-8',
    ],
    [
      'U+0000, after the first bytes',
      `${goodFile}${'b,BUSINESS\n'.repeat(100)}c\u0000,BUSINESS`,
      103,
      'U+0000',
    ],
    ['a row that is too long', `${goodFile}b,"${'x'.repeat(70_000)}"`, 3, 'longer than'],
    ['a million columns', `platformCustomerId,customerType${',x'.repeat(1_000_000)}\n`, 1, 'longer than'],
  ])('if it has %s', async (_, csv, row, words) => {
    const platform = await client
    const job = await importFile(platform, csv)
    expect(job).toMatchObject({
      ...{ status: 'FAILED', progress: { successful: 0, failed: 0 } },
      errors: [
        {
          ...{ correlationId: `row_${row}`, code: 'INVALID_INPUT', message: expect.stringContaining(words) },
          details: { row, field: 'file' },
        },
      ],
    })
    for (const id of ['first', 'a', 'b'])
      expect((await platform.get(`/customers?platformCustomerId=${id}`)).body.data).toEqual([])
    const { errors, ...eventData } = job
    expect(await platform.events(`&objectId=${job.id}`)).toMatchObject([
      { type: 'BULK_UPLOAD.FAILED', data: eventData },
    ])
  })

  test.each([
    ['UTF-16', Buffer.from(`\ufeff${goodFile}`, 'utf16le')],
    ['UTF-16 in the other byte order', Buffer.from(`\ufeff${goodFile}`, 'utf16le').swap16()],
    ['a binary file', Buffer.from('PK\u0003\u0004\u0000\u0000')],
    ['an empty file', Buffer.alloc(0)],
  ])('%s is refused immediately', async (_, csv) => {
    expect((await uploadCsv(await client, csv)).body).toMatchObject({
      ...{ status: 400, code: 'INVALID_INPUT', details: { field: 'file' } },
    })
  })

  test('a form without a file, or with another name, is refused', async () => {
    const platform = await client
    expect((await platform.post(PATH, { file: goodFile })).body).toMatchObject({
      status: 400,
      details: { field: 'file' },
    })
    const withPath = await upload(platform, PATH, {}, Buffer.from(goodFile), { fileName: '../customers.csv' })
    expect(withPath.body).toMatchObject({ status: 400, details: { field: 'file' } })
    const extraField = await upload(platform, PATH, { more: '1' }, Buffer.from(goodFile), {
      fileName: 'c.csv',
    })
    expect(extraField.body).toMatchObject({ status: 400, details: { field: 'more' } })
  })
})
