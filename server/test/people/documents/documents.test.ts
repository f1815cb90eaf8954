import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform, pngOf } from '../../worlds/client.testing.ts'
import { formOf, JPEG, type Part, PDF, sendForm, upload } from '../../worlds/records/onboarding.testing.ts'
import { noId } from '../../worlds/records/payments.testing.ts'

let client: Client
let customer: string
beforeAll(async () => {
  client = await newPlatform()
  customer = (await newCustomer(client)).id
})

const fieldsOf = (holder = customer) => ({ documentHolder: holder, documentType: 'PASSPORT', country: 'DE' })

const newDocument = async (file?: Uint8Array, fileName?: string) => {
  const reply = await upload(client, '/documents', fieldsOf(), file, fileName ? { fileName } : {})
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

test('a document is uploaded, shown, replaced and deleted, and its file is read by a link only', async () => {
  const file = pngOf(200_000)
  const created = await upload(
    client,
    '/documents',
    { ...fieldsOf(), side: 'FRONT', documentNumber: 'L01X00T47', issuingAuthority: 'Stadt Köln' },
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
  const read = await fetch(link.body.url)
  expect(read.status).toBe(200)
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true)
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

const filePart = (value: Uint8Array = pngOf(), fileName = 'a.png'): Part => ({
  name: 'file',
  fileName,
  value,
})
const fieldParts = (): Part[] => Object.entries(fieldsOf()).map(([name, value]) => ({ name, value }))

test('fields may come after the file', async () => {
  const reply = await sendForm(client, 'POST', '/documents', formOf([filePart(), ...fieldParts()]))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
})

describe('a form is refused that', () => {
  const CASES: readonly (readonly [what: string, field: string, parts: () => Part[]])[] = [
    ['has no file', 'file', fieldParts],
    ['has two files', 'file', () => [...fieldParts(), filePart(), filePart(PDF, 'b.pdf')]],
    [
      'has its file under another name',
      'document',
      () => [...fieldParts(), { ...filePart(), name: 'document' }],
    ],
    ['has text for a file', 'file', () => [...fieldParts(), { name: 'file', value: 'abc' }]],
    ['has an unknown field', 'colour', () => [...fieldParts(), { name: 'colour', value: 'red' }, filePart()]],
    [
      'has an unknown field after the file',
      'colour',
      () => [...fieldParts(), filePart(), { name: 'colour', value: 'red' }],
    ],
    [
      'lacks a field',
      'documentType',
      () => [...fieldParts().filter(({ name }) => name !== 'documentType'), filePart()],
    ],
    ['has a field twice', 'country', () => [...fieldParts(), { name: 'country', value: 'FR' }, filePart()]],
    [
      'has a wrong value',
      'country',
      () => [
        ...fieldParts().filter(({ name }) => name !== 'country'),
        { name: 'country', value: 'Germany' },
        filePart(),
      ],
    ],
    [
      'has a field that is too long',
      'issuingAuthority',
      () => [...fieldParts(), { name: 'issuingAuthority', value: 'x'.repeat(9000) }, filePart()],
    ],
    [
      'has text that is not UTF-8',
      'issuingAuthority',
      () => [
        ...fieldParts(),
        { name: 'issuingAuthority', value: Buffer.from([0x4b, 0xf6, 0x6c, 0x6e]) },
        filePart(),
      ],
    ],
    ['has a part without a name', 'body', () => [...fieldParts(), { value: 'x' }, filePart()]],
    ['names a prototype', 'body', () => [...fieldParts(), { name: '__proto__', value: 'x' }, filePart()]],
    [
      'has too many fields',
      'body',
      () => [
        ...fieldParts(),
        ...Array.from({ length: 60 }, (_, i) => ({ name: `f${i}`, value: 'x' })),
        filePart(),
      ],
    ],
    ['has a PNG that is none', 'file', () => [...fieldParts(), filePart(Buffer.from('no picture at all'))]],
    ['has a PNG without its end', 'file', () => [...fieldParts(), filePart(pngOf().subarray(0, -4))]],
    ['has an empty file', 'file', () => [...fieldParts(), filePart(Buffer.alloc(0))]],
    [
      'has a file name with a path',
      'file',
      () => [...fieldParts(), filePart(pngOf(), '../../etc/passwd.png')],
    ],
    [
      'has a file name with a path of Windows',
      'file',
      () => [...fieldParts(), filePart(pngOf(), 'C:\\fakepath\\a.png')],
    ],
    [
      'has a file name with a control character',
      'file',
      () => [...fieldParts(), filePart(pngOf(), 'a\u0007.png')],
    ],
    [
      'has a file name that turns its direction',
      'file',
      () => [...fieldParts(), filePart(pngOf(), 'a\u202egnp.exe')],
    ],
  ]
  test.each(CASES)('%s', async (_, field, parts) => {
    const reply = await sendForm(client, 'POST', '/documents', formOf(parts()))
    expect(reply.status, JSON.stringify(reply.body)).toBe(400)
    expect(reply.body.code).toBe('INVALID_INPUT')
    expect(reply.body.details.field).toBe(field)
  })

  test('is cut off', async () => {
    const form = formOf([...fieldParts(), filePart()])
    for (const cut of [form.subarray(0, -20), form.subarray(0, 300), form.subarray(0, 10)]) {
      const reply = await sendForm(client, 'POST', '/documents', cut)
      expect(reply.status, JSON.stringify(reply.body)).toBe(400)
    }
  })

  test('is larger than allowed, whether its length is given or not', async () => {
    const large = formOf([...fieldParts(), filePart(pngOf(10 * 1024 * 1024 + 1))])
    const reply = await sendForm(client, 'POST', '/documents', large)
    expect(reply.status).toBe(413)
    expect(reply.body.code).toBe('PAYLOAD_TOO_LARGE')
    const huge = formOf([...fieldParts(), filePart(pngOf(11 * 1024 * 1024))])
    expect((await sendForm(client, 'POST', '/documents', huge)).status).toBe(413)
  })

  test('is of another type', async () => {
    const reply = await client.post('/documents', '[]')
    expect([reply.status, reply.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    const zipped = await sendForm(client, 'POST', '/documents', formOf([...fieldParts(), filePart()]), {
      'Content-Encoding': 'gzip',
    })
    expect(zipped.status).toBe(415)
  })
})

test('files of the three types are accepted, up to the maximum size', async () => {
  await newDocument(PDF, 'a.pdf')
  await newDocument(JPEG, 'a.jpg')
  await newDocument(pngOf(10 * 1024 * 1024))
})

test('the sandbox refuses a file by the end of its name, when it is replaced too', async () => {
  const { id } = await newDocument()
  for (const { values } of (await client.get('/sandbox/magic-values')).body.data.filter(
    ({ family }: { family: string }) => family === 'DOCUMENT',
  ))
    for (const { suffix, outcome } of values) {
      const fileName = `passport${suffix}.png`
      const refused = await upload(client, '/documents', fieldsOf(), pngOf(), { fileName })
      expect(`${refused.status} ${refused.body.code}`).toBe(outcome)
      expect(refused.body.details.field).toBe('file')
      const { documentHolder, ...fields } = fieldsOf()
      const again = await upload(client, `/documents/${id}`, fields, pngOf(), { fileName, method: 'PUT' })
      expect(`${again.status} ${again.body.code}`).toBe(outcome)
    }
  expect((await client.get(`/documents/${id}`)).body.fileName).toBe('passport.png')
})

test('a zip bomb is a file like any other: nothing inflates it', async () => {
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
    formOf([...fieldParts(), { ...filePart(bomb), headers }]),
  )
  expect([reply.status, reply.body.details.field]).toEqual([400, 'file'])
})

test('the list of a holder has its own documents, and no deleted ones', async () => {
  const holder = (await newCustomer(client)).id
  const ids = []
  for (const fileName of ['a.png', 'b.png', 'c.png'])
    ids.push((await upload(client, '/documents', fieldsOf(holder), pngOf(), { fileName })).body.id)
  await client.send('DELETE', `/documents/${ids[1]}`)
  const { body } = await client.get(`/documents?documentHolder=${holder}`)
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[0]])
  expect(body.totalCount).toBe(2)
})

test('a holder of another platform, a missing one and a deleted one are refused', async () => {
  const other = await newPlatform()
  const theirs = (await newCustomer(other)).id
  const missing = noId('Customer')
  const replies = [
    await upload(client, '/documents', fieldsOf(theirs)),
    await upload(client, '/documents', fieldsOf(missing)),
  ]
  for (const { status, body } of replies)
    expect([status, body.code, body.details.field]).toEqual([404, 'USER_NOT_FOUND', 'documentHolder'])
  const deleted = (await newCustomer(client)).id
  await client.send('DELETE', `/customers/${deleted}`)
  expect((await upload(client, '/documents', fieldsOf(deleted))).body.code).toBe('CUSTOMER_DELETED')
  expect((await upload(other, '/documents', fieldsOf(customer))).body.code).toBe('USER_NOT_FOUND')
})

test('of a document that is replaced and deleted by many in parallel, each call does all or nothing', async () => {
  const { id } = await newDocument()
  const { documentHolder, ...fields } = fieldsOf()
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) =>
      upload(client, `/documents/${id}`, fields, pngOf(3_000 + n), { method: 'PUT' }),
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
  const own = await newPlatform()
  const holder = (await newCustomer(own)).id
  const { id } = (await upload(own, '/documents', fieldsOf(holder))).body
  expect((await own.send('DELETE', `/customers/${holder}`)).status).toBe(200)
  await own.advance(1824 * 24 * 3600)
  expect((await own.get(`/documents/${id}`)).status).toBe(200)
  await own.advance(2 * 24 * 3600)
  expect((await own.get(`/documents/${id}`)).status).toBe(404)
})
