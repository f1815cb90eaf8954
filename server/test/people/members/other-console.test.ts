import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPlatform } from '../../worlds/client.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let sandbox: TestServer
beforeAll(async () => {
  sandbox = await openServer({ OTHER_CONSOLE_URL: 'https://pay.example/' })
})
afterAll(() => sandbox.close())

test('a member can read the console address of the other deployment if the server knows it', async () => {
  const { browser } = await newMember(await sandbox.newPlatform(), ['VIEW'])
  expect((await browser.get('/members/me')).body.platform).toMatchObject({
    mode: 'SANDBOX',
    otherConsoleUrl: 'https://pay.example/console/',
  })
  const { browser: withoutOther } = await newMember(await newPlatform(), ['VIEW'])
  expect((await withoutOther.get('/members/me')).body.platform).not.toHaveProperty('otherConsoleUrl')
})

test.each(['pay.example', 'https://pay.example/console', 'javascript:alert(1)', 'https://user@pay.example'])(
  'a server does not start with %s as the address of its other deployment',
  async (address) => {
    await expect(openServer({ OTHER_CONSOLE_URL: address })).rejects.toThrow(/OTHER_CONSOLE_URL must be like/)
  },
)
