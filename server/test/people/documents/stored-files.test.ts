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
import { type Client, newCustomer, pngOf } from '../../worlds/client.testing.ts'
import { beginUpload, formOf, outcomeOf, upload } from '../../worlds/records/onboarding.testing.ts'
import { noId } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

/** A server of this file's own, whose files can be looked at. */
let opened: SharedServer
let app: App
let client: Client
let customer: string
beforeAll(async () => {
  opened = await world('sandbox')
  app = opened.app
  client = await newClient()
  customer = (await newCustomer(client)).id
})

async function newClient(): Promise<Client> {
  return opened.newPlatform()
}

const fields = () => ({ documentHolder: customer, documentType: 'PASSPORT', country: 'DE' })
const filesFolder = () => join(app.config.dataDir, 'files')
const stored = () => readdirSync(filesFolder())
const spooled = () => readdirSync(app.spool.folder)
const rows = () => app.read.selectFrom('stored_files').select(['id', 'state']).orderBy('id').execute()

async function newDocument(file: Uint8Array = pngOf(), fileName = 'passport.png') {
  const { status, body } = await upload(client, '/documents', fields(), file, { fileName })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

const fileIdOf = async (id: string) =>
  (await app.read.selectFrom('documents').select('file_id').where('id', '=', id).executeTakeFirstOrThrow())
    .file_id
const nameOf = (fileId: string) => fileId.slice('File:'.length)
const readByLink = async (id: string) => fetch((await client.post(`/documents/${id}/link`)).body.url)

describe('a stored file', () => {
  test('is sealed at rest, and opens only as it was stored', async () => {
    const plain = pngOf(300_000, 0x42)
    const [one, other] = [await newDocument(plain), await newDocument(pngOf(300_000, 0x43))]
    const [path, otherPath] = await Promise.all(
      [one, other].map(async (id) => join(filesFolder(), nameOf(await fileIdOf(id)))),
    )
    const sealed = readFileSync(path!)
    expect(sealed.includes(plain.subarray(16, 48))).toBe(false)
    expect(Buffer.from(await (await readByLink(one)).arrayBuffer()).equals(plain)).toBe(true)
    const CHANGED = [readFileSync(otherPath!), sealed.subarray(0, 65_552), sealed.subarray(0, -1)]
    for (const bytes of CHANGED) {
      writeFileSync(path!, bytes)
      expect(await outcomeOf(readByLink(one))).not.toBe(200)
    }
    writeFileSync(path!, sealed)
    expect(await outcomeOf(readByLink(one))).toBe(200)
  })

  test('is removed with its document: its key immediately, its bytes by a job', async () => {
    const id = await newDocument()
    const fileId = await fileIdOf(id)
    expect(stored()).toContain(nameOf(fileId))
    await upload(client, `/documents/${id}`, { documentType: 'PASSPORT', country: 'DE' }, pngOf(), {
      method: 'PUT',
    })
    await client.advance(0)
    expect(stored()).not.toContain(nameOf(fileId))
    const second = await fileIdOf(id)
    expect(stored()).toContain(nameOf(second))
    await client.send('DELETE', `/documents/${id}`)
    await client.advance(0)
    expect(stored()).not.toContain(nameOf(second))
    const { sealed_key } = await app.read
      .selectFrom('stored_files')
      .select('sealed_key')
      .where('id', '=', second)
      .executeTakeFirstOrThrow()
    expect(sealed_key).toBeNull()
  })

  test('without a reference is removed an hour after a crash, unlike a referenced one', async () => {
    const op = await opened.newOp()
    const staged = async () => {
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
    const [lost, kept] = [await staged(), await staged()]
    expect((await app.commit(op, [storeFile(op, kept)])).done).toBe(true)
    expect(await abandonFile(op, kept.id)).toEqual([])
    await op.advanceClock(new Date(op.now.getTime() + 59 * 60_000))
    expect(stored()).toEqual(expect.arrayContaining([nameOf(lost.id), nameOf(kept.id)]))
    await op.advanceClock(new Date(op.now.getTime() + 3 * 3600_000))
    expect(stored()).not.toContain(nameOf(lost.id))
    expect(stored()).toContain(nameOf(kept.id))
    expect((await app.commit(op, [storeFile(op, lost)])).done).toBe(false)
    expect(await openStoredFile(op, lost.id)).toBeUndefined()
    expect(await text((await openStoredFile(op, kept.id))!)).toBe('abc')
    expect((await app.commit(op, await removeFile(op, kept.id))).done).toBe(true)
    expect(await removeFile(op, kept.id)).toEqual([])
    await app.fileStore.remove(kept.id)
    await app.fileStore.remove(kept.id)
  })

  test('is removed when its platform is reset', async () => {
    const other = await newClient()
    const holder = (await newCustomer(other)).id
    const { body } = await upload(other, '/documents', { ...fields(), documentHolder: holder })
    const name = nameOf(await fileIdOf(body.id))
    expect(stored()).toContain(name)
    expect((await other.post('/sandbox/reset')).status).toBe(200)
    await other.advance(0)
    expect(stored()).not.toContain(name)
  })
})

describe('an upload that does not succeed leaves no row, no spooled and no stored file:', () => {
  const nothing = async (attempt: () => Promise<void>) => {
    const before = [stored(), await rows()]
    await attempt()
    await expect.poll(spooled).toEqual([])
    expect([stored(), await rows()]).toEqual(before)
  }

  test('one that is refused', () =>
    nothing(async () => {
      expect((await upload(client, '/documents', { ...fields(), country: 'x' })).status).toBe(400)
      const missing = { ...fields(), documentHolder: noId('Customer') }
      expect((await upload(client, '/documents', missing)).status).toBe(404)
      expect((await upload(client, '/documents', fields(), pngOf(11 * 1024 * 1024))).status).toBe(413)
      expect(
        (await upload(client, '/documents', fields(), pngOf(), { fileName: 'a-204.png' })).body.code,
      ).toBe('SUSPECTED_FRAUD')
    }))

  const form = () =>
    formOf([
      ...Object.entries(fields()).map(([name, value]) => ({ name, value })),
      { name: 'file', fileName: 'a.png', value: pngOf(200_000) },
    ])

  test('one that is broken off', () =>
    nothing(async () => {
      const bytes = form()
      const socket = beginUpload(client, bytes.length, bytes.subarray(0, 150_000))
      await expect.poll(spooled).toHaveLength(1)
      socket.destroy()
    }))
})

test('fifty uploads at the same time are fifty documents', async () => {
  const other = await newClient()
  const holder = (await newCustomer(other)).id
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      upload(other, '/documents', { ...fields(), documentHolder: holder }, pngOf(100_000, index)),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201))
  const { body } = await other.get('/documents?limit=100')
  expect(new Set(body.data.map(({ id }: { id: string }) => id))).toEqual(
    new Set(replies.map(({ body }) => body.id)),
  )
  expect(spooled()).toEqual([])
})

