import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { receiveFile } from '../../../src/kernel/files/receive.ts'
import { openSpool } from '../../../src/kernel/files/spool.ts'
import {
  abandonFile,
  openStoredFile,
  removeFile,
  stage,
  storeFile,
} from '../../../src/kernel/files/stored-files.ts'
import type { App } from '../../../src/kernel/operation/app.ts'
import { makeDocument } from '../../../src/people/documents/documents.ts'
import { buildPng, type Client, newCustomer } from '../../worlds/client.testing.ts'
import { beginUpload, encodeForm, outcomeOf, upload } from '../../worlds/records/onboarding.testing.ts'
import { buildUnknownId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let server: SharedServer
let app: App
let client: Client
let customer: string
beforeAll(async () => {
  server = await world('sandbox')
  app = server.app
  client = await newClient()
  customer = (await newCustomer(client)).id
})

async function newClient(): Promise<Client> {
  return server.newPlatform()
}

const buildFields = () => ({ documentHolder: customer, documentType: 'PASSPORT', country: 'DE' })
const getFilesFolder = () => join(app.config.dataDir, 'files')
const listStored = () => readdirSync(getFilesFolder())
const listSpooled = () => readdirSync(app.spool.folder)
const listRows = () => app.read.selectFrom('stored_files').select(['id', 'state']).orderBy('id').execute()

async function newDocument(file: Uint8Array = buildPng(), fileName = 'passport.png') {
  const { status, body } = await upload(client, '/documents', buildFields(), file, { fileName })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

const findFileId = async (id: string) =>
  (await app.read.selectFrom('documents').select('file_id').where('id', '=', id).executeTakeFirstOrThrow())
    .file_id
const toFileName = (fileId: string) => fileId.slice('File:'.length)
const readByLink = async (id: string) => fetch((await client.post(`/documents/${id}/link`)).body.url)

describe('a stored file', () => {
  test('is sealed at rest, and cannot be read after it was changed', async () => {
    const plain = buildPng(300_000, 0x42)
    const [id, otherId] = [await newDocument(plain), await newDocument(buildPng(300_000, 0x43))]
    const [path, otherPath] = await Promise.all(
      [id, otherId].map(async (id) => join(getFilesFolder(), toFileName(await findFileId(id)))),
    )
    const sealed = readFileSync(path!)
    expect(sealed.includes(plain.subarray(16, 48))).toBe(false)
    expect(Buffer.from(await (await readByLink(id)).arrayBuffer()).equals(plain)).toBe(true)
    const damagedFiles = [readFileSync(otherPath!), sealed.subarray(0, 65_552), sealed.subarray(0, -1)]
    for (const bytes of damagedFiles) {
      writeFileSync(path!, bytes)
      expect(await outcomeOf(readByLink(id))).not.toBe(200)
    }
    writeFileSync(path!, sealed)
    expect(await outcomeOf(readByLink(id))).toBe(200)
  })

  test('is removed with its document: its key immediately, its bytes by a job', async () => {
    const id = await newDocument()
    const fileId = await findFileId(id)
    expect(listStored()).toContain(toFileName(fileId))
    await upload(client, `/documents/${id}`, { documentType: 'PASSPORT', country: 'DE' }, buildPng(), {
      method: 'PUT',
    })
    await client.advance(0)
    expect(listStored()).not.toContain(toFileName(fileId))
    const second = await findFileId(id)
    expect(listStored()).toContain(toFileName(second))
    await client.send('DELETE', `/documents/${id}`)
    await client.advance(0)
    expect(listStored()).not.toContain(toFileName(second))
    const { sealed_key } = await app.read
      .selectFrom('stored_files')
      .select('sealed_key')
      .where('id', '=', second)
      .executeTakeFirstOrThrow()
    expect(sealed_key).toBeNull()
  })

  test('without a reference is removed an hour after a crash, unlike a referenced one', async () => {
    const op = await server.newOp()
    const stageFile = async () => {
      const { file, spooled } = await receiveFile(
        app,
        { name: 'a', declaredType: 'a' },
        Readable.from([Buffer.from('abc')]),
      )
      expect((await app.commit(op, stage(op, file))).done).toBe(true)
      await app.fileStore.put(file.id, spooled)
      // A repeated call changes nothing.
      await app.fileStore.put(file.id, spooled)
      return file
    }
    const [unreferenced, referenced] = [await stageFile(), await stageFile()]
    expect((await app.commit(op, [storeFile(op, referenced)])).done).toBe(true)
    expect(await abandonFile(op, referenced.id)).toEqual([])
    await op.advanceClock(new Date(op.now.getTime() + 59 * 60_000))
    expect(listStored()).toEqual(
      expect.arrayContaining([toFileName(unreferenced.id), toFileName(referenced.id)]),
    )
    await op.advanceClock(new Date(op.now.getTime() + 3 * 3600_000))
    expect(listStored()).not.toContain(toFileName(unreferenced.id))
    expect(listStored()).toContain(toFileName(referenced.id))
    expect((await app.commit(op, [storeFile(op, unreferenced)])).done).toBe(false)
    expect(await openStoredFile(op, unreferenced.id)).toBeUndefined()
    expect(await text((await openStoredFile(op, referenced.id))!)).toBe('abc')
    expect((await app.commit(op, await removeFile(op, referenced.id))).done).toBe(true)
    expect(await removeFile(op, referenced.id)).toEqual([])
    await app.fileStore.remove(referenced.id)
    await app.fileStore.remove(referenced.id)
  })

  test('is removed when its platform is reset', async () => {
    const otherClient = await newClient()
    const holder = (await newCustomer(otherClient)).id
    const { body } = await upload(otherClient, '/documents', { ...buildFields(), documentHolder: holder })
    const name = toFileName(await findFileId(body.id))
    expect(listStored()).toContain(name)
    expect((await otherClient.post('/sandbox/reset')).status).toBe(200)
    await otherClient.advance(0)
    expect(listStored()).not.toContain(name)
  })
})

describe('an upload leaves no row, no spooled and no stored file', () => {
  const expectNothingLeft = async (attempt: () => Promise<void>) => {
    const before = [listStored(), await listRows()]
    await attempt()
    await expect.poll(listSpooled).toEqual([])
    expect([listStored(), await listRows()]).toEqual(before)
  }

  test('if it is refused', () =>
    expectNothingLeft(async () => {
      expect((await upload(client, '/documents', { ...buildFields(), country: 'x' })).status).toBe(400)
      const missing = { ...buildFields(), documentHolder: buildUnknownId('Customer') }
      expect((await upload(client, '/documents', missing)).status).toBe(404)
      expect((await upload(client, '/documents', buildFields(), buildPng(11 * 1024 * 1024))).status).toBe(413)
      expect(
        (await upload(client, '/documents', buildFields(), buildPng(), { fileName: 'a-204.png' })).body.code,
      ).toBe('SUSPECTED_FRAUD')
    }))

  const buildForm = () =>
    encodeForm([
      ...Object.entries(buildFields()).map(([name, value]) => ({ name, value })),
      { name: 'file', fileName: 'a.png', value: buildPng(200_000) },
    ])

  test('if it is interrupted', () =>
    expectNothingLeft(async () => {
      const bytes = buildForm()
      const socket = beginUpload(client, bytes.length, bytes.subarray(0, 150_000))
      await expect.poll(listSpooled).toHaveLength(1)
      socket.destroy()
    }))
})

test('fifty parallel uploads create fifty documents', async () => {
  const otherClient = await newClient()
  const holder = (await newCustomer(otherClient)).id
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      upload(
        otherClient,
        '/documents',
        { ...buildFields(), documentHolder: holder },
        buildPng(100_000, index),
      ),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201))
  const { body } = await otherClient.get('/documents?limit=100')
  expect(new Set(body.data.map(({ id }: { id: string }) => id))).toEqual(
    new Set(replies.map(({ body }) => body.id)),
  )
  expect(listSpooled()).toEqual([])
})

