import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { buildPng, type Client, newCustomer } from '../../worlds/client.testing.ts'
import { beginUpload, encodeForm, FORM_TYPE } from '../../worlds/records/onboarding.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

/** The maximum duration of a request, and of a pause in an upload. */
const REQUEST_MS_MAX = timeLimit(1000)
const PIECES = 12
const PAUSE_MS = REQUEST_MS_MAX / 10

let server: TestServer
let client: Client
let customer: string
beforeAll(async () => {
  server = await openServer({}, { requestMsMax: REQUEST_MS_MAX })
  client = await server.newPlatform()
  customer = (await newCustomer(client)).id
})
afterAll(() => server.close())

const buildForm = () =>
  encodeForm([
    ...Object.entries({ documentHolder: customer, documentType: 'PASSPORT', country: 'DE' }).map(
      ([name, value]) => ({ name, value }),
    ),
    { name: 'file', fileName: 'a.png', value: buildPng(200_000) },
  ])

/** The stored files of this server, and their rows. */
const listStored = async () => [
  readdirSync(join(server.app.config.dataDir, 'files')),
  await server.app.read.selectFrom('stored_files').select(['id', 'state']).orderBy('id').execute(),
]

test('an upload that stalls gets 408, and leaves no row, no spooled and no stored file', async () => {
  const before = await listStored()
  const bytes = buildForm()
  const socket = beginUpload(client, bytes.length, bytes.subarray(0, 150_000))
  const [response] = await once(socket, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s)
  socket.destroy()
  await expect.poll(() => readdirSync(server.app.spool.folder)).toEqual([])
  expect(await listStored()).toEqual(before)
})

test('an upload may take longer than other requests while data keeps arriving', async () => {
  const bytes = buildForm()
  const pieces = Array.from({ length: PIECES }, (_, index) =>
    bytes.subarray((index * bytes.length) / PIECES, ((index + 1) * bytes.length) / PIECES),
  )
  const startedMs = performance.now()
  const response = await fetch(`${client.baseUrl}/documents`, {
    method: 'POST',
    headers: { Authorization: client.authorization, 'Content-Type': FORM_TYPE },
    duplex: 'half',
    body: Readable.toWeb(
      Readable.from(
        (async function* () {
          for (const piece of pieces) {
            yield piece
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
          }
        })(),
      ),
    ),
  } as RequestInit)
  expect(response.status).toBe(201)
  expect(performance.now() - startedMs).toBeGreaterThan(REQUEST_MS_MAX)
})
