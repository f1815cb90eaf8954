import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { newPlatform } from '../../worlds/client.testing.ts'
import { world } from '../../worlds/world.testing.ts'

test('the trail has an update with its caller and the differences, but no refused call and no read', async () => {
  const client = await newPlatform()
  const changed = await client.send(
    'PATCH',
    '/config',
    { umaDomain: 'trail.example' },
    { 'X-Request-Id': 'trail-1' },
  )
  expect(changed.status).toBe(200)
  expect((await client.send('PATCH', '/config', { umaDomain: 7 })).status).toBe(400)
  expect((await client.get('/config')).status).toBe(200)
  const { body } = await client.get('/audit-events?operation=config_update')
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({
    actor: { type: 'TOKEN', id: client.credentials.tokenId },
    operation: 'config_update',
    httpRequestId: changed.headers.get('X-Request-Id'),
    after: { umaDomain: 'trail.example' },
  })
  expect(Object.keys(body.data[0].before)).toEqual(['umaDomain'])
  expect(body.data[0].actor.name).toBeTypeOf('string')
  expect((await client.get(`/audit-events/${body.data[0].id}`)).body).toEqual(body.data[0])
  expect((await (await newPlatform()).get(`/audit-events/${body.data[0].id}`)).status).toBe(404)
})

test("the changes of a request are found by its id, and a caller cannot reuse another request's id", async () => {
  const client = await newPlatform()
  const search = (query: string) => client.get(`/audit-events?${query}`)
  await client.send('POST', '/sandbox/clock/advance', { seconds: 86_400 })
  const made = await client.send('PATCH', '/config', { umaDomain: 'first.example' })
  const httpRequestId = made.headers.get('X-Request-Id')
  const headers = { 'X-Request-Id': httpRequestId! }
  const again = await client.send('PATCH', '/config', { umaDomain: 'second.example' }, headers)
  expect(again.headers.get('X-Request-Id')).not.toBe(httpRequestId)
  const found = await search(`httpRequestId=${httpRequestId}`)
  expect(found.body.data).toMatchObject([{ httpRequestId, after: { umaDomain: 'first.example' } }])
  const refused = await search('httpRequestId=trail-2')
  expect([refused.status, refused.body.details]).toMatchObject([400, { field: 'startDate' }])
  const { at } = found.body.data[0]
  const logged = (await client.get(`/requests?callerRequestId=${httpRequestId}`)).body.data
  expect(logged).toMatchObject([
    { httpRequestId: again.headers.get('X-Request-Id'), callerRequestId: httpRequestId },
  ])
  expect((await search(`httpRequestId=${httpRequestId}&endDate=${at}`)).body.data).toEqual([])
  expect((await (await newPlatform()).get(`/audit-events?httpRequestId=${httpRequestId}`)).body.data).toEqual(
    [],
  )
})

test('an entry of the trail can be neither changed nor removed', async () => {
  const host = await world('sandbox+quiet')
  await createPlatform(host.app, 'Audited')
  for (const statement of [
    'DELETE FROM audit_events',
    'UPDATE audit_events SET address = NULL',
    'TRUNCATE audit_events',
  ])
    await expect(host.app.db.query(statement)).rejects.toThrow('neither changed nor removed')
})

test('a request is found by its httpRequestId, which is the X-Request-Id of its response, with both bodies, and its secrets are masked', async () => {
  const client = await newPlatform()
  const made = await client.send(
    'POST',
    '/tokens',
    { name: 'Logged', permissions: ['VIEW'] },
    { 'X-Request-Id': 'log-1' },
  )
  expect(made.status).toBe(201)
  const httpRequestId = made.headers.get('X-Request-Id')
  const { body } = await client.get(`/requests/${httpRequestId}`)
  expect(body).toMatchObject({
    ...{ method: 'POST', path: '/tokens', status: 201, operation: 'token_create' },
    callerRequestId: 'log-1',
  })
  expect(JSON.parse(body.requestBody)).toEqual({ name: 'Logged', permissions: ['VIEW'] })
  expect(JSON.parse(body.responseBody)).toEqual({ ...made.body, clientSecret: '***' })
  const listed = (await client.get('/requests?path=/tokens&statusClass=2xx')).body
  expect(listed.data).toHaveLength(1)
  expect(listed.dropped).toBe(0)
  expect((await client.get('/requests/log-1')).status).toBe(404)
  expect((await (await newPlatform()).get(`/requests/${httpRequestId}`)).status).toBe(404)
})
