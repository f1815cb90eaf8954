import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { newPlatform } from '../../worlds/client.testing.ts'
import { world } from '../../worlds/world.testing.ts'

test('the audit trail has an update with its caller and the changed fields, but no refused request and no read', async () => {
  const client = await newPlatform()
  const update = await client.send(
    'PATCH',
    '/config',
    { umaDomain: 'trail.example' },
    { 'X-Request-Id': 'trail-1' },
  )
  expect(update.status).toBe(200)
  expect((await client.send('PATCH', '/config', { umaDomain: 7 })).status).toBe(400)
  expect((await client.get('/config')).status).toBe(200)
  const { body } = await client.get('/audit-events?operation=config_update')
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({
    actor: { type: 'TOKEN', id: client.credentials.tokenId },
    operation: 'config_update',
    httpRequestId: update.headers.get('X-Request-Id'),
    after: { umaDomain: 'trail.example' },
  })
  expect(Object.keys(body.data[0].before)).toEqual(['umaDomain'])
  expect(body.data[0].actor.name).toBeTypeOf('string')
  expect((await client.get(`/audit-events/${body.data[0].id}`)).body).toEqual(body.data[0])
  expect((await (await newPlatform()).get(`/audit-events/${body.data[0].id}`)).status).toBe(404)
})

test("audited changes are found by their request's id, and a caller cannot reuse another request's id", async () => {
  const client = await newPlatform()
  const searchTrail = (query: string) => client.get(`/audit-events?${query}`)
  await client.send('POST', '/sandbox/clock/advance', { seconds: 86_400 })
  const update = await client.send('PATCH', '/config', { umaDomain: 'first.example' })
  const httpRequestId = update.headers.get('X-Request-Id')
  const headers = { 'X-Request-Id': httpRequestId! }
  const secondUpdate = await client.send('PATCH', '/config', { umaDomain: 'second.example' }, headers)
  expect(secondUpdate.headers.get('X-Request-Id')).not.toBe(httpRequestId)
  const searchReply = await searchTrail(`httpRequestId=${httpRequestId}`)
  expect(searchReply.body.data).toMatchObject([{ httpRequestId, after: { umaDomain: 'first.example' } }])
  const refusal = await searchTrail('httpRequestId=trail-2')
  expect([refusal.status, refusal.body.details]).toMatchObject([400, { field: 'startDate' }])
  const { at } = searchReply.body.data[0]
  const loggedRequests = (await client.get(`/requests?callerRequestId=${httpRequestId}`)).body.data
  expect(loggedRequests).toMatchObject([
    { httpRequestId: secondUpdate.headers.get('X-Request-Id'), callerRequestId: httpRequestId },
  ])
  expect((await searchTrail(`httpRequestId=${httpRequestId}&endDate=${at}`)).body.data).toEqual([])
  expect((await (await newPlatform()).get(`/audit-events?httpRequestId=${httpRequestId}`)).body.data).toEqual(
    [],
  )
})

test('an audit entry can be neither changed nor removed', async () => {
  const host = await world('sandbox+quiet')
  await createPlatform(host.app, 'Audited')
  for (const statement of [
    'DELETE FROM audit_events',
    'UPDATE audit_events SET address = NULL',
    'TRUNCATE audit_events',
  ])
    await expect(host.app.db.query(statement)).rejects.toThrow('neither changed nor removed')
})

test('a logged request is found by the X-Request-Id of its response, with both bodies and masked secrets', async () => {
  const client = await newPlatform()
  const update = await client.send(
    'POST',
    '/tokens',
    { name: 'Logged', permissions: ['VIEW'] },
    { 'X-Request-Id': 'log-1' },
  )
  expect(update.status).toBe(201)
  const httpRequestId = update.headers.get('X-Request-Id')
  const { body } = await client.get(`/requests/${httpRequestId}`)
  expect(body).toMatchObject({
    ...{ method: 'POST', path: '/tokens', status: 201, operation: 'token_create' },
    callerRequestId: 'log-1',
  })
  expect(JSON.parse(body.requestBody)).toEqual({ name: 'Logged', permissions: ['VIEW'] })
  expect(JSON.parse(body.responseBody)).toEqual({ ...update.body, clientSecret: '***' })
  const requestList = (await client.get('/requests?path=/tokens&statusClass=2xx')).body
  expect(requestList.data).toHaveLength(1)
  expect(requestList.dropped).toBe(0)
  expect((await client.get('/requests/log-1')).status).toBe(404)
  expect((await (await newPlatform()).get(`/requests/${httpRequestId}`)).status).toBe(404)
})
