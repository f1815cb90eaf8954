import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Countersign } from '@countersign/sdk'

/** The customer and wallet of a user of this app. */
export type User = { readonly customerId: string; readonly accountId: string }
export type Route = (user: User, body: Record<string, string>) => Promise<object>

/** Signed-in users by session cookie. A real app has its own login and a database table. */
const users = new Map<string, User>()

function userOf({ headers }: IncomingMessage): User | undefined {
  return users.get(/(?:^|; )app=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '')
}

/** Creates a customer with a wallet, and requests a card that the wallet funds. */
async function signUp(api: Countersign, { fullName = '', email = '' }): Promise<User> {
  const { id: customerId } = await api.customers.create({ customerType: 'INDIVIDUAL', fullName, email })
  const wallets = await api.internalAccounts.list({ customerId, type: 'EMBEDDED_WALLET' })
  const accountId = wallets.data[0]!.id
  await api.cards.create({ cardholderId: customerId, form: 'VIRTUAL', fundingSources: [accountId] })
  return { customerId, accountId }
}

/**
 * Serves the page, creates customers, and gives each one a customer token. The page calls the server for the
 * rest.
 */
export function makeBackend(
  api: Countersign,
  files: Readonly<Record<string, readonly [type: string, text: string]>>,
  more: Readonly<Record<string, Route>> = {},
): Server {
  const routes: Readonly<Record<string, Route>> = {
    /** The customer comes from the login, never from the page. */
    async 'POST /token'({ customerId, accountId }) {
      const made = await api.customerTokens.create({
        customerId,
        permissions: ['VIEW', 'TRANSACT', 'MANAGE'],
      })
      return { customerId, accountId, accessToken: made.accessToken }
    },
    ...more,
  }
  return createServer(async (request, response) => {
    const path = `${request.method} ${request.url?.split('?', 1)[0]}`
    const send = (status: number, answer = {}) => response.writeHead(status).end(JSON.stringify(answer))
    try {
      if (files[path]) return response.setHeader('Content-Type', files[path][0]).end(files[path][1])
      const body = request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {}
      if (path === 'POST /sign-up') {
        const cookie = randomBytes(32).toString('base64url')
        users.set(cookie, await signUp(api, body))
        response.setHeader('Set-Cookie', `app=${cookie}; HttpOnly; SameSite=Strict; Path=/`)
        return send(201)
      }
      const user = userOf(request)
      if (!user) return send(401)
      return routes[path] ? send(200, await routes[path](user, body)) : send(404)
    } catch (error) {
      return send(400, { message: error instanceof Error ? error.message : '' })
    }
  })
}
