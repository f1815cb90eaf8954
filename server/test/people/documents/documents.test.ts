import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPng, type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import {
  encodeForm,
  JPEG,
  type Part,
  PDF,
  sendForm,
  splitIntoChunks,
  upload,
} from '../../worlds/records/onboarding.testing.ts'
import { buildUnknownId } from '../../worlds/records/payments.testing.ts'

let client: Client
let customer: string
beforeAll(async () => {
  client = await newPlatform()
  customer = (await newCustomer(client)).id
})

const buildFields = (holder = customer) => ({
  documentHolder: holder,
  documentType: 'PASSPORT',
  country: 'DE',
})

const newDocument = async (file?: Uint8Array, fileName?: string) => {
  const reply = await upload(client, '/documents', buildFields(), file, fileName ? { fileName } : {})
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

test('a document can be uploaded, read, replaced and deleted, and its file is readable only by a link', async () => {
  const file = buildPng(200_000)
  const created = await upload(
    client,
    '/documents',
    { ...buildFields(), side: 'FRONT', documentNumber: 'L01X00T47', issuingAuthority: 'Stadt Köln' },
    file,
  )
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const { id } = created.body
  expect(created.body).toMatchObject({
    documentHolder: customer,
    documentType: 'PASSPORT',
    side: 'FRONT',
    country: 'DE',
    documentNumber: '*****0T47',
    issuingAuthority: 'Stadt Köln',
    fileName: 'passport.png',
  })
  expect((await client.get(`/documents/${id}`)).body).toEqual(created.body)
  const listed = await client.get(`/documents?documentHolder=${customer}`)
  expect(listed.body.data.map((one: { id: string }) => one.id)).toContain(id)
  const link = await client.post(`/documents/${id}/link`)
  expect(link.status).toBe(201)
  const download = await fetch(link.body.url)
  expect(download.status).toBe(200)
  expect(Buffer.from(await download.arrayBuffer()).equals(file)).toBe(true)
  const replaced = await upload(
    client,
    `/documents/${id}`,
    { documentType: 'NATIONAL_ID', country: 'FR' },
    PDF,
    {
      method: 'PUT',
      fileName: 'id.pdf',
    },
  )
  expect(replaced.status).toBe(200)
  expect(replaced.body).toEqual({
    id,
    documentHolder: customer,
    documentType: 'NATIONAL_ID',
    country: 'FR',
    fileName: 'id.pdf',
    createdAt: created.body.createdAt,
    updatedAt: replaced.body.updatedAt,
  })
  expect((await fetch(link.body.url)).status).toBe(404)
  expect((await client.send('DELETE', `/documents/${id}`)).status).toBe(204)
  expect((await client.get(`/documents/${id}`)).body.code).toBe('DOCUMENT_NOT_FOUND')
  expect((await client.send('DELETE', `/documents/${id}`)).status).toBe(404)
  await client.advance(0)
})

const buildFilePart = (value: Uint8Array = buildPng(), fileName = 'a.png'): Part => ({
  name: 'file',
  fileName,
  value,
})
const buildFieldParts = (): Part[] => Object.entries(buildFields()).map(([name, value]) => ({ name, value }))

test('the fields of a document form may follow the file', async () => {
  const reply = await sendForm(
    client,
    'POST',
    '/documents',
    encodeForm([buildFilePart(), ...buildFieldParts()]),
  )
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
})

describe('a document form is refused that', () => {
  const CASES: readonly (readonly [label: string, field: string, parts: () => Part[]])[] = [
    ['has no file', 'file', buildFieldParts],
    ['has two files', 'file', () => [...buildFieldParts(), buildFilePart(), buildFilePart(PDF, 'b.pdf')]],
    [
      'has its file under another name',
      'document',
      () => [...buildFieldParts(), { ...buildFilePart(), name: 'document' }],
    ],
    ['has a string instead of a file', 'file', () => [...buildFieldParts(), { name: 'file', value: 'abc' }]],
    [
      'has an unknown field',
      'colour',
      () => [...buildFieldParts(), { name: 'colour', value: 'red' }, buildFilePart()],
    ],
    [
      'has an unknown field after the file',
      'colour',
      () => [...buildFieldParts(), buildFilePart(), { name: 'colour', value: 'red' }],
    ],
    [
      'lacks a field',
      'documentType',
      () => [...buildFieldParts().filter(({ name }) => name !== 'documentType'), buildFilePart()],
    ],
    [
      'has a field twice',
      'country',
      () => [...buildFieldParts(), { name: 'country', value: 'FR' }, buildFilePart()],
    ],
    [
      'has a wrong value',
      'country',
      () => [
        ...buildFieldParts().filter(({ name }) => name !== 'country'),
        { name: 'country', value: 'Germany' },
        buildFilePart(),
      ],
    ],
    [
      'has a field that is too long',
      'issuingAuthority',
      () => [...buildFieldParts(), { name: 'issuingAuthority', value: 'x'.repeat(9000) }, buildFilePart()],
    ],
    [
      'has text that is not UTF-8',
      'issuingAuthority',
      () => [
        ...buildFieldParts(),
        { name: 'issuingAuthority', value: Buffer.from([0x4b, 0xf6, 0x6c, 0x6e]) },
        buildFilePart(),
      ],
    ],
    ['has a part without a name', 'body', () => [...buildFieldParts(), { value: 'x' }, buildFilePart()]],
    [
      'has a field named __proto__',
      'body',
      () => [...buildFieldParts(), { name: '__proto__', value: 'x' }, buildFilePart()],
    ],
    [
      'has too many fields',
      'body',
      () => [
        ...buildFieldParts(),
        ...Array.from({ length: 60 }, (_, i) => ({ name: `f${i}`, value: 'x' })),
        buildFilePart(),
      ],
    ],
    [
      'has a file that is not a PNG',
      'file',
      () => [...buildFieldParts(), buildFilePart(Buffer.from('no picture at all'))],
    ],
    ['has a truncated PNG', 'file', () => [...buildFieldParts(), buildFilePart(buildPng().subarray(0, -4))]],
    ['has an empty file', 'file', () => [...buildFieldParts(), buildFilePart(Buffer.alloc(0))]],
    [
      'has a file name with a path',
      'file',
      () => [...buildFieldParts(), buildFilePart(buildPng(), '../../etc/passwd.png')],
    ],
    [
      'has a file name with a Windows path',
      'file',
      () => [...buildFieldParts(), buildFilePart(buildPng(), 'C:\\fakepath\\a.png')],
    ],
    [
      'has a file name with a control character',
      'file',
      () => [...buildFieldParts(), buildFilePart(buildPng(), 'a\u0007.png')],
    ],
    [
      'has a file name that changes the text direction',
      'file',
      () => [...buildFieldParts(), buildFilePart(buildPng(), 'a\u202egnp.exe')],
    ],
  ]
  test.each(CASES)('%s', async (_, field, parts) => {
    const reply = await sendForm(client, 'POST', '/documents', encodeForm(parts()))
    expect(reply.status, JSON.stringify(reply.body)).toBe(400)
    expect(reply.body.code).toBe('INVALID_INPUT')
    expect(reply.body.details.field).toBe(field)
  })

  test('is cut off', async () => {
    const form = encodeForm([...buildFieldParts(), buildFilePart()])
    for (const truncated of [form.subarray(0, -20), form.subarray(0, 300), form.subarray(0, 10)]) {
      const reply = await sendForm(client, 'POST', '/documents', truncated)
      expect(reply.status, JSON.stringify(reply.body)).toBe(400)
      expect(reply.body.message).toMatch(/^The body is not valid multipart\/form-data\. It may be cut off, /)
    }
  })

  test('is larger than allowed', async () => {
    const large = encodeForm([...buildFieldParts(), buildFilePart(buildPng(10 * 1024 * 1024 + 1))])
    const reply = await sendForm(client, 'POST', '/documents', large)
    expect(reply.status).toBe(413)
    expect(reply.body.code).toBe('PAYLOAD_TOO_LARGE')
    const huge = encodeForm([...buildFieldParts(), buildFilePart(buildPng(11 * 1024 * 1024))])
    expect((await sendForm(client, 'POST', '/documents', huge)).status).toBe(413)
  })

  test('has another content type or encoding', async () => {
    const reply = await client.post('/documents', '[]')
    expect([reply.status, reply.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    const zipped = await sendForm(
      client,
      'POST',
      '/documents',
      encodeForm([...buildFieldParts(), buildFilePart()]),
      {
        'Content-Encoding': 'gzip',
      },
    )
    expect(zipped.status).toBe(415)
  })
})

test('PDF, JPEG and PNG files are accepted up to the maximum size', async () => {
  await newDocument(PDF, 'a.pdf')
  await newDocument(JPEG, 'a.jpg')
  await newDocument(buildPng(10 * 1024 * 1024))
})

describe('a document form without a stated length', () => {
  const sendChunked = (bytes: Uint8Array) =>
    sendForm(client, 'POST', '/documents', splitIntoChunks(bytes, 64 * 1024))

  test('is accepted if it is within the limit, and its file is stored unchanged', async () => {
    const file = buildPng(200_000)
    const created = await sendChunked(encodeForm([...buildFieldParts(), buildFilePart(file)]))
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const { url } = (await client.post(`/documents/${created.body.id}/link`)).body
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(file)).toBe(true)
  })

  test.each([10 * 1024 * 1024 + 1, 11 * 1024 * 1024])(
    'is refused if its file has %i bytes, and stores nothing',
    async (bytes) => {
      const holder = (await newCustomer(client)).id
      const fields = Object.entries(buildFields(holder)).map(([name, value]) => ({ name, value }))
      const reply = await sendChunked(encodeForm([...fields, buildFilePart(buildPng(bytes))]))
      expect([reply.status, reply.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
      expect((await client.get(`/documents?documentHolder=${holder}`)).body.data).toEqual([])
    },
  )
})

test('the sandbox refuses a file by the suffix of its name, also as a replacement', async () => {
  const { id } = await newDocument()
  for (const { values } of (await client.get('/sandbox/magic-values')).body.data.filter(
    ({ family }: { family: string }) => family === 'DOCUMENT',
  ))
    for (const { suffix, outcome } of values) {
      const fileName = `passport${suffix}.png`
      const refused = await upload(client, '/documents', buildFields(), buildPng(), { fileName })
      expect(`${refused.status} ${refused.body.code}`).toBe(outcome)
      expect(refused.body.details.field).toBe('file')
      const { documentHolder, ...fields } = buildFields()
      const replacement = await upload(client, `/documents/${id}`, fields, buildPng(), {
        fileName,
        method: 'PUT',
      })
      expect(`${replacement.status} ${replacement.body.code}`).toBe(outcome)
    }
  expect((await client.get(`/documents/${id}`)).body.fileName).toBe('passport.png')
})

test('a zip bomb is refused without being inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const headers = [
    'Content-Type: application/pdf',
    'Content-Encoding: gzip',
    'Content-Transfer-Encoding: gzip',
  ]
  const reply = await sendForm(
    client,
    'POST',
    '/documents',
    encodeForm([...buildFieldParts(), { ...buildFilePart(bomb), headers }]),
  )
  expect([reply.status, reply.body.details.field]).toEqual([400, 'file'])
})

test('the documents of a holder are listed without the deleted ones', async () => {
  const holder = (await newCustomer(client)).id
  const ids = []
  for (const fileName of ['a.png', 'b.png', 'c.png'])
    ids.push((await upload(client, '/documents', buildFields(holder), buildPng(), { fileName })).body.id)
  await client.send('DELETE', `/documents/${ids[1]}`)
  const { body } = await client.get(`/documents?documentHolder=${holder}`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[0]])
  expect(body.totalCount).toBe(2)
})

test('an upload is refused for a holder that is deleted, unknown or of another platform', async () => {
  const otherPlatform = await newPlatform()
  const foreignCustomer = (await newCustomer(otherPlatform)).id
  const missing = buildUnknownId('Customer')
  const replies = [
    await upload(client, '/documents', buildFields(foreignCustomer)),
    await upload(client, '/documents', buildFields(missing)),
  ]
  for (const { status, body } of replies)
    expect([status, body.code, body.details.field]).toEqual([404, 'USER_NOT_FOUND', 'documentHolder'])
  const deleted = (await newCustomer(client)).id
  await client.send('DELETE', `/customers/${deleted}`)
  expect((await upload(client, '/documents', buildFields(deleted))).body.code).toBe('CUSTOMER_DELETED')
  expect((await upload(otherPlatform, '/documents', buildFields(customer))).body.code).toBe('USER_NOT_FOUND')
})

test('each of many parallel calls that replace or delete a document does all or nothing', async () => {
  const { id } = await newDocument()
  const { documentHolder, ...fields } = buildFields()
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) =>
      upload(client, `/documents/${id}`, fields, buildPng(3_000 + n), { method: 'PUT' }),
    ),
    ...Array.from({ length: 3 }, () => client.send('DELETE', `/documents/${id}`)),
  ])
  expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
  expect(new Set(replies.map(({ status }) => status))).toEqual(
    new Set([200, 204, 404].filter((status) => replies.some((reply) => reply.status === status))),
  )
  expect((await client.get(`/documents/${id}`)).status).toBe(404)
})

test('the documents of a deleted customer are removed after the retention time', async () => {
  const platform = await newPlatform()
  const holder = (await newCustomer(platform)).id
  const { id } = (await upload(platform, '/documents', buildFields(holder))).body
  expect((await platform.send('DELETE', `/customers/${holder}`)).status).toBe(200)
  await platform.advance(1824 * 24 * 3600)
  expect((await platform.get(`/documents/${id}`)).status).toBe(200)
  await platform.advance(2 * 24 * 3600)
  expect((await platform.get(`/documents/${id}`)).status).toBe(404)
})
