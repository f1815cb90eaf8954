import { beforeAll, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { unlockCodes } from '../../../src/people/credentials/code-failures.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import {
  type Client,
  findCredentialId,
  newCustomer,
  type Reply,
  sealCode,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { addWalletPasskey, passkeySignIn } from '../../worlds/records/members.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const WRONG = '111111'

async function requestChallenge(client: Client, credential: string): Promise<string> {
  const { status, body } = await client.post(`/auth/credentials/${credential}/challenge`)
  expect(status).toBe(200)
  return body.otpEncryptionTargetBundle
}

function sendWrongCode(client: Client, credential: string, type: string, bundle: string): Promise<Reply> {
  const encryptedOtpBundle = sealCode(bundle, generateKeyPair(), WRONG)
  return client.post(`/auth/credentials/${credential}/verify`, { type, encryptedOtpBundle })
}

/** Uses up the five attempts that one code allows. */
async function sendFiveWrongCodes(client: Client, credential: string, type: string): Promise<Reply[]> {
  const bundle = await requestChallenge(client, credential)
  return Promise.all(Array.from({ length: 5 }, () => sendWrongCode(client, credential, type, bundle)))
}

let server: SharedServer
beforeAll(async () => {
  server = await world('sandbox')
})

/** A wallet with both kinds of codes and a passkey. */
async function createWallet() {
  const client = await server.newPlatform()
  const customer = await newCustomer(client)
  const session = await signIn(client, customer.wallet)
  const email = await findCredentialId(client, customer.wallet)
  const body = { type: 'SMS_OTP', accountId: customer.wallet, phoneNumber: '+14155552671' }
  const sms = (await sendSigned(client, session, 'POST', '/auth/credentials', body)).body.id as string
  const passkey = await addWalletPasskey(client, customer.wallet, session)
  return { client, wallet: customer.wallet, session, email, sms, passkey }
}

const readFailures = async (wallet: string) =>
  (
    await server.app.read
      .selectFrom('code_failures')
      .select('failures')
      .where('id', '=', wallet)
      .executeTakeFirstOrThrow()
  ).failures

/** Sets the count of wrong codes, which real attempts would take most of an hour to reach. */
async function setFailures(wallet: string, failures: number): Promise<void> {
  const change = { failures, locked_at: null }
  expect(await server.app.committer.commit([update('code_failures', wallet, {}, change)])).toMatchObject({
    done: true,
  })
}

test('a hundred wrong codes in a row lock the codes of a wallet, by e-mail and SMS together, until it signs', async () => {
  const { client, wallet, email, sms, passkey } = await createWallet()
  await sendFiveWrongCodes(client, email, 'EMAIL_OTP')
  await sendFiveWrongCodes(client, sms, 'SMS_OTP')
  expect(await readFailures(wallet)).toBe(10)
  await setFailures(wallet, 95)

  // Five attempts are left, so five of these ten are checked.
  const [byMail, byText] = [await requestChallenge(client, email), await requestChallenge(client, sms)]
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2
        ? sendWrongCode(client, email, 'EMAIL_OTP', byMail)
        : sendWrongCode(client, sms, 'SMS_OTP', byText),
    ),
  )
  expect(replies.map(({ body }) => body.code).sort()).toEqual([
    ...Array(5).fill('CODE_SIGN_IN_LOCKED'),
    ...Array(5).fill('UNAUTHORIZED'),
  ])
  for (const credential of [email, sms])
    expect((await client.post(`/auth/credentials/${credential}/challenge`)).body).toMatchObject({
      status: 403,
      code: 'CODE_SIGN_IN_LOCKED',
    })
  expect(await client.events('&type=AUTH_CREDENTIAL.CODES_LOCKED')).toMatchObject([
    { data: { accountId: wallet } },
  ])

  // Neither time nor the backend alone unlocks it.
  await client.advance(86_400)
  const path = `/internal-accounts/${wallet}`
  expect((await client.send('PATCH', path, { privateEnabled: true })).status).toBe(202)
  expect((await client.post(`/auth/credentials/${email}/challenge`)).body.code).toBe('CODE_SIGN_IN_LOCKED')

  const holder = await passkeySignIn(client, passkey.id, passkey.authenticator)
  expect((await sendSigned(client, holder, 'PATCH', path, { privateEnabled: true })).status).toBe(200)
  expect(await readFailures(wallet)).toBe(0)
  await signIn(client, wallet)
})

test('a sign-in and the operator reset the count, but the right code does not pass a lock', async () => {
  const { client, wallet, email } = await createWallet()
  const bundle = await requestChallenge(client, email)
  await sendWrongCode(client, email, 'EMAIL_OTP', bundle)
  expect(await readFailures(wallet)).toBe(1)
  await signIn(client, wallet)
  expect(await readFailures(wallet)).toBe(0)

  const newBundle = await requestChallenge(client, email)
  await setFailures(wallet, 100)
  const rightCode = { type: 'EMAIL_OTP', encryptedOtpBundle: sealCode(newBundle, generateKeyPair()) }
  const path = `/auth/credentials/${email}/verify`
  expect((await client.post(path, rightCode)).body.code).toBe('CODE_SIGN_IN_LOCKED')
  await unlockCodes(server.app, wallet)
  expect((await client.post(path, rightCode)).status).toBe(202)
  await expect(unlockCodes(server.app, 'InternalAccount:none')).rejects.toThrow('no wrong codes')
})