test('fifty uploads with one key are one document, and one file', async () => {
  const other = await newClient()
  const holder = (await newCustomer(other)).id
  const before = stored().length
  const send = (file: Uint8Array) =>
    upload(other, '/documents', { ...fields(), documentHolder: holder }, file, {
      headers: { 'Idempotency-Key': 'once' },
    })
  const replies = await Promise.all(Array.from({ length: 50 }, () => send(pngOf(3_000))))
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  expect((await send(pngOf(3_001))).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  await other.advance(0)
  expect((await other.get('/documents')).body.data).toHaveLength(1)
  await expect.poll(() => stored().length).toBe(before + 1)
})

test('spooled files of a dead process are removed, but not of a running one', async () => {
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

test('in production no name of a file is magic', async () => {
  const op = await opened.newOp()
  const [holder] = await app.read.selectFrom('customers').selectAll().where('id', '=', customer).execute()
  const png = Readable.from([pngOf()])
  const { file } = await receiveFile(app, { name: 'passport-201.png', declaredType: '' }, png)
  const about = { documentHolder: customer, documentType: 'PASSPORT', country: 'DE' } as const
  const make = (mode: 'production' | 'sandbox') =>
    makeDocument({ ...op, mode }, { id: holder!.id, customer: holder! }, about, file)
  expect(make('production').content_type).toBe('image/png')
  expect(() => make('sandbox')).toThrow('not legible enough')
})
