import { expect, test } from 'vitest'
import { Countersign } from '../src/countersign.ts'
import { makePlatform } from './platform.testing.ts'

const PDF = '%PDF-1.7\n%%EOF\n'

test('a typed call uploads a file, replaces it and deletes it', async () => {
  const countersign = new Countersign(await makePlatform())
  const { body: customer } = await countersign.call('customer_create', {
    body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  })
  const about = { documentType: 'PASSPORT', country: 'GB' } as const
  const { body: created } = await countersign.call('document_create', {
    body: {
      ...about,
      documentHolder: customer.id,
      documentNumber: '123456789',
      file: new File([PDF], 'Ausweis – neu.pdf'),
    },
  })
  expect(created).toMatchObject({ fileName: 'Ausweis – neu.pdf', documentNumber: '*****6789' })
  const params = { documentId: created.id }
  const { body: replaced } = await countersign.call('document_replace', {
    params,
    body: { ...about, file: new Blob([PDF]), fileName: 'b.pdf' },
  })
  expect(replaced.fileName).toBe('b.pdf')
  expect((await countersign.call('document_delete', { params })).status).toBe(204)
  await expect(countersign.call('document_get', { params })).rejects.toMatchObject({
    code: 'DOCUMENT_NOT_FOUND',
  })
  await expect(
    countersign.call('document_create', {
      body: { ...about, documentHolder: customer.id, file: new Blob([PDF]) },
    }),
  ).rejects.toThrow(TypeError)
})
