import { Countersign } from '@countersign/sdk'
import { cookies } from 'next/headers'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' } = process.env

export const BASE_URL = BASE
export const countersign = new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })

/** A user of this app: their customer and their wallet. */
export interface User {
  readonly customerId: string
  readonly accountId: string
}

declare global {
  var appUsers: Map<string, User> | undefined
}

/**
 * Users by the cookie of their login. A real app has its own login, and a table in its database. Global, because Next.js loads
 * a module once for pages and once for routes.
 */
globalThis.appUsers ??= new Map()
export const users = globalThis.appUsers

export async function currentUser(): Promise<User | undefined> {
  return users.get((await cookies()).get('app')?.value ?? '')
}