test('fifty uploads with the same idempotency key create one document and one file', async () => {
  const otherClient = await newClient()
  const holder = (await newCustomer(otherClient)).id
  const before = listStored().length
  const sendUpload = (file: Uint8Array) =>
    upload(otherClient, '/documents', { ...buildFields(), documentHolder: holder }, file, {
      headers: { 'Idempotency-Key': 'once' },
    })
  const replies = await Promise.all(Array.from({ length: 50 }, () => sendUpload(buildPng(3_000))))
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  expect((await sendUpload(buildPng(3_001))).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  await otherClient.advance(0)
  expect((await otherClient.get('/documents')).body.data).toHaveLength(1)
  await expect.poll(() => listStored().length).toBe(before + 1)
})

test('spooled files of a dead process are removed, but those of a running one stay', async () => {
  const spools = join(app.config.dataDir, 'spool')
  const dead = join(spools, 'dead')
  mkdirSync(dead)
  writeFileSync(join(dead, 'half'), 'x')
  const holder = {
    pid: 999_999_99,
    started: '1',
    machine: JSON.parse(readFileSync(`${app.spool.folder}.lock`, 'utf8')).machine,
    token: 'dead-1',
  }
  writeFileSync(`${dead}.lock`, JSON.stringify(holder))
  const spool = await openSpool(app.config.dataDir, 'next')
  expect(readdirSync(spools).sort()).toEqual(
    [app.spool.folder, spool.folder]
      .flatMap((folder) => [folder.slice(spools.length + 1), `${folder.slice(spools.length + 1)}.lock`])
      .sort(),
  )
  await spool.close()
  expect(readdirSync(spools)).toHaveLength(2)
})

test('in production no file name has a special outcome', async () => {
  const op = await server.newOp()
  const [holder] = await app.read.selectFrom('customers').selectAll().where('id', '=', customer).execute()
  const png = Readable.from([buildPng()])
  const { file } = await receiveFile(app, { name: 'passport-201.png', declaredType: '' }, png)
  const documentFields = { documentHolder: customer, documentType: 'PASSPORT', country: 'DE' } as const
  const createDocument = (mode: 'production' | 'sandbox') =>
    makeDocument({ ...op, mode }, { id: holder!.id, customer: holder! }, documentFields, file)
  expect(createDocument('production').content_type).toBe('image/png')
  expect(() => createDocument('sandbox')).toThrow('not legible enough')
})
