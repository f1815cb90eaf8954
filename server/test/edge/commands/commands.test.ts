import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { runAdmin, runCommand } from '../../../src/edge/commands/admin.ts'
import { PERSON, send } from '../../worlds/records/onboarding.testing.ts'
import { world } from '../../worlds/world.testing.ts'

test.each([
  [['platform', 'create', '--name', 'Acme'], {}],
  [['master-key', 'rotate'], { COUNTERSIGN_NEW_MASTER_KEY: '11'.repeat(32) }],
])("a command without the server's settings creates no database: %j", async (args, settings) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-commands-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  await expect(runAdmin(readConfig({ COUNTERSIGN_DATA_DIR: dataDir, ...settings }), args)).rejects.toThrow(
    `${dataDir} has no database. Run this command with the server's settings, such as DATABASE_URL, or start the server first.`,
  )
  expect(await readdir(dataDir)).toEqual([])
})

test('the operator decides verifications, and reopens rejected ones', async () => {
  const { app, baseUrl, newPlatform } = await world('sandbox')
  const client = await newPlatform()
  const runVerification = (...args: string[]): Promise<object> =>
    runCommand(app, ['verification', ...args], baseUrl)
  await send(client, 'PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } }, 200)
  const { id: customerId } = await send(client, 'POST', '/customers', PERSON, 201)
  const { id } = await send(client, 'POST', '/verifications', { customerId }, 200)
  const { platformId } = client.credentials
  expect(await runVerification('list')).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({
        id,
        customerId,
        verificationStatus: 'PENDING_MANUAL_REVIEW',
        platformId,
      }),
    ]),
  })
  const decideArgs = ['decide', '--verification', id, '--decision']
  await expect(runVerification(...decideArgs, 'REJECT')).rejects.toThrow('reason is required for REJECT')
  expect(await runVerification(...decideArgs, 'REJECT', '--reason', 'Person not found.')).toMatchObject({
    verificationStatus: 'REJECTED',
  })
  const reopenedVerification = await runVerification(
    'reopen',
    '--verification',
    id,
    '--reason',
    'There is one.',
  )
  expect(reopenedVerification).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW', errors: [] })
  const customer = await client.call('customer_get', { params: { customerId } })
  expect(customer).toMatchObject({ kycStatus: 'PENDING' })
  expect(await runVerification(...decideArgs, 'APPROVE')).toMatchObject({ verificationStatus: 'APPROVED' })
  const { data } = await client.call('verification_decision_list', { params: { verificationId: id } })
  expect(data.map(({ decision, decidedBy }) => [decision, decidedBy])).toEqual([
    ['APPROVE', { type: 'OPERATOR' }],
    ['REOPEN', { type: 'OPERATOR' }],
    ['REJECT', { type: 'OPERATOR' }],
  ])
})
