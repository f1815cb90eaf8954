import { randomUUID } from 'node:crypto'
import { Countersign } from '@countersign/sdk'
import { SoftwareAuthenticator } from '@countersign/sdk/testing'
import { RecipientKey } from '@countersign/sdk/wallet'
import type { Connection } from './connections.ts'
import { makePayers, type Payer } from './payers.ts'
import { type Api, bodyOf, createQuote, preparePayment } from './payments.ts'
import type { Credentials } from './server-process.ts'

const DOMAIN = 'localhost'
const ORIGIN = 'http://localhost:3000'
const ISSUER = 'https://accounts.google.com'

/** A payer that can also sign in by passkey and by identity token. */
export interface Customer extends Payer {
  readonly authenticator: SoftwareAuthenticator
  readonly passkeyId: string
  readonly identityId: string
  /** `sub` of the identity's tokens. */
  readonly subject: string
}

export async function makeCustomers(credentials: Credentials, count: number): Promise<Customer[]> {
  const countersign = new Countersign(credentials)
  const payers = await makePayers(credentials, count)
  return Promise.all(payers.map((payer, n) => makeCustomer(countersign, payer, `user-${n}`)))
}

async function makeCustomer(countersign: Countersign, payer: Payer, subject: string): Promise<Customer> {
  const { session, walletId } = payer
  const authenticator = new SoftwareAuthenticator({ origin: ORIGIN })
  const wallet = countersign.wallet(walletId, { authenticator, relyingParty: { id: DOMAIN } })
  const passkey = await wallet.passkey.register({ nickname: 'Bench', challenge: randomUUID(), session })
  const oidcToken = async (nonce: string) => idToken(subject, nonce)
  const identity = await wallet.oauth.register({ oidcToken, session })
  return { ...payer, authenticator, passkeyId: passkey.id, identityId: identity.id, subject }
}

/** The verify call of a sign-in by passkey; the challenge is issued here, the assertion made. */
export async function passkeyVerify(api: Api, connection: Connection, customer: Customer): Promise<string> {
  const { authenticator, passkeyId } = customer
  const { clientPublicKey } = await RecipientKey.generate()
  const path = `/auth/credentials/${passkeyId}`
  const asked = connection.send(api.post(`${path}/challenge`, JSON.stringify({ clientPublicKey })))
  const { challenge, requestId } = JSON.parse(await bodyOf(asked, 200)) as Record<string, string>
  const { id, response } = await authenticator.get({ challenge: base64url(challenge!), rpId: DOMAIN })
  const { clientDataJSON: clientDataJson, authenticatorData, signature } = response
  const assertion = { credentialId: id, clientDataJson, authenticatorData, signature }
  const headers = { 'Request-Id': requestId! }
  return api.post(`${path}/verify`, JSON.stringify({ type: 'PASSKEY', assertion }), headers)
}

/** The verify call of a sign-in by identity token, which is the only call. */
export async function oauthVerify(api: Api, { identityId, subject }: Customer): Promise<string> {
  const key = await RecipientKey.generate()
  const oidcToken = idToken(subject, await key.nonce())
  const body = { type: 'OAUTH', oidcToken, clientPublicKey: key.clientPublicKey }
  return api.post(`/auth/credentials/${identityId}/verify`, JSON.stringify(body))
}

/** The signed call of a payment; its quote and its challenge are made here. */
export async function paymentRetry(api: Api, connection: Connection, customer: Customer): Promise<string> {
  const quote = await createQuote(api, connection, customer)
  const { challenge, signed } = await preparePayment(api, customer, quote)
  await bodyOf(connection.send(challenge), 202)
  return signed
}

/** The signed call of an operation without due work afterwards: hiding a wallet's balance. */
export async function hidingRetry(api: Api, connection: Connection, customer: Customer): Promise<string> {
  const path = `/internal-accounts/${customer.walletId}`
  const body = JSON.stringify({ privateEnabled: true })
  const asked = await bodyOf(connection.send(api.patch(path, body)), 202)
  const { payloadToSign, requestId } = JSON.parse(asked) as Record<string, string>
  const signature = await customer.session.key.sign(payloadToSign!)
  return api.patch(path, body, { 'Svc-Wallet-Signature': signature, 'Request-Id': requestId! })
}

/** A token that the sandbox accepts: JWT-shaped, its signature unchecked (specification 5.5). */
function idToken(sub: string, nonce: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: ISSUER, aud: 'bench', sub, nonce, iat, exp: iat + 3600, jti: randomUUID() }
  const [header, payload] = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    base64url(JSON.stringify(part)),
  )
  return `${header}.${payload}.c2ln`
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
