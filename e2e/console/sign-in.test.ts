import type { Countersign } from '@countersign/sdk'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { timeLimit } from '../../test/machine-speed.ts'
import { type ConsoleWorld, openConsole, openSignedIn } from '../browser.testing.ts'

describe('people sign in to the console', () => {
  let world: ConsoleWorld
  afterEach(async () => {
    await world?.browser.close()
  })

  test('with the sandbox link, which works once and is removed from the address', async () => {
    world = await openConsole()
    const { page, countersign, wrong } = world
    const { url } = await countersign.sandbox.consoleLink()
    await page.goto(url)
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    expect(page.url()).not.toContain('link=')
    await page.getByRole('button', { name: 'Signed in as Sandbox owner' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()

    await page.goto(url)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('heading', { name: 'Overview' }).count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('with an invitation, which creates a passkey, and then with the passkey', async () => {
    world = await openConsole()
    const { page, countersign, wrong } = world
    const { invitationUrl } = await countersign.members.invite({
      name: 'Grace Hopper',
      email: 'grace@example.com',
      permissions: ['VIEW'],
    })
    await page.goto(invitationUrl)
    await page.getByRole('button', { name: 'Create a passkey and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Signed in as Grace Hopper' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor()
    expect(wrong).toEqual([])
  })

  test('again after a session ends while a page is open, without losing what they typed', async () => {
    world = await openSignedIn()
    const { page, countersign, wrong, go } = world
    const { data: members } = await countersign.members.list({})
    const { email } = members[0]!
    await go('/customers')
    const field = page.getByLabel('Name, e-mail, phone or reference')
    await field.fill('Ada')
    for (const { id } of (await countersign.memberSessions.list({ memberId: members[0]!.id })).data)
      await countersign.memberSessions.delete(id)
    await field.fill('Ada Love')
    const again = page.getByRole('dialog')
    await again.getByText('Your session has ended').waitFor()

    await again.getByLabel('E-mail address').fill(email)
    await again.getByRole('button', { name: 'Send a code' }).click()
    await again.getByLabel('Code').waitFor()
    await again.getByLabel('Code').fill(await readCode(countersign, email))
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Ada Love')
    expect(wrong).toEqual([])
  })

  test('an unavailable server is reported, and the page continues once the server is back', async () => {
    world = await openSignedIn()
    const { page, go } = world
    await go('/customers')
    await page.getByText('No customers yet').waitFor()
    await page.route('**/2025-10-13/**', (route) => route.abort('connectionrefused'))
    await page.getByLabel('Kind').selectOption('BUSINESS')
    const note = page.getByText('The server cannot be reached. This page retries automatically.')
    await note.waitFor()
    await page.unroute('**/2025-10-13/**')
    await note.waitFor({ state: 'detached' })
    await page.getByText('No matching customers').waitFor()
  })

  test('a session from another origin or in a frame is rejected', async () => {
    world = await openSignedIn()
    const { page, origin } = world
    const response = await page.request.get(`${origin}/console/`)
    expect(response.headers()['x-frame-options']).toBe('DENY')
    expect(response.headers()['content-security-policy']).toContain("frame-ancestors 'none'")
    // The browser sends the cookie, because SameSite treats localhost as the same site on every port.
    const stolen = await page.request.post(`${origin}/2025-10-13/customers`, {
      headers: { Origin: 'http://localhost:1' },
      data: { customerType: 'INDIVIDUAL', fullName: 'Mallory' },
    })
    expect([stolen.status(), (await stolen.json()).code]).toEqual([403, 'FORBIDDEN'])
  })
})

/** Returns the code in the latest message, which is delivered only after the response to the page. */
async function readCode(countersign: Countersign, recipient: string): Promise<string> {
  return vi.waitFor(async () => {
    const [message] = (await countersign.sandbox.inbox({ recipient })).data
    const code = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(message?.text ?? '')?.[0]
    if (!code) throw new Error('The code has not arrived')
    return code
  }, timeLimit(30_000))
}
