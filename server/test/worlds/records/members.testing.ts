import { toJson } from '../../../src/base/json/json.ts'
import { type Client, type Reply, sendJson } from '../client.testing.ts'
import { Authenticator } from '../simulators/authenticator.testing.ts'

/** A browser that calls the API from a page of the server: with the cookie of a member and the headers of browsers. */
export class Browser {
  /** Empty, unlike a token's: a browser sends its cookie. */
  readonly authorization = ''
  readonly baseUrl: string
  /** The address of the page that calls. */
  readonly origin: string
  #cookie: string | undefined

  /** Uses the host name of this machine, because passkeys do not work on IP addresses. */
  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace('//127.0.0.1:', '//localhost:')
    this.origin = new URL(this.baseUrl).origin
  }

  get cookie(): string | undefined {
    return this.#cookie
  }

  /** Headers that the browser adds to a request of a page. */
  headersOf(method: string): Record<string, string> {
    return {
      'Sec-Fetch-Site': 'same-origin',
      ...(method === 'GET' ? {} : { Origin: this.origin }),
      ...(this.#cookie ? { Cookie: `theme=dark; countersign_session=${this.#cookie}` } : {}),
    }
  }

  /** Another browser with the same cookie. */
  copy(): Browser {
    const other = new Browser(this.baseUrl)
    other.#cookie = this.#cookie
    return other
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const reply = await sendJson(this.baseUrl + path, method, { ...this.headersOf(method), ...headers }, body)
    const [, secret] = /^countersign_session=([^;]*)/.exec(reply.headers.get('set-cookie') ?? '') ?? []
    if (secret !== undefined) this.#cookie = secret || undefined
    return reply
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
    this.send('POST', path, body, headers)
}

/** The id of a new role with these permissions. */
export async function newRole(
  client: Pick<Client, 'post'>,
  name: string,
  permissions: readonly string[] = ['VIEW'],
): Promise<string> {
  const { status, body } = await client.post('/member-roles', { name, permissions })
  if (status !== 201) throw new Error(toJson(body))
  return body.id
}

/** The part of a link after the #. */
export function secretOf(url: string): string {
  return url.slice(url.indexOf('=') + 1)
}

/** A new member with these permissions or this role, signed in by its invitation. A server that sends no codes needs `hasPasskey`. */
export async function newMember(
  client: Client,
  rights: readonly string[] | { readonly roleId: string },
  name = 'Grace Hopper',
  { hasPasskey = false } = {},
) {
  const email = `member-${crypto.randomUUID()}@example.com`
  const invited = await client.post('/members', {
    name,
    email,
    ...('roleId' in rights ? rights : { permissions: rights }),
  })
  if (invited.status !== 201) throw new Error(toJson(invited.body))
  const browser = new Browser(client.baseUrl)
  const token = secretOf(invited.body.invitationUrl)
  const passkey = hasPasskey ? { passkey: await newPasskey(browser, token) } : {}
  const accepted = await browser.post('/member-invitations/accept', { token, ...passkey })
  if (accepted.status !== 201) throw new Error(toJson(accepted.body))
  return { browser, id: invited.body.member.id as string, email, session: accepted.body.session.id as string }
}

/** The passkey that an invitation asks for. */
async function newPasskey(browser: Browser, token: string) {
  const { challenge } = (await browser.post('/member-invitations/read', { token })).body.passkey
  return { challenge, attestation: authenticatorOf(browser).attest(challenge) }
}

/** Adds a passkey to the member who is signed in. Returns its id. */
export async function addPasskey(
  browser: Browser,
  authenticator = authenticatorOf(browser),
): Promise<string> {
  const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
  const attestation = authenticator.attest(challenge)
  const added = await browser.post('/members/me/passkeys', { name: 'Laptop', challenge, attestation })
  if (added.status !== 201) throw new Error(toJson(added.body))
  return added.body.id
}

/** An authenticator that serves the pages of this browser's address. */
export function authenticatorOf({ origin }: Browser): Authenticator {
  return new Authenticator(new URL(origin).hostname, origin)
}

/** The body of a sign-in with a passkey. */
export async function passkeyBody(browser: Browser, authenticator: Authenticator) {
  const { challenge } = (await browser.post('/member-sessions/challenge')).body
  return { type: 'PASSKEY', challenge, assertion: authenticator.assert(challenge, { isBase64url: true }) }
}

/** A customer's own device or page: it calls only with a customer's token. */
export class CustomerClient {
  readonly #client: Client
  readonly token: Reply['body']

  constructor(client: Client, token: Reply['body']) {
    this.#client = client
    this.token = token
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const Authorization = `Bearer ${this.token.accessToken}`
    return this.#client.send(method, path, body, { Authorization, ...headers })
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers)
}

/** A customer's token with every permission that it can have, or with these. */
export async function customerClient(
  client: Client,
  customerId: string,
  more: object = {},
): Promise<CustomerClient> {
  const permissions = ['VIEW', 'TRANSACT', 'MANAGE']
  const { status, body } = await client.post('/customer-tokens', { customerId, permissions, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return new CustomerClient(client, body)
}
